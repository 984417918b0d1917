#include "core/goal/times_for_people.hpp"

#include "core/support/calendar.hpp"

#include <date/tz.h>

#include <exception>

namespace resilient::goal {

std::string time_for_people(wall_time time, const std::string& zone) {
  if (!zone.empty()) {
    // The library reports a zone that does not exist by an exception only.
    try {
      return date::format("%F %H:%M %Z",
                          date::make_zoned(zone, date::floor<std::chrono::seconds>(time)));
    } catch (const std::exception&) {
      // Said in UTC below.
    }
  }
  const std::string iso = to_iso(time);
  return iso.substr(0, 10) + " " + iso.substr(11, 5) + " UTC";
}

} // namespace resilient::goal
