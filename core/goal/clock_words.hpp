#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

namespace resilient::goal {

/// A word of the calendar, as a number, with the position after it.
template <class Value>
struct calendar_word {
  Value value{};
  std::size_t end = 0;
};

/// The name of a month at `at` (English, French, German, Spanish; also abbreviated), 1 to 12.
[[nodiscard]] std::optional<calendar_word<unsigned>> month_at(std::string_view lower,
                                                              std::size_t at);
/// The name of a day of the week at `at`; 0 is Sunday.
[[nodiscard]] std::optional<calendar_word<unsigned>> weekday_at(std::string_view lower,
                                                                std::size_t at);
/// "today", "tomorrow", "morgen", "明天" at `at`, as days ahead.
[[nodiscard]] std::optional<calendar_word<int>> relative_day_at(std::string_view lower,
                                                                std::size_t at);

/// A time of day.
struct clock_mention {
  std::chrono::milliseconds time_of_day{0}; ///< 24:00 is the end of the day
  bool twelve_hours = false;                ///< it was written with am or pm
  std::size_t end = 0;
};

/// The time of day at `at`: `1pm`, `1:30 a.m.`, `15:00:30`, `15 Uhr`, `15h30`, `下午3点`, `noon`,
/// `midnight`. A bare hour is none.
///
/// \param after_date the text before is a date, so that `15h30` cannot be a length.
[[nodiscard]] std::optional<clock_mention> clock_at(std::string_view lower, std::size_t at,
                                                    bool after_date);

/// Skips the full stop of an abbreviation.
[[nodiscard]] constexpr std::size_t skip_full_stop(std::string_view lower, std::size_t at) {
  return at < lower.size() && lower[at] == '.' ? at + 1 : at;
}

} // namespace resilient::goal
