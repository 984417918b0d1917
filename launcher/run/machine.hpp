#pragma once

#include "core/process/lease.hpp"

namespace resilient::launcher {

/// This machine and this process, as the lease's record names them.
[[nodiscard]] process::lease_surroundings this_machine();
[[nodiscard]] process::process_identity this_process();

} // namespace resilient::launcher
