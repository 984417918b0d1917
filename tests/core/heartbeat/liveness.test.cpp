#include "core/heartbeat/liveness.hpp"

#include <doctest/doctest.h>

using namespace resilient;
using namespace resilient::heartbeat;

namespace {

constexpr monotonic_time origin{1000h};

/// A check that runs when it was meant to.
finding check(liveness& child, monotonic_time now) {
  return child.check(now, now);
}

} // namespace

TEST_CASE("the limits hold to the second") {
  struct row {
    const char* what;
    bool first_beat;
    std::chrono::seconds age;
    finding found;
  };
  const row rows[] = {
      {"no first beat, 119 s", false, 119s, finding::nothing},
      {"no first beat, 121 s", false, 121s, finding::no_first_beat},
      {"last beat 29 s ago", true, 29s, finding::nothing},
      {"last beat 31 s ago", true, 31s, finding::stale},
  };
  for (const row& row : rows) {
    CAPTURE(row.what);
    liveness child{{}};
    child.started(origin, true);
    if (row.first_beat) {
      child.beat(origin);
    }
    CHECK(check(child, origin + row.age) == row.found);
  }
}

TEST_CASE("both limits are options") {
  liveness child{{.startup = 180s, .stale = 60s}};
  child.started(origin, true);
  CHECK(check(child, origin + 179s) == finding::nothing);
  child.beat(origin + 179s);
  CHECK(check(child, origin + 238s) == finding::nothing);
  CHECK(check(child, origin + 240s) == finding::stale);
}

TEST_CASE("ten minutes of beats without any other sign of life are no evidence") {
  liveness child{{}};
  child.started(origin, true);
  for (auto at = origin; at < origin + 10min; at += beat_interval) {
    child.beat(at);
    CHECK(check(child, at + 1s) == finding::nothing);
  }
  CHECK(child.state() == health::alive);
}

TEST_CASE("a frozen child is reported once and its late beats change nothing") {
  liveness child{{}};
  child.started(origin, true);
  child.beat(origin);
  CHECK(check(child, origin + 30s) == finding::stale);
  CHECK(check(child, origin + 31s) == finding::nothing);
  child.beat(origin + 32s);
  CHECK(child.state() == health::frozen);
  CHECK_FALSE(child.next_check().has_value());
}

TEST_CASE("a check that comes late proves nothing and grants one fresh limit") {
  struct row {
    const char* what;
    std::chrono::nanoseconds planned;
    std::chrono::nanoseconds ran;
  };
  const row rows[] = {{"stopped for an hour", 30s, 1h},
                      {"the stall ended just after the last beat went stale", 20s, 30s + 1s}};
  for (const row& row : rows) {
    CAPTURE(row.what);
    liveness child{{}};
    child.started(origin, true);
    child.beat(origin);
    CHECK(child.check(origin + row.ran, origin + row.planned) == finding::nothing);
    CHECK(child.next_check() == origin + row.ran + 30s);
    CHECK(check(child, origin + row.ran + 29s) == finding::nothing);
    CHECK(check(child, origin + row.ran + 31s) == finding::stale);
  }
}

TEST_CASE("a child that must ask its user first has no startup limit until its first beat") {
  liveness child{{}};
  child.started(origin, false);
  CHECK_FALSE(child.next_check().has_value());
  CHECK(check(child, origin + 24h) == finding::nothing);
  child.beat(origin + 24h);
  CHECK(check(child, origin + 24h + 31s) == finding::stale);
}

TEST_CASE("a child that was stopped together with us gets a fresh limit") {
  liveness child{{}};
  child.started(origin, true);
  child.beat(origin);
  child.resumed(origin + 29s);
  CHECK(check(child, origin + 58s) == finding::nothing);
  CHECK(check(child, origin + 60s) == finding::stale);
}

TEST_CASE("beats before a start and after an end belong to nobody") {
  liveness child{{}};
  child.beat(origin);
  CHECK(child.state() == health::none);
  child.started(origin, true);
  child.ended();
  child.beat(origin + 1s);
  CHECK(child.state() == health::none);
  CHECK_FALSE(child.next_check().has_value());
}
