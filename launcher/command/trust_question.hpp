#pragma once

#include "core/support/files.hpp"

#include <string>

namespace resilient::launcher {

/// Whether Pi, started on a terminal without `--approve` or `--no-approve`, will ask its user
/// whether to trust the project before any extension runs. `project` is absolute with links
/// resolved.
[[nodiscard]] bool asks_for_trust(files& disk, const std::string& project,
                                  const std::string& agent_folder);

} // namespace resilient::launcher
