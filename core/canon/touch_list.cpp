#include "core/canon/touch_list.hpp"

#include "core/support/text.hpp"

#include <optional>
#include <utility>

namespace resilient::canon {

bool touch_list::add(std::string_view asset, const std::string& path) {
  std::optional<touched> located = finder_.locate(asset, path);
  // The folder of a place has no address: a text that mentions it says where it is, no more.
  if (!located || (located->below.empty() && !is_declared_)) {
    return false;
  }
  if (seen_.insert(located->path).second) {
    located->is_declared = is_declared_;
    found_.push_back(*std::move(located));
  }
  return true;
}

bool touch_list::add_existing(std::string_view written, const std::string& folder) {
  const std::string path = finder_.absolute(written, folder);
  return !path.empty() && finder_.at(path) != presence::absent && add(written, path);
}

bool touch_list::add_new(std::string_view written, const std::string& folder) {
  const std::string path = finder_.absolute(written, folder);
  return !path.empty() && (finder_.at(path) != presence::absent || finder_.has_parent(path))
         && add(written, path);
}

bool touch_list::add_matches(std::string_view written, std::string_view pattern,
                             const std::string& folder) {
  if (!starts_with(pattern, "/") && folder.empty()) {
    return false;
  }
  const std::string whole =
      starts_with(pattern, "/") ? std::string(pattern) : folder + "/" + std::string(pattern);
  bool any = false;
  for (const std::string& path : finder_.matches(whole)) {
    any = add(written, path) || any;
  }
  return any;
}

} // namespace resilient::canon
