#include "core/goal/schedule.hpp"

#include "tests/core/goal/goal_host.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

// How long is waited after what, and by whose clock.

using namespace resilient;
using namespace resilient::goal;
using namespace resilient::goal::test;

namespace {

planned_wait plan(error_class kind, int failures, jitter& random,
                  std::optional<std::chrono::milliseconds> retry_after = {}) {
  record goal;
  goal.failures = failures;
  goal.overflows = kind == error_class::overflow ? failures : 0;
  verdict judged;
  judged.kind = kind;
  judged.retry_after = retry_after;
  return plan_after_failure(goal, judged, "session-1", {}, random, origin.wall);
}

planned_wait plan_reset(std::chrono::milliseconds ahead, const std::string& session,
                        action what = action::wait) {
  record goal;
  goal.failures = 1;
  verdict judged;
  judged.kind = error_class::usage_exhausted;
  judged.reset_at = origin.wall + ahead;
  judged.what = what;
  jitter random{1};
  return plan_after_failure(goal, judged, session, {}, random, origin.wall);
}

/// The shortest and the longest of many plans.
std::pair<std::chrono::milliseconds, std::chrono::milliseconds> range(error_class kind,
                                                                      int failures) {
  jitter random{7};
  std::chrono::milliseconds least = 1000h;
  std::chrono::milliseconds most{};
  for (int round = 0; round < 2000; ++round) {
    const auto length = plan(kind, failures, random).length;
    least = std::min(least, length);
    most = std::max(most, length);
  }
  return {least, most};
}

} // namespace

TEST_CASE(
    "backoff is a random part of a bound that doubles, and unknown errors are probed slower") {
  struct row {
    error_class kind;
    int failures;
    std::chrono::milliseconds bound;
  };
  const row rows[] = {
      {error_class::transient, 1, 2s},   {error_class::transient, 2, 4s},
      {error_class::transient, 5, 32s},  {error_class::transient, 8, 256s},
      {error_class::transient, 9, 5min}, {error_class::transient, 1000000, 5min},
      {error_class::rate_limit, 1, 2s},  {error_class::rate_limit, 9, 5min},
      {error_class::unknown, 1, 30s},    {error_class::unknown, 2, 1min},
      {error_class::unknown, 6, 15min},  {error_class::unknown, 100, 15min},
  };
  for (const row& row : rows) {
    CAPTURE(to_string(row.kind));
    CAPTURE(row.failures);
    const auto [least, most] = range(row.kind, row.failures);
    CHECK(least < row.bound / 20);
    CHECK(most > row.bound * 19 / 20);
    CHECK(most <= row.bound);
  }
}

TEST_CASE("what the provider asks for is a floor, of a throttle as of an overload") {
  for (const error_class kind : {error_class::transient, error_class::rate_limit}) {
    jitter random{3};
    bool longer = false;
    for (int round = 0; round < 200; ++round) {
      CHECK(plan(kind, 1, random, 90s).length == 90s);
      const auto late = plan(kind, 9, random, 90s).length;
      CHECK(late >= 90s);
      longer = longer || late > 90s;
    }
    CHECK(longer);
  }
}

TEST_CASE("refused credentials are probed every 30 minutes, a plan without a reset every 15") {
  jitter random{3};
  for (const int failures : {1, 2, 50}) {
    const planned_wait credentials = plan(error_class::auth, failures, random);
    CHECK(credentials.kind == waiting::kind::probe);
    CHECK(credentials.length == 30min);
    CHECK(credentials.advice.find("Log in again") != std::string::npos);
    const planned_wait used_up = plan(error_class::usage_exhausted, failures, random);
    CHECK(used_up.kind == waiting::kind::probe);
    CHECK(used_up.length == 15min);
    CHECK_FALSE(used_up.reset_at.has_value());
  }
}

TEST_CASE("what only a person can mend pauses, an overflow the second time") {
  jitter random{3};
  CHECK(plan(error_class::config, 1, random).pause_reason == "config");
  CHECK(plan(error_class::abort, 1, random).pause_reason == "abort");
  CHECK(plan(error_class::overflow, 1, random).pause_reason.empty());
  CHECK(plan(error_class::overflow, 2, random).pause_reason == "overflow");
}

TEST_CASE("the sessions of an account wake 15 to 45 s after the reset, each at its own place") {
  std::set<wall_time> places;
  for (int number = 0; number < 200; ++number) {
    const std::string session = "01a22fbc-817a-7601-9226-" + std::to_string(number);
    const planned_wait waited = plan_reset(3h, session);
    REQUIRE(waited.reset_at.has_value());
    CHECK(*waited.reset_at >= origin.wall + 3h + 15s);
    CHECK(*waited.reset_at <= origin.wall + 3h + 45s);
    CHECK(plan_reset(3h, session).reset_at == waited.reset_at);
    places.insert(*waited.reset_at);
  }
  CHECK(places.size() > 150);
  CHECK(*places.rbegin() - *places.begin() > 25s);
}

TEST_CASE("a reset farther away than is trusted is probed, and said") {
  const planned_wait far = plan_reset(9 * 24h, "session-1", action::probe);
  CHECK(far.kind == waiting::kind::probe);
  CHECK(far.length == 15min);
  CHECK(far.advice.find("more than 8 days") != std::string::npos);

  active_host pi;
  const auto reset =
      std::chrono::duration_cast<std::chrono::seconds>((origin.wall + 9 * 24h).time_since_epoch());
  pi.fail_with("429: {\"type\":\"usage_limit_reached\",\"resets_at\":"
               + std::to_string(reset.count()) + "}");
  CHECK(pi.notices.find("more than 8 days") != std::string::npos);
  pi.pass(15min + 1s);
  CHECK(pi.sent() == 2);
}

TEST_CASE("a provider's instant follows the wall clock, our own length does not") {
  active_host pi;
  const auto reset =
      std::chrono::duration_cast<std::chrono::seconds>((origin.wall + 3h).time_since_epoch());
  pi.fail_with("429: {\"type\":\"usage_limit_reached\",\"resets_at\":"
               + std::to_string(reset.count()) + "}");
  SUBCASE("set forward over it: it goes on") {
    pi.now.wall += 4h;
    pi.pass(1s);
    CHECK(pi.sent() == 2);
  }
  SUBCASE("set back by an hour: an hour more") {
    pi.now.wall -= 1h;
    pi.pass(4h);
    CHECK(pi.sent() == 1);
    pi.pass(1min);
    CHECK(pi.sent() == 2);
  }
}
