#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the system tells about processes: by /proc on Linux, by `ps` elsewhere (untested), where
/// environments and debuggers stay unknown.
namespace resilient::launcher {

struct process_entry {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = '?';             ///< 'R', 'S', 'T' (stopped), 'Z' (a zombie), ...
  std::string name;             ///< as `ps` shows it, at most 15 bytes
  std::uint64_t start_time = 0; ///< clock ticks after boot (Linux); tells a reused pid apart
};

/// Reads the text of `/proc/PID/stat`; nothing when it is none.
[[nodiscard]] std::optional<process_entry> parse_process_stat(std::string_view text);

/// Nothing when there is no such process.
[[nodiscard]] std::optional<process_entry> find_process(pid_t pid);

/// Every process that is visible.
[[nodiscard]] std::vector<process_entry> list_processes();

/// The processes that descend from `ancestor` now, itself not included.
[[nodiscard]] std::vector<process_entry> list_descendants(pid_t ancestor);

/// The value of a variable in the environment that the process was executed with. Nothing when it
/// has none, or when we may not look.
[[nodiscard]] std::optional<std::string> process_variable(pid_t pid, std::string_view name);

/// The pid of the debugger that holds the process; 0: none.
[[nodiscard]] pid_t tracer_of(pid_t pid);

} // namespace resilient::launcher
