#include "core/canon/patch_paths.hpp"

#include "core/support/text.hpp"

#include <algorithm>
#include <array>

namespace resilient::canon {

namespace {

constexpr std::string_view begin_patch = "*** Begin Patch";

constexpr std::array<std::string_view, 4> file_headers{
    "*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "};

/// The name in a header of a unified diff: up to a tab, behind which its time stands.
std::string_view diff_name(std::string_view rest) {
  rest = trim(rest.substr(0, rest.find('\t')));
  if (rest == "/dev/null") {
    return {};
  }
  if (starts_with(rest, "a/") || starts_with(rest, "b/")) {
    rest.remove_prefix(2);
  }
  return rest;
}

} // namespace

bool holds_patch(std::string_view text) noexcept {
  return text.find(begin_patch) != std::string_view::npos;
}

bool begins_patch(std::string_view text) noexcept {
  return starts_with(trim(text), begin_patch);
}

void each_patch_path(std::string_view text, const std::function<void(std::string_view)>& show) {
  bool after_old_name = false;
  while (!text.empty()) {
    const std::size_t newline = std::min(text.find('\n'), text.size());
    const std::size_t escaped = std::min(text.substr(0, newline).find("\\n"), newline);
    const std::string_view line = text.substr(0, escaped);
    text.remove_prefix(escaped < newline ? escaped + 2 : std::min(newline + 1, text.size()));
    const auto* const header =
        std::find_if(file_headers.begin(), file_headers.end(),
                     [line](std::string_view each) { return starts_with(line, each); });
    if (header != file_headers.end()) {
      show(trim(line.substr(header->size())));
      continue;
    }
    // A removed line may begin with `-- ` too: only two headers in a row are headers.
    if (starts_with(line, "--- ")) {
      after_old_name = true;
      if (starts_with(text, "+++ ")) {
        show(diff_name(line.substr(4)));
      }
    } else {
      if (starts_with(line, "+++ ") && after_old_name) {
        show(diff_name(line.substr(4)));
      }
      after_old_name = false;
      for (const std::string_view prefix : {"rename from ", "rename to ", "copy to "}) {
        if (starts_with(line, prefix)) {
          show(trim(line.substr(prefix.size())));
        }
      }
    }
  }
}

} // namespace resilient::canon
