#pragma once

#include "core/process/exit_status.hpp"

#include <sys/types.h>

#include <variant>
#include <vector>

namespace resilient::launcher {

/// A child ended.
struct reaped_end {
  pid_t pid = 0;
  process::exit_status status;
};

/// A child was stopped, or goes on.
struct reaped_pause {
  pid_t pid = 0;
  bool stopped = false;
};

using reaped = std::variant<reaped_end, reaped_pause>;

/// Takes every report that the system holds about children, ours and adopted ones. The only place
/// that waits for children, called after SIGCHLD: one signal may stand for many ends.
[[nodiscard]] std::vector<reaped> reap_children();

} // namespace resilient::launcher
