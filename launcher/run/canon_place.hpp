#pragma once

#include "actors/canon_surfacing.hpp"
#include "launcher/command/environment.hpp"

namespace resilient::launcher {

/// Where canon keeps the user's settings and what it can find anew, by the XDG variables.
[[nodiscard]] canon_files canon_files_in(const environment_reader& environment);

} // namespace resilient::launcher
