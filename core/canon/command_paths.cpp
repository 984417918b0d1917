#include "core/canon/command_paths.hpp"

#include "core/canon/text_paths.hpp"
#include "core/support/text.hpp"

#include <algorithm>

namespace resilient::canon {

namespace {

bool has_slash(std::string_view text) noexcept {
  return text.find('/') != std::string_view::npos;
}

/// Whether a word that names nothing yet may be the name of a new file.
bool may_be_new(std::string_view text) noexcept {
  while (ends_with(text, "/")) {
    text.remove_suffix(1);
  }
  const std::string_view name = text.substr(text.rfind('/') + 1);
  return text.find_first_of("*?$^|<>\"{}\\`=:;,&#\n\x01") == std::string_view::npos
         && name.find_first_not_of('.') != std::string_view::npos;
}

/// Whether a name without a slash is one that people give files: `README.md`, `Makefile`.
bool looks_like_file_name(std::string_view name) noexcept {
  return !name.empty()
         && (is_ascii_upper(name.front()) || name.find('.') != std::string_view::npos);
}

bool is_wild(std::string_view text) noexcept {
  return text.find_first_of("*?[") != std::string_view::npos && has_slash(text);
}

/// A pattern which the shell found nothing for, or which was quoted for the command to expand.
bool add_wild(touch_list& found, const shell_path& path, const std::string& text) {
  if (found.add_existing(text, path.folder)) {
    return true;
  }
  if (path.role != operand_role::path && path.role != operand_role::change) {
    return false;
  }
  if (path.pattern.empty() && found.add_matches(text, text, path.folder)) {
    return true;
  }
  // What `rm src/*.bak` removed may be gone already.
  const std::size_t slash = text.rfind('/', text.find_first_of("*?["));
  return path.role == operand_role::change && slash != std::string::npos && slash > 0
         && found.add_existing(text.substr(0, slash), path.folder);
}

} // namespace

shell_start start_in(asset_finder& finder, const std::string& folder) {
  shell_start start;
  start.folder = folder;
  start.home = finder.home();
  start.project = finder.project();
  start.is_folder = [&finder](const std::string& path) {
    return finder.at(path) == presence::folder;
  };
  return start;
}

bool add_shell_path(touch_list& found, const shell_path& path) {
  if (path.role == operand_role::mention || path.text.find("://") != std::string::npos
      || path.text.find('\x01') != std::string::npos) {
    return false;
  }
  std::string text = file_url_path(path.text);
  if (text.empty()) {
    text = path.text;
  }
  if (!path.pattern.empty() && found.add_matches(text, path.pattern, path.folder)) {
    return true;
  }
  if (is_wild(text)) {
    return add_wild(found, path, text);
  }
  asset_finder& finder = found.finder();
  const std::string absolute = finder.absolute(text, path.folder);
  if (absolute.empty()) {
    return false;
  }
  const presence there = finder.at(absolute);
  if (there != presence::absent) {
    const bool counts = path.role == operand_role::path || path.role == operand_role::change
                        || has_slash(text)
                        || (there == presence::file
                            && (path.role == operand_role::unsure || looks_like_file_name(text)));
    return counts && found.add(text, absolute);
  }
  if (path.must_exist || path.role == operand_role::reference || !may_be_new(text)
      || !(has_slash(text) || path.role == operand_role::change)) {
    return false;
  }
  return finder.has_parent(absolute) && found.add(text, absolute);
}

} // namespace resilient::canon
