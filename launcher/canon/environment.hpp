#pragma once

#include <string>

namespace resilient::canon {

/// The value of an environment variable; empty when it is not set.
[[nodiscard]] std::string environment(const char* name);

/// The value of `CANON_<name>`, else of `PI_CANON_<name>`; empty when neither is set.
[[nodiscard]] std::string own_environment(const std::string& name);

} // namespace resilient::canon
