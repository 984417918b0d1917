#pragma once

#include "core/support/error.hpp"
#include "launcher/command/environment.hpp"

#include <string>

namespace resilient::launcher {

/// The longest socket path that works everywhere (the system's limit is 104 or 108 bytes).
inline constexpr std::size_t longest_socket_path = 100;

/// Where the socket of a run is: in its folder, or, when that path is too long, under
/// `$XDG_RUNTIME_DIR`, else in `/tmp/pi-resilient-<uid>`, which must be ours alone. Folders that
/// are missing are made. The answer depends on nothing but its arguments, so `status` finds it.
[[nodiscard]] result<std::string> socket_place(const std::string& run_folder,
                                               const std::string& run_id,
                                               const environment_reader& environment);

} // namespace resilient::launcher
