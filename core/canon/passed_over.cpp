#include "core/canon/passed_over.hpp"

#include "core/canon/address.hpp"
#include "core/support/folder.hpp"

#include <fmt/format.h>

namespace resilient::canon {

std::string passed_over(const store& knowledge, const std::string& address,
                        const std::string& governing) {
  const auto root = folder::open(knowledge.root());
  if (!root) {
    return {};
  }
  const auto articles = root->open_folder("articles"); // which may be a link that leads out
  if (!articles) {
    return {};
  }
  std::string lines;
  for (std::string each = address; !each.empty() && each != governing;
       each = parent_address(each)) {
    const auto found = articles->status(each + ".md");
    if (!found || !*found) {
      continue;
    }
    const file_kind kind = (*found)->kind;
    if (kind == file_kind::other || kind == file_kind::folder) {
      lines += fmt::format(
          "{}articles/{}.md is {}, so it was passed over.", lines.empty() ? "" : "\n", each,
          kind == file_kind::folder ? "a folder"
                                    : "not a regular file but a pipe, socket or device");
    }
  }
  return lines;
}

} // namespace resilient::canon
