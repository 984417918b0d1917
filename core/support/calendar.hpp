#pragma once

#include "core/support/time.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace resilient {

/// "2026-11-30T19:14:03.250Z".
[[nodiscard]] std::string to_iso(wall_time time);

/// "1 h 5 min", "12 s", "0 s": the two largest units, for people.
[[nodiscard]] std::string to_words(std::chrono::nanoseconds length);

} // namespace resilient
