#pragma once

#include "core/canon/touch.hpp"

#include <nlohmann/json.hpp>

#include <string_view>
#include <vector>

namespace resilient::canon {

/// The paths that a tool call would change (create, write, move, remove), if it succeeds; each
/// once, in order of first sight. Whether it succeeded is for the caller to know.
///
/// Evidence is only what says so by itself: the path arguments of a tool that edits files, the
/// headers of a patch, and in a shell command its redirections and the operands of commands that
/// write. A mention in a text, a list of things to do or a quoted argument is none.
///
/// A command that changes files which it does not name (`git stash pop`, `git merge`, `patch -p1`)
/// counts for every path that the same call names; one that takes its operands from a pipe
/// (`… | xargs rm`) for the paths that the pipe names; one that names a folder (`prettier --write
/// src`, `find src -delete`) for that folder. Switching branches and changing only git's index
/// count for nothing.
[[nodiscard]] std::vector<touched> changes_in(std::string_view tool_name,
                                              const nlohmann::json& input, const touch_place& from);

} // namespace resilient::canon
