#pragma once

#include "core/support/time.hpp"

#include <string>

namespace resilient::goal {

/// "2026-11-30 19:45 CET": on the clock of `zone` (an IANA name), in UTC when the zone is empty or
/// not in the time zone database.
[[nodiscard]] std::string time_for_people(wall_time time, const std::string& zone);

} // namespace resilient::goal
