#pragma once

#include "core/canon/shell_paths.hpp"
#include "core/canon/touch_list.hpp"

#include <string>
#include <string_view>

namespace resilient::canon {

/// How a script that is run in `folder` starts.
[[nodiscard]] shell_start start_in(asset_finder& finder, const std::string& folder);

/// Adds what a word of a script names, by what its command does with it. False when it is no path;
/// then the word may still mention one.
bool add_shell_path(touch_list& found, const shell_path& path);

} // namespace resilient::canon
