#pragma once

#include "core/support/descriptor.hpp"
#include "core/support/error.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

/// Processes that we start for ourselves, beside Pi.
namespace resilient::launcher {

struct pipe_pair {
  descriptor reading;
  descriptor writing;
};

/// Neither end is inherited.
[[nodiscard]] result<pipe_pair> make_pipe();

/// The same file, for an owner of its own.
[[nodiscard]] int another(const descriptor& file);

struct helper_request {
  std::vector<std::string> words; ///< program, looked for on PATH, and its arguments
  std::string folder;             ///< working directory; empty: ours
  int input = -1;                 ///< its stdin
  int output = -1;                ///< its stdout, and stderr too without `errors`
  int errors = -1;                ///< its stderr
};

/// Starts one in a session of its own: no terminal, no Ctrl+C of ours, one process group that can
/// be killed as a whole. It has no signal blocked and sees our environment without what proves us
/// to Pi. The error is `ENOENT` and such.
[[nodiscard]] tl::expected<pid_t, int> start_helper(const helper_request& request);

/// Signals its whole process group. Only until it is reaped: then the number may be another's, so
/// whoever reaps it sets the pid to 0, and then nothing is signalled.
void signal_group(pid_t leader, int number);

} // namespace resilient::launcher
