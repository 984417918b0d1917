#pragma once

#include "core/support/error.hpp"
#include "launcher/command/environment.hpp"

#include <string>

namespace resilient::launcher {

/// The extension to inject into Pi: `PI_RESILIENT_EXTENSION`, or the one that was installed with
/// this program (`../share/pi-resilient/extension`), or the one of the source tree that it was
/// built in.
[[nodiscard]] result<std::string> locate_extension(const environment_reader& environment,
                                                   const std::string& own_program,
                                                   const std::string& working_folder);

} // namespace resilient::launcher
