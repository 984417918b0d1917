#include "core/canon/address.hpp"

#include "core/support/text.hpp"

#include <algorithm>
#include <vector>

namespace resilient::canon {

namespace {

/// The segments without empty and `.` ones; `..` takes the one before it, or does nothing but set
/// `left`.
std::string clamped(std::string_view path, bool& left) {
  std::vector<std::string_view> kept;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view segment = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (segment == "..") {
      if (kept.empty()) {
        left = true;
      } else {
        kept.pop_back();
      }
    } else if (!segment.empty() && segment != ".") {
      kept.push_back(segment);
    }
  }
  std::string joined;
  for (const std::string_view segment : kept) {
    joined += joined.empty() ? "" : "/";
    joined += segment;
  }
  return joined;
}

std::string clamped(std::string_view path) {
  bool left = false;
  return clamped(path, left);
}

std::string contained(std::string_view path, std::string_view directory, bool& left) {
  std::string slashed(trim(path));
  std::replace(slashed.begin(), slashed.end(), '\\', '/');
  while (directory.size() > 1 && directory.back() == '/') {
    directory.remove_suffix(1);
  }
  if (directory.empty()) {
    return clamped(slashed, left);
  }
  if (lies_in(slashed, directory)) {
    return clamped(std::string_view(slashed).substr(directory.size()), left);
  }
  if (!starts_with(slashed, "/")) {
    const std::string top = clamped(directory);
    const std::string joined = clamped(std::string(directory) + "/" + slashed);
    if (lies_in(joined, top)) {
      return clamped(std::string_view(joined).substr(top.size()));
    }
  }
  left = left || starts_with(slashed, "/");
  return clamped(slashed, left);
}

} // namespace

bool lies_in(std::string_view path, std::string_view folder) noexcept {
  return starts_with(path, folder)
         && (ends_with(folder, "/") || path.size() == folder.size() || path[folder.size()] == '/');
}

std::string contained(std::string_view path, std::string_view directory) {
  bool left = false;
  return contained(path, directory, left);
}

bool leads_out(std::string_view path, std::string_view directory) {
  bool left = false;
  (void)contained(path, directory, left);
  return left;
}

std::string normalize(std::string_view path, std::string_view directory) {
  std::string address = contained(path, directory);
  const std::size_t slash = address.rfind('/');
  const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
  const std::size_t dot = address.rfind('.');
  if (dot == std::string::npos || dot <= begin) {
    return address;
  }
  const std::string_view kept = std::string_view(address).substr(begin, dot - begin);
  if (kept != "." && kept != "..") {
    address.resize(dot);
  }
  return address;
}

std::string parent_address(const std::string& address) {
  const std::size_t slash = address.rfind('/');
  return slash == std::string::npos ? std::string() : address.substr(0, slash);
}

std::string last_segment(const std::string& address) {
  const std::size_t slash = address.rfind('/');
  return slash == std::string::npos ? address : address.substr(slash + 1);
}

} // namespace resilient::canon
