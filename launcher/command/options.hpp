#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace resilient::launcher {

enum class command {
  supervise,     ///< run Pi and keep it running
  status,        ///< tell about a run
  stop,          ///< end a run
  sidecar,       ///< serve an extension over stdin and stdout
  explain_error, ///< say what an error text on stdin means
};

/// What the command line asks for.
struct options {
  command what = command::supervise;

  // supervise
  std::vector<std::string> pi_arguments;
  std::chrono::milliseconds startup_timeout{120'000};
  std::chrono::milliseconds heartbeat_timeout{30'000};
  std::chrono::milliseconds healthy_after{10'000};
  std::string run_folder; ///< as written; empty: one of its own. Also for `status` and `stop`.
  bool keep_orphans = false;
  bool inhibit_sleep = false; ///< while a goal is active
  bool start_paused = false;
  std::string check;    ///< a shell command that accepts a completion; empty: none
  std::string on_event; ///< a shell command that is told what happens; empty: none
  std::optional<std::int64_t> max_turns;
  std::optional<double> max_hours;
  std::optional<std::int64_t> max_tokens;
  std::optional<double> max_cost;

  // status, stop
  std::string run; ///< an id or the beginning of one; empty: the newest
  bool json = false;

  // explain_error
  std::optional<int> http_status;
  std::string provider;
  std::vector<std::string> headers; ///< `name: value`
  std::string seen_at;              ///< ISO 8601; empty: now
  std::string time_zone;            ///< IANA name; empty: this machine's
};

/// A command line that ends here: help, the version, or a mistake.
struct early_end {
  std::string text; ///< for stdout when the code is 0, else for stderr
  int exit_code = 0;
};

/// Reads the arguments after the program's name. What stands behind the first `--` is Pi's and is
/// not looked at.
[[nodiscard]] std::variant<options, early_end>
parse_options(const std::vector<std::string>& arguments);

} // namespace resilient::launcher
