#include "core/goal/durations.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace resilient::goal {

TEST_CASE("lengths in every notation are read") {
  struct sample {
    const char* text;
    double seconds;       ///< negative: no length
    std::size_t rest = 0; ///< characters that are left over
  };
  for (const auto& row : std::vector<sample>{
           {"40s", 40},
           {"40.025771073s", 40.026},
           {"0.5 seconds", 0.5},
           {"220ms", 0.22},
           {"3h 47m", 13620},
           {"161h39m41.300432511s", 581981.3},
           {"5 days 22 hours 11 minutes", 511860},
           {"1 hour, 5 minutes and 30 seconds", 3930},
           {"587 hours 33 minutes", 2115180},
           {"~", -1},
           {"231 min.", 13860, 1},
           {"2 min. 5 sec", 125},
           {"1,5 stunden", 5400},
           {"1,500 ms", 1.5},
           {"2 jours et 3 heures", 183600},
           {"5 minuten", 300},
           {"30 秒", 30},
           {"2小时30分钟", 9000},
           {"pt1h30m", 5400},
           {"p1dt2h", 93600},
           {"2 weeks", 1209600},
           {"5 minutes 3 hours", 300, 8},
           {"5-hour", -1},
           {"5 horses", -1},
           {"12", -1},
           {"pt", -1},
           {"post", -1},
           {"99999999999999999999 hours", -1},
           {"100000 days", -1},
       }) {
    CAPTURE(row.text);
    const auto found = duration_at(row.text, 0);
    REQUIRE((found.has_value() == (row.seconds >= 0)));
    if (found) {
      CHECK(static_cast<double>(found->length.count()) / 1000.0 == doctest::Approx(row.seconds));
      CHECK(std::string_view{row.text}.size() - found->end == row.rest);
    }
  }
}

TEST_CASE("a header's value is a length or a bare number of seconds") {
  CHECK(length_value("2m59.56s") == std::chrono::milliseconds{179'560});
  CHECK(length_value(" 30 ") == std::chrono::seconds{30});
  CHECK(length_value("1.5") == std::chrono::milliseconds{1'500});
  CHECK(length_value("01:02:03") == std::chrono::seconds{3'723});
  CHECK(length_value("2.03:14:22") == std::chrono::seconds{184'462});
  CHECK(length_value("00:00:45.1250000") == std::chrono::milliseconds{45'125});
  CHECK(!length_value("2.3:14:22"));
  CHECK(!length_value("soon"));
  CHECK(!length_value("-5"));
  CHECK(!length_value("30 apples"));
  CHECK(!length_value(""));
}

} // namespace resilient::goal
