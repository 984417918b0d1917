#pragma once

#include "core/support/error.hpp"
#include "core/support/files.hpp"
#include "launcher/bridge/server.hpp"
#include "launcher/command/environment.hpp"
#include "launcher/command/run_folder.hpp"

#include <string>

namespace resilient::launcher {

/// Makes what a run is found by again when somebody has removed it while the run lives: its folder,
/// the lock in it, and the socket. A Pi that is started without it could not connect. The error
/// says who has taken the place or why it cannot be made.
/// True when something was missing. On the loop's thread.
[[nodiscard]] result<bool> restore_run_place(run_folder& folder, const std::string& socket_path,
                                             bridge_server& bridge, files& disk,
                                             const environment_reader& environment);

} // namespace resilient::launcher
