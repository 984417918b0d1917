#pragma once

#include "launcher/child/process_table.hpp"
#include "launcher/child/recorded_walk.hpp"
#include "launcher/io/loop.hpp"

#include <asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// Stopping processes that a dead child or a dead launcher left running.
namespace resilient::launcher {

/// The variable that every process of a run carries: `<run id>:<generation>`.
inline constexpr const char* mark_variable = "PI_RESILIENT_MARK";

/// Whether a mark belongs to `wanted`: the same, or the same run in any generation.
[[nodiscard]] bool mark_matches(std::string_view mark, std::string_view wanted);

struct leftover_query {
  std::string mark;                    ///< processes that carry it; empty: none
  bool descendants = true;             ///< processes below us
  const recorded_walk* walk = nullptr; ///< and those that were; it outlives the query
  std::set<pid_t> spare;               ///< these and what is below them stay
};

/// The living processes that the query means; never ourselves, nor what we descend from.
[[nodiscard]] std::vector<process_entry> find_leftovers(const leftover_query& query);

/// "bash (4711)".
[[nodiscard]] std::string leftover_name(const process_entry& entry);

/// How long a process may take to end after SIGTERM, and after SIGKILL.
struct leftover_limits {
  std::chrono::milliseconds grace{2000};
  std::chrono::milliseconds after_kill{2000};
  std::chrono::milliseconds look_every{20};
};

/// Stops the processes that `find` names: SIGTERM (and SIGCONT, since a stopped process would not
/// act on it), a grace, SIGKILL. `find` is asked again until it names none, since a process may
/// start another one before it ends. Works on the I/O thread without blocking it; `done` gets the
/// names of all that were there, once.
void stop_processes(io_loop& loop, std::function<std::vector<process_entry>()> find,
                    const leftover_limits& limits,
                    std::function<void(std::vector<std::string>)> done);

} // namespace resilient::launcher
