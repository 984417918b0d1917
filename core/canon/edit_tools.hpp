#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace resilient::canon {

/// What a tool does, by its name alone.
enum class tool_kind : std::uint8_t {
  other, ///< reads, searches, talks, plans
  edit,  ///< changes the files that its path arguments name
  copy,  ///< changes the file that its last path argument names
  patch, ///< takes a patch whose headers name the files
  shell, ///< takes a shell command
};

/// The kind of a tool of any host. Of `mcp__server__tool` the last part counts; the spelling does
/// not (`write_file`, `WriteFile` and `write-file` are one). `command` is the argument of that name
/// if any: one tool of several hosts views, creates and replaces by it.
[[nodiscard]] tool_kind kind_of_tool(std::string_view name, std::string_view command = {});

/// Whether an argument of this name holds a path by convention: `path`, `file_path`, `oldPath`.
[[nodiscard]] bool is_path_argument(std::string_view name);

/// Whether an argument of this name holds where the call works: `cwd`, `workdir`.
[[nodiscard]] bool is_folder_argument(std::string_view name);

/// Whether an argument of this name holds a shell command: `command`, `cmd`, `script`.
[[nodiscard]] bool is_command_argument(std::string_view name);

/// Shows the path arguments of a call, lists and nested objects included.
void each_path_argument(
    const nlohmann::json& input,
    const std::function<void(const std::string& name, const std::string& path)>& show);

} // namespace resilient::canon
