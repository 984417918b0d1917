#include "core/heartbeat/liveness.hpp"

#include <doctest/doctest.h>

using namespace resilient;
using namespace resilient::heartbeat;

namespace {

constexpr monotonic_time origin{1000h};

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
    CHECK(child.check(origin + row.age) == row.found);
  }
}

TEST_CASE("both limits are options") {
  liveness child{{.startup = 180s, .stale = 60s}};
  child.started(origin, true);
  CHECK(child.check(origin + 179s) == finding::nothing);
  child.beat(origin + 179s);
  CHECK(child.check(origin + 238s) == finding::nothing);
  CHECK(child.check(origin + 240s) == finding::stale);
}

TEST_CASE("ten minutes of beats without any other sign of life are no evidence") {
  liveness child{{}};
  child.started(origin, true);
  for (auto at = origin; at < origin + 10min; at += beat_interval) {
    child.beat(at);
    CHECK(child.check(at + 1s) == finding::nothing);
  }
  CHECK(child.state() == health::alive);
}

TEST_CASE("a frozen child is reported once and its late beats change nothing") {
  liveness child{{}};
  child.started(origin, true);
  child.beat(origin);
  CHECK(child.check(origin + 30s) == finding::stale);
  CHECK(child.check(origin + 31s) == finding::nothing);
  child.beat(origin + 32s);
  CHECK(child.state() == health::frozen);
  CHECK_FALSE(child.next_check().has_value());
}

TEST_CASE("a check that comes late proves nothing and grants one fresh limit") {
  liveness child{{}};
  child.started(origin, true);
  child.beat(origin);
  // The launcher was stopped for an hour.
  CHECK(child.check(origin + 1h) == finding::nothing);
  CHECK(child.next_check() == origin + 1h + 30s);
  CHECK(child.check(origin + 1h + 29s) == finding::nothing);
  CHECK(child.check(origin + 1h + 31s) == finding::stale);
}

TEST_CASE("a child that must ask its user first has no startup limit until its first beat") {
  liveness child{{}};
  child.started(origin, false);
  CHECK_FALSE(child.next_check().has_value());
  CHECK(child.check(origin + 24h) == finding::nothing);
  child.beat(origin + 24h);
  CHECK(child.check(origin + 24h + 31s) == finding::stale);
}

TEST_CASE("a child that was stopped together with us gets a fresh limit") {
  liveness child{{}};
  child.started(origin, true);
  child.beat(origin);
  child.resumed(origin + 29s);
  CHECK(child.check(origin + 58s) == finding::nothing);
  CHECK(child.check(origin + 60s) == finding::stale);
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
