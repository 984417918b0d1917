#pragma once

#include "core/canon/touch_list.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

/// Adds the path-shaped parts of a text: runs without blanks and quotes that hold a slash. A run
/// counts as it stands or without the punctuation around it; else its parts between `:`, `=`, `,`,
/// brackets and the like count. Each has to exist, or to look like a file in a folder that exists
/// (its name has an extension). Relative ones are taken from the first of `folders` where that is
/// so.
///
/// Addresses in the web count for nothing, `file:` URLs for their paths.
void add_paths_in_text(touch_list& found, std::string_view text,
                       const std::vector<std::string>& folders);

/// Adds what a whole short string names: something that exists, or that has a slash and a folder
/// that exists, or a pattern with a slash that matches something. False when it names nothing.
/// `is_path` says that the string is meant as a path, so that its name may hold blanks and such.
bool add_whole_string(touch_list& found, std::string_view text,
                      const std::vector<std::string>& folders, bool is_path);

/// The path of a `file:` URL, decoded; empty for everything else.
[[nodiscard]] std::string file_url_path(std::string_view text);

} // namespace resilient::canon
