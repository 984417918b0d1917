#pragma once

#include "core/goal/time_zones.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

namespace resilient::goal {

/// A point in time as a text gives it, with whatever the text left out.
struct calendar_mention {
  std::optional<int> year;
  std::optional<unsigned> month;
  std::optional<unsigned> day;
  std::optional<unsigned> weekday; ///< 0 is Sunday
  std::optional<int> days_ahead;   ///< 0 is "today", 1 is "tomorrow"
  std::chrono::milliseconds time_of_day{0};
  zone_mention zone;
  std::size_t end = 0; ///< the position after it
};

/// The point in time that begins exactly at `at`. A date without a time of day is none.
/// `text` keeps its case, `lower` is the same in lower case.
[[nodiscard]] std::optional<calendar_mention> calendar_at(std::string_view text,
                                                          std::string_view lower, std::size_t at);

/// The instant of a mention: the next time that such a clock shows it after `observed`. What has
/// just passed (a minute) is still that instant. Nothing if the zone is missing or unknown, or if
/// the instant has passed. `assumed` is the zone of times that name none.
[[nodiscard]] std::optional<wall_time> resolve(const calendar_mention& mention, wall_time observed,
                                               const zone_mention& assumed);

/// A whole text that is an instant: ISO 8601 with a zone, or the form of HTTP headers.
[[nodiscard]] std::optional<wall_time> instant_value(std::string_view text, wall_time observed);

/// A number as an instant: seconds, milliseconds or microseconds since 1970, told apart by size.
/// Nothing if it is not within a few hundred days of `observed`.
[[nodiscard]] std::optional<wall_time> epoch_value(double number, wall_time observed);

/// How far an instant may lie in the past and still be meant as "now".
inline constexpr std::chrono::seconds just_passed{60};

} // namespace resilient::goal
