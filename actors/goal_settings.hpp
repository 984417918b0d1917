#pragma once

#include "core/goal/guards.hpp"
#include "messages/settings.hpp"

#include <string>
#include <vector>

namespace resilient {

/// What the user's settings say about goals, and a sentence for each key that was not used.
struct settings_guards {
  goal::guards limits;
  std::vector<std::string> problems;
};

/// Limits and commands come from the user's own file; a project's have no say.
[[nodiscard]] settings_guards guards_in(const message::settings_values& values);

} // namespace resilient
