#pragma once

#include "core/canon/places.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

/// Where a tool call is made.
struct touch_place {
  const places* where = nullptr; ///< project and mounts; outlives the call, never null
  /// What relative paths are taken from: absolute, and the project's folder when empty. A relative
  /// path that is not there is looked for in the project's folder too, except in shell commands.
  std::string working_folder;
  std::string home; ///< for `~` and `$HOME`; empty: those name nothing
};

/// A path in a tool call that lies in the project or in a mount.
struct touched {
  std::string asset;     ///< as the call wrote it, without quotes
  std::string path;      ///< absolute, in the spelling of its place's `directory`; no dots, no `//`
  std::size_t place = 0; ///< index in `places::all()`; 0 is the project
  std::string below;     ///< `path` below its place's folder; empty for that folder itself
  /// It came from a path argument, a command or the header of a patch. Otherwise it is a mention in
  /// a longer text, which is never evidence of a change.
  bool is_declared = false;
};

/// The paths that a tool call names, each once: first what it declares, then mentions in longer
/// texts, both in the order of the values (objects by the names of their members, which are not
/// looked at themselves).
///
/// A whole short string counts when it exists, or when it holds a slash and its folder exists. In
/// commands, words count by what their command does with them. In longer texts, path-shaped parts
/// with a slash count when they exist, or when they look like a file that is about to be made.
/// A pattern stands for what it matches, up to `most_matches` of them, else for the folder above
/// its first wildcard.
///
/// Takes time linear in the input and asks the file system at most `most_probes` times for what is
/// declared and as often again for mentions; what comes later is not found.
[[nodiscard]] std::vector<touched> touches_in(const nlohmann::json& tool_input,
                                              const touch_place& from);

/// See `touches_in`.
inline constexpr std::size_t most_probes = 1000;
inline constexpr std::size_t most_matches = 20;

/// Whether a host's name of a tool means the tool `canon`, whose arguments are addresses:
/// `canon`, `mcp__canon__canon`, `mcp__plugin_canon_canon__canon`.
[[nodiscard]] bool is_own_tool(std::string_view name) noexcept;

} // namespace resilient::canon
