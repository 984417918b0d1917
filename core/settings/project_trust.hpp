#pragma once

#include "core/support/files.hpp"

#include <optional>
#include <string>

namespace resilient::settings {

/// Whether Pi trusts a project: what `trust.json` in its agent folder says of the nearest folder
/// above, else what `defaultProjectTrust` in the user's settings says. Nothing when Pi asks its
/// user, and trusts no project where nobody can be asked. `project` is absolute with links
/// resolved.
[[nodiscard]] std::optional<bool> project_trust(const files& disk, const std::string& project,
                                                const std::string& agent_folder);

} // namespace resilient::settings
