#pragma once

#include "core/support/error.hpp"

#include <chrono>
#include <string>

namespace resilient::launcher {

/// Sends one request to the socket of a run and waits for its one answer line. `no_input` when no
/// run listens there.
[[nodiscard]] result<std::string> ask_run(const std::string& socket, const std::string& request,
                                          std::chrono::milliseconds patience);

/// Whether a run listens there.
[[nodiscard]] bool is_listening(const std::string& socket);

} // namespace resilient::launcher
