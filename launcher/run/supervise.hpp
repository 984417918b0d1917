#pragma once

#include "launcher/command/options.hpp"

namespace resilient::launcher {

/// Runs Pi and keeps it running. Returns the exit code of the program.
[[nodiscard]] int supervise(const options& chosen);

/// Serves an extension over stdin and stdout until it closes them.
[[nodiscard]] int serve_sidecar();

} // namespace resilient::launcher
