#include "core/goal/clock_times.hpp"

#include "core/goal/explain.hpp"
#include "core/goal/plain_text.hpp"
#include "tests/core/goal/instants.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace resilient::goal {

namespace {

zone_mention zone(const std::string& name) {
  return zone_at("(" + name + ")", 0);
}

/// The instant of `text` as seen at `observed`, or "none".
std::string read(const std::string& text, const std::string& observed,
                 const zone_mention& assumed = {}) {
  const auto mention = calendar_at(text, lower_ascii(text), 0);
  if (!mention) {
    return "no time";
  }
  const auto when = resolve(*mention, test::at(observed), assumed);
  return when ? format_instant(*when) : "none";
}

} // namespace

TEST_CASE("clock times, dates and zones in every notation are read") {
  const std::string monday_noon = "2026-06-01T12:00:00Z";
  struct sample {
    const char* text;
    const char* expected;
  };
  for (const auto& row : std::vector<sample>{
           {"3pm (Europe/Berlin)", "2026-06-01T13:00:00Z"},
           {"3 p.m. (Europe/Berlin)", "2026-06-01T13:00:00Z"},
           {"3:05:07 PM UTC", "2026-06-01T15:05:07Z"},
           {"12am UTC", "2026-06-02T00:00:00Z"},
           {"12pm UTC", "2026-06-01T12:00:00Z"},
           {"12:30 am UTC", "2026-06-02T00:30:00Z"},
           {"12:30 pm UTC", "2026-06-01T12:30:00Z"},
           {"00:00 UTC", "2026-06-02T00:00:00Z"},
           {"24:00 UTC", "2026-06-02T00:00:00Z"},
           {"11am UTC", "2026-06-02T11:00:00Z"},
           {"15:00 Uhr (Europe/Berlin)", "2026-06-01T13:00:00Z"},
           {"midnight Pacific", "2026-06-02T07:00:00Z"},
           {"noon PST", "2026-06-01T20:00:00Z"},
           {"9:30 PM GMT+5:30", "2026-06-01T16:00:00Z"},
           {"21:30 UTC-8", "2026-06-02T05:30:00Z"},
           {"1pm (Etc/GMT+5)", "2026-06-01T18:00:00Z"},
           {"下午3点 (Asia/Shanghai)", "2026-06-02T07:00:00Z"},
           {"tomorrow at 8am PDT", "2026-06-02T15:00:00Z"},
           {"today at 8pm UTC", "2026-06-01T20:00:00Z"},
           {"Thursday at 9:00 AM UTC", "2026-06-04T09:00:00Z"},
           {"Monday 9am UTC", "2026-06-08T09:00:00Z"},
           {"Monday 1pm UTC", "2026-06-01T13:00:00Z"},
           {"Jun 5 at 7am (America/Chicago)", "2026-06-05T12:00:00Z"},
           {"Jun 5th, 2026 7:00 AM UTC", "2026-06-05T07:00:00Z"},
           {"June 5, 2026, 11:15 UTC", "2026-06-05T11:15:00Z"},
           {"5 June 2026 at 11:15 UTC", "2026-06-05T11:15:00Z"},
           {"Fri, 05 Jun 2026 07:28:00 GMT", "2026-06-05T07:28:00Z"},
           {"3. Juni um 9:15 Uhr (Europe/Berlin)", "2026-06-03T07:15:00Z"},
           {"3 juin à 9h15 (Europe/Paris)", "2026-06-03T07:15:00Z"},
           {"2026-06-05T11:15:00Z", "2026-06-05T11:15:00Z"},
           {"2026-06-05T11:15:00.250Z", "2026-06-05T11:15:00.250Z"},
           {"2026-06-05T11:15:00+02:00", "2026-06-05T09:15:00Z"},
           {"2026-06-05 11:15:00 -0700", "2026-06-05T18:15:00Z"},
           {"2026/06/05 11:15 UTC", "2026-06-05T11:15:00Z"},
           {"2026年6月5日 11:15 UTC+8", "2026-06-05T03:15:00Z"},
           {"6/5/2026, 11:15 AM UTC", "2026-06-05T11:15:00Z"},
           {"25/6/2026 11:15 UTC", "2026-06-25T11:15:00Z"},
           {"3:00 AM UTC on June 5", "2026-06-05T03:00:00Z"},
           {"7pm tomorrow (Europe/London)", "2026-06-02T18:00:00Z"},
           // What is no instant.
           {"6/5/2026, 11:15 UTC", "none"},
           {"3pm", "none"},
           {"3pm (Etc/Unknown)", "none"},
           {"3pm (Europe/Barcelona)", "none"},
           {"3pm CST", "none"},
           {"3pm IST", "none"},
           {"2026-02-30 10:00 UTC", "none"},
           {"2026-05-31 10:00 UTC", "none"},
           {"11:50 UTC", "none"},
           {"June 5, 2026", "no time"},
           {"13", "no time"},
           {"25:00", "no time"},
           {"12:60", "no time"},
           {"5-hour", "no time"},
       }) {
    CAPTURE(row.text);
    CHECK(read(row.text, monday_noon) == row.expected);
  }
}

TEST_CASE("a time without a zone is read in the assumed one") {
  CHECK(read("3pm", "2026-06-01T12:00:00Z", zone("Asia/Tokyo")) == "2026-06-02T06:00:00Z");
  CHECK(read("2026-08-25 07:41:44", "2026-08-24T20:00:00Z", zone("Asia/Shanghai"))
        == "2026-08-24T23:41:44Z");
  CHECK(read("3pm your local time", "2026-06-01T12:00:00Z", zone("Asia/Tokyo"))
        == "2026-06-02T06:00:00Z");
}

TEST_CASE("the next occurrence is after the observation, also across midnight and the year") {
  CHECK(read("2:30am (America/New_York)", "2026-07-25T03:00:00Z") == "2026-07-25T06:30:00Z");
  CHECK(read("Jan 2, 9am UTC", "2025-12-30T10:00:00Z") == "2026-01-02T09:00:00Z");
  // Half a minute ago is now, some minutes ago is nothing, not the next day.
  CHECK(read("3pm UTC", "2026-06-01T15:00:30Z") == "2026-06-01T15:00:00Z");
  CHECK(read("3pm UTC", "2026-06-01T15:05:00Z") == "none");
  CHECK(read("3pm UTC", "2026-06-01T15:20:00Z") == "2026-06-02T15:00:00Z");
  CHECK(read("Mar 15 at 12pm UTC", "2026-03-16T19:00:00Z") == "none");
}

TEST_CASE("a clock that is set forward or back is followed") {
  // Skipped in New York on 8 March 2026: 02:30 is read with the distance from UTC before.
  CHECK(read("2:30am (America/New_York)", "2026-03-08T01:00:00Z") == "2026-03-08T07:30:00Z");
  CHECK(read("3:30 AM (Europe/Berlin)", "2026-03-28T20:00:00Z") == "2026-03-29T01:30:00Z");
  // Shown twice on 1 November 2026: the first that lies ahead.
  CHECK(read("1:30am (America/New_York)", "2026-11-01T03:00:00Z") == "2026-11-01T05:30:00Z");
  CHECK(read("1:30am (America/New_York)", "2026-11-01T05:50:00Z") == "2026-11-01T06:30:00Z");
  CHECK(read("Nov 1, 1:30am (America/New_York)", "2026-11-01T05:50:00Z") == "2026-11-01T06:30:00Z");
  // A day of 23 hours and one of 25.
  CHECK(read("11pm (Europe/Berlin)", "2026-03-28T23:30:00Z") == "2026-03-29T21:00:00Z");
  CHECK(read("11pm (Europe/Berlin)", "2026-10-24T22:30:00Z") == "2026-10-25T22:00:00Z");
}

TEST_CASE("zones are known by old names, and words that are none are refused") {
  for (const std::string name :
       {"Asia/Calcutta", "Europe/Kiev", "US/Pacific", "Etc/GMT+5", "UTC"}) {
    CAPTURE(name);
    CHECK((zone(name).what == zone_mention::kind::named
           || zone(name).what == zone_mention::kind::offset));
  }
  CHECK(!zone_exists("../../etc/passwd"));
  CHECK(!zone_exists("/etc/localtime"));
  CHECK(!zone_exists(""));
  CHECK(zone("request id").what == zone_mention::kind::none);
  CHECK(zone("2056").what == zone_mention::kind::none);
}

TEST_CASE("epochs are told apart by their size") {
  const auto now = test::at("2026-06-01T12:00:00Z");
  for (const double epoch : {1780322400.0, 1780322400000.0, 1780322400000000.0}) {
    const auto when = epoch_value(epoch, now);
    REQUIRE(when);
    CHECK(format_instant(*when) == "2026-06-01T14:00:00Z");
  }
  CHECK(!epoch_value(42, now));
  CHECK(!epoch_value(4102444800.0, now));
}

} // namespace resilient::goal
