#pragma once

#include <cstdint>
#include <string_view>

namespace resilient::canon {

/// What a tool does, by its name alone.
enum class tool_kind : std::uint8_t {
  other, ///< reads, searches, talks, plans
  edit,  ///< changes the files that its path arguments name
  copy,  ///< changes the file that its target argument names
  patch, ///< takes a patch whose headers name the files
  shell, ///< takes a shell command
};

/// The kind of a tool of any host. Of `mcp__server__tool` the last part counts; the spelling does
/// not (`write_file`, `WriteFile` and `write-file` are one). `command` is the argument of that name
/// if any: one tool of several hosts views, creates and replaces by it.
[[nodiscard]] tool_kind kind_of_tool(std::string_view name, std::string_view command = {});

/// Whether an argument of this name holds a path by convention: `path`, `file_path`, `oldPath`.
[[nodiscard]] bool is_path_argument(std::string_view name);

/// Whether it names what a copy makes: `destination`, `to`, `new_path`.
[[nodiscard]] bool is_target_argument(std::string_view name);

/// Whether an argument of this name holds where the call works: `cwd`, `workdir`.
[[nodiscard]] bool is_folder_argument(std::string_view name);

/// Whether an argument of this name holds a shell command: `command`, `cmd`, `script`.
[[nodiscard]] bool is_command_argument(std::string_view name);

} // namespace resilient::canon
