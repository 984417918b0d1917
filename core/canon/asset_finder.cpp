#include "core/canon/asset_finder.hpp"

#include "core/canon/address.hpp"
#include "core/support/text.hpp"

#include <algorithm>

namespace resilient::canon {

namespace {

constexpr std::size_t longest_path = 1024;

/// The end of a `[…]` that begins at `open`, behind its bracket; npos when nothing closes it.
std::size_t end_of_class(std::string_view pattern, std::size_t open) noexcept {
  std::size_t at = open + 1;
  if (at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^')) {
    ++at;
  }
  const std::size_t close = pattern.find(']', at + 1);
  return close == std::string_view::npos ? close : close + 1;
}

bool class_holds(std::string_view inside, char byte) noexcept {
  const bool negated = inside.front() == '!' || inside.front() == '^';
  if (negated) {
    inside.remove_prefix(1);
  }
  bool held = false;
  for (std::size_t at = 0; at < inside.size(); ++at) {
    if (at + 2 < inside.size() && inside[at + 1] == '-') {
      held = held || (inside[at] <= byte && byte <= inside[at + 2]);
      at += 2;
    } else {
      held = held || inside[at] == byte;
    }
  }
  return held != negated;
}

/// Takes one element of the pattern at `at` for one byte; the place behind it, or npos.
std::size_t match_one(std::string_view pattern, std::size_t at, char byte) noexcept {
  if (pattern[at] == '?') {
    return at + 1;
  }
  if (pattern[at] == '[') {
    const std::size_t end = end_of_class(pattern, at);
    if (end != std::string_view::npos) {
      return class_holds(pattern.substr(at + 1, end - at - 2), byte) ? end : std::string_view::npos;
    }
  }
  if (pattern[at] == '\\' && at + 1 < pattern.size()) {
    ++at;
  }
  return pattern[at] == byte ? at + 1 : std::string_view::npos;
}

bool is_wild(std::string_view segment) noexcept {
  for (std::size_t at = 0; at < segment.size(); ++at) {
    if (segment[at] == '\\') {
      ++at;
    } else if (segment[at] == '*' || segment[at] == '?' || segment[at] == '[') {
      return true;
    }
  }
  return false;
}

std::string without_escapes(std::string_view segment) {
  std::string plain;
  for (std::size_t at = 0; at < segment.size(); ++at) {
    if (segment[at] == '\\' && at + 1 < segment.size()) {
      ++at;
    }
    plain += segment[at];
  }
  return plain;
}

std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> segments;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0) {
      segments.emplace_back(path.substr(0, end));
    }
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return segments;
}

std::string joined(const std::string& folder, std::string_view name) {
  std::string path = folder == "/" ? std::string() : folder;
  path += '/';
  path += name;
  return path;
}

} // namespace

bool matches_name(std::string_view pattern, std::string_view name) noexcept {
  if (!name.empty() && name.front() == '.' && (pattern.empty() || pattern.front() != '.')) {
    return false;
  }
  // Only the last star needs to be taken back, so that this is at most quadratic in a name.
  std::size_t at = 0;
  std::size_t star = std::string_view::npos;
  std::size_t from = 0;
  for (std::size_t here = 0; here < name.size();) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = ++at;
      from = here;
      continue;
    }
    const std::size_t next =
        at < pattern.size() ? match_one(pattern, at, name[here]) : std::string_view::npos;
    if (next != std::string_view::npos) {
      at = next;
      ++here;
    } else if (star != std::string_view::npos) {
      at = star;
      here = ++from;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') {
    ++at;
  }
  return at == pattern.size();
}

asset_finder::asset_finder(const touch_place& from, std::size_t budget)
    : from_(from), working_folder_(from.working_folder), budget_(budget) {
  if (!starts_with(working_folder_, "/")) {
    working_folder_ = project();
  }
  known_.emplace("/", presence::folder);
}

std::string asset_finder::absolute(std::string_view written, const std::string& folder) const {
  if (written.empty() || written.size() >= longest_path
      || written.find_first_of(std::string_view("\0\n\r", 3)) != std::string_view::npos) {
    return "";
  }
  std::string path("/");
  if (written.front() == '/') {
    path += contained(written);
  } else if (written == "~" || starts_with(written, "~/")) {
    if (from_.home.empty()) {
      return "";
    }
    path += contained(from_.home + "/" + std::string(written.substr(1)));
  } else if (folder.empty()) {
    return "";
  } else {
    path += contained(folder + "/" + std::string(written));
  }
  return path;
}

std::string asset_finder::folder_of_call(const std::string& named) const {
  std::string folder = absolute(named, working_folder_);
  return folder.empty() ? working_folder_ : folder;
}

presence asset_finder::at(const std::string& path) {
  if (const auto known = known_.find(path); known != known_.end()) {
    return known->second;
  }
  // From the top, so that the many paths of a text that begin nowhere cost one question together.
  std::size_t end = 0;
  while (end < path.size()) {
    end = std::min(path.find('/', end + 1), path.size());
    const std::string part = path.substr(0, end);
    auto known = known_.find(part);
    if (known == known_.end()) {
      if (budget_ == 0) {
        return presence::absent;
      }
      --budget_;
      const auto status = disk_.status(part);
      const presence found = !status || !status->has_value()        ? presence::absent
                             : (*status)->kind == file_kind::folder ? presence::folder
                                                                    : presence::file;
      known = known_.emplace(part, found).first;
    }
    if (end == path.size()) {
      return known->second;
    }
    if (known->second != presence::folder) {
      return presence::absent;
    }
  }
  return presence::absent;
}

std::optional<located> asset_finder::place_of(const std::string& path) {
  if (auto found = from_.where->holding(path)) {
    return found;
  }
  const std::string folder = parent_path(path);
  auto known = real_.find(folder);
  if (known == real_.end()) {
    if (budget_ == 0) {
      return std::nullopt;
    }
    --budget_;
    known = real_.emplace(folder, real_path(folder).value_or("")).first;
  }
  if (known->second.empty()) {
    return std::nullopt;
  }
  if (auto found = from_.where->holding(joined(known->second, last_name(path)))) {
    return found;
  }
  // The path may itself be the link to the project.
  if (at(path) == presence::folder && budget_ > 0) {
    --budget_;
    if (const auto real = real_path(path)) {
      return from_.where->holding(*real);
    }
  }
  return std::nullopt;
}

std::optional<touched> asset_finder::locate(std::string_view asset, const std::string& path) {
  const auto found = place_of(path);
  if (!found) {
    return std::nullopt;
  }
  touched result;
  result.asset = asset;
  result.place = found->place;
  result.below = found->address;
  const std::string& directory = from_.where->at(found->place).directory;
  result.path = found->address.empty() ? directory : joined(directory, found->address);
  return result;
}

void asset_finder::match_below(const std::string& folder, const std::vector<std::string>& segments,
                               std::size_t at, std::vector<std::string>& found) {
  if (found.size() > most_matches) {
    return;
  }
  if (at == segments.size()) {
    found.push_back(folder);
    return;
  }
  const std::string& segment = segments[at];
  if (!is_wild(segment)) {
    const std::string path = joined(folder, without_escapes(segment));
    if (this->at(path) != presence::absent) {
      match_below(path, segments, at + 1, found);
    }
    return;
  }
  if (budget_ == 0) {
    return;
  }
  --budget_;
  const auto entries = disk_.list(folder);
  if (!entries) {
    return;
  }
  const bool any_depth = segment == "**";
  if (any_depth && at + 1 < segments.size()) {
    match_below(folder, segments, at + 1, found);
  }
  const bool is_last = at + 1 == segments.size();
  for (const folder_entry& entry : *entries) {
    if (!matches_name(any_depth ? "*" : segment, entry.name)) {
      continue;
    }
    const std::string path = joined(folder, entry.name);
    const bool is_folder = entry.kind == file_kind::folder;
    if (is_last && !(any_depth && is_folder)) {
      match_below(path, segments, at + 1, found);
    }
    // Links are not followed by `**`, which therefore ends.
    if (is_folder && (any_depth || !is_last)) {
      match_below(path, segments, any_depth ? at : at + 1, found);
    } else if (!any_depth && !is_last && entry.kind == file_kind::link
               && this->at(path) == presence::folder) {
      match_below(path, segments, at + 1, found);
    }
  }
}

std::vector<std::string> asset_finder::matches(const std::string& pattern) {
  const std::vector<std::string> segments = segments_of(pattern);
  std::string folder;
  std::size_t first = 0;
  for (; first < segments.size() && !is_wild(segments[first]); ++first) {
    folder += '/';
    folder += without_escapes(segments[first]);
  }
  if (folder.empty() || at(folder) != presence::folder || !place_of(folder)
      || segments.size() > 64) {
    return {};
  }
  std::vector<std::string> found;
  match_below(folder, segments, first, found);
  if (found.size() > most_matches) {
    return {folder};
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

} // namespace resilient::canon
