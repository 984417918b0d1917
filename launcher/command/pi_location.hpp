#pragma once

#include "core/process/pi_version.hpp"
#include "core/support/error.hpp"
#include "launcher/command/environment.hpp"

#include <optional>
#include <string>

namespace resilient::launcher {

/// The Pi to start.
struct pi_location {
  std::string program; ///< absolute, links not resolved: a version manager's shim stays a shim
  /// From the package.json beside the file that the path leads to. Nothing when there is none; then
  /// the version is judged when the extension says hello. Pi is never started to ask.
  std::optional<process::pi_version> version;
};

/// Set in the environment of a Pi that runs unsupervised, so that a `pi` that starts pi-resilient
/// again is noticed.
inline constexpr const char* loop_guard_variable = "PI_RESILIENT_LOOP_GUARD";

/// Finds the Pi to start: `PI_REAL_BIN`, taken literally, or the first `pi` on PATH that is not
/// `own_program`. A shell script that starts pi-resilient again is refused, and so is a version
/// that is too old.
[[nodiscard]] result<pi_location> locate_pi(const environment_reader& environment,
                                            const std::string& own_program,
                                            const std::string& working_folder);

/// Fails when this process was started, through some wrapper, by a pi-resilient that meant to start
/// Pi. The secret of a child is gone from the environment as soon as a real Pi runs.
[[nodiscard]] result<void> check_for_loop(const environment_reader& environment);

/// The version of the package that a file belongs to.
[[nodiscard]] std::optional<process::pi_version> version_beside(const std::string& program);

} // namespace resilient::launcher
