#include "core/support/calendar.hpp"

#include <date/date.h>
#include <fmt/format.h>

namespace resilient {

std::string to_iso(wall_time time) {
  const auto day = date::floor<date::days>(time);
  const date::year_month_day calendar{day};
  const date::hh_mm_ss clock{time - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
                     static_cast<int>(calendar.year()), static_cast<unsigned>(calendar.month()),
                     static_cast<unsigned>(calendar.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

std::string to_words(std::chrono::nanoseconds length) {
  using namespace std::chrono;
  const auto total = std::max<std::int64_t>(0, duration_cast<seconds>(length).count());
  const auto days = total / 86400;
  const auto hours = total / 3600 % 24;
  const auto minutes = total / 60 % 60;
  const auto rest = total % 60;
  if (days > 0) {
    return hours > 0 ? fmt::format("{} d {} h", days, hours) : fmt::format("{} d", days);
  }
  if (hours > 0) {
    return minutes > 0 ? fmt::format("{} h {} min", hours, minutes) : fmt::format("{} h", hours);
  }
  if (minutes > 0) {
    return rest > 0 ? fmt::format("{} min {} s", minutes, rest) : fmt::format("{} min", minutes);
  }
  return fmt::format("{} s", rest);
}

} // namespace resilient
