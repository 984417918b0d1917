#pragma once

#include <string>
#include <variant>

namespace resilient::process {

/// The child ended by itself with `code`.
struct exited {
  int code = 0;
  [[nodiscard]] bool operator==(const exited&) const = default;
};

/// The child was ended by a signal.
struct signaled {
  int signal_number = 0;
  [[nodiscard]] bool operator==(const signaled&) const = default;
};

using exit_status = std::variant<exited, signaled>;

/// "exit 1", "killed by SIGKILL".
[[nodiscard]] std::string describe(const exit_status& status);

/// "SIGTERM"; "signal 77" when it has no name.
[[nodiscard]] std::string signal_name(int signal_number);

/// What a shell would report: the code, or 128 plus the signal.
[[nodiscard]] int shell_status(const exit_status& status);

} // namespace resilient::process
