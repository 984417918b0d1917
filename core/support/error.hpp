#pragma once

#include <fmt/format.h>
#include <tl/expected.hpp>

#include <string>
#include <utility>

namespace resilient {

/// What kind of failure happened. The values are the exit codes of `sysexits.h`, so that a
/// program may end with the code of the error that stopped it.
enum class error_kind : int {
  usage = 64,       ///< the command line is wrong
  data = 65,        ///< the content of a file or message is wrong
  no_input = 66,    ///< a file or folder does not exist or is not readable
  unavailable = 69, ///< something that is needed is missing
  software = 70,    ///< a defect of ours
  system = 71,      ///< the operating system refused
  no_create = 73,   ///< a file cannot be created
  io = 74,          ///< reading or writing failed
  busy = 75,        ///< somebody else holds it; trying again later may help
  no_permission = 77,
  config = 78, ///< a settings value is wrong
};

/// A failure as a value. `message` is one or more full sentences for a person: what was wrong,
/// where (path, line, flag), and what to do.
struct error {
  error_kind kind = error_kind::software;
  std::string message;

  [[nodiscard]] bool operator==(const error&) const = default;
};

/// A value or the reason why there is none.
template <class T>
using result = tl::expected<T, error>;

/// Shorthand for returning a failure from a function with a `result`.
template <class... Args>
[[nodiscard]] tl::unexpected<error> fail(error_kind kind, fmt::format_string<Args...> format,
                                         Args&&... args) {
  return tl::unexpected<error>{error{kind, fmt::format(format, std::forward<Args>(args)...)}};
}

/// The failure of a system call: `what` ("cannot open"), the path, and the text of `error_number`.
[[nodiscard]] tl::unexpected<error> fail_errno(int error_number, const std::string& what,
                                               const std::string& path);

/// The stable name of a kind, as written to logs: "usage", "data", ...
[[nodiscard]] const char* to_string(error_kind kind) noexcept;

} // namespace resilient
