#pragma once

#include "core/support/error.hpp"

#include <functional>
#include <optional>
#include <string>

namespace resilient::launcher {

/// Reads one variable of the environment; nothing when it is not set.
using environment_reader = std::function<std::optional<std::string>(const std::string&)>;

/// The longest socket path that works everywhere (the system's limit is 104 or 108 bytes).
inline constexpr std::size_t longest_socket_path = 100;

/// Where the socket of a run is: in its folder, or, when that path is too long, under
/// `$XDG_RUNTIME_DIR`, else in `/tmp/pi-resilient-<uid>`, which must be ours alone. Folders that
/// are missing are made. The answer depends on nothing but its arguments, so `status` finds it.
[[nodiscard]] result<std::string> socket_place(const std::string& run_folder,
                                               const std::string& run_id,
                                               const environment_reader& environment);

} // namespace resilient::launcher
