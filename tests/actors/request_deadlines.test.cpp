#include "actors/request_deadlines.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace resilient;
using namespace std::chrono_literals;

namespace {

constexpr monotonic_time start{1h};

struct scene {
  request_deadlines requests;
  std::string overdue;

  std::uint64_t begin(monotonic_time now, const std::string& name,
                      std::chrono::nanoseconds patience = 60s) {
    return requests.begin(now, patience, [this, name] { overdue += name; });
  }
};

} // namespace

TEST_CASE("one timer runs however many requests are open") {
  scene here;
  CHECK_FALSE(here.requests.wait(start));
  static_cast<void>(here.begin(start, "a"));
  CHECK(here.requests.wait(start) == 60s);
  static_cast<void>(here.begin(start + 10s, "b"));
  CHECK_FALSE(here.requests.wait(start + 10s));
  here.requests.ring(start + 60s);
  CHECK(here.overdue == "a");
  CHECK(here.requests.wait(start + 60s) == 10s);
  here.requests.ring(start + 70s);
  CHECK(here.overdue == "ab");
  CHECK_FALSE(here.requests.wait(start + 70s));
}

TEST_CASE("a request with less patience gets an earlier timer") {
  scene here;
  static_cast<void>(here.begin(start, "a"));
  CHECK(here.requests.wait(start) == 60s);
  static_cast<void>(here.begin(start + 1s, "b", 5s));
  CHECK(here.requests.wait(start + 1s) == 5s);
  here.requests.ring(start + 6s);
  CHECK(here.overdue == "b");
  CHECK(here.requests.wait(start + 6s) == 54s);
}

TEST_CASE("a timer that rings too early changes nothing") {
  scene here;
  const auto first = here.begin(start, "a", 5s);
  CHECK(here.requests.wait(start) == 5s);
  CHECK(here.requests.end(first));
  static_cast<void>(here.begin(start + 1s, "b", 60s));
  CHECK_FALSE(here.requests.wait(start + 1s));
  here.requests.ring(start + 5s);
  CHECK(here.overdue.empty());
  CHECK(here.requests.wait(start + 5s) == 56s);
  here.requests.ring(start + 20s);
  CHECK_FALSE(here.requests.wait(start + 20s));
}

TEST_CASE("an answered request is never overdue, an overdue one never answered") {
  scene here;
  const auto first = here.begin(start, "a");
  const auto second = here.begin(start + 1s, "b");
  CHECK(here.requests.end(first));
  CHECK_FALSE(here.requests.end(first));
  here.requests.ring(start + 60s);
  CHECK(here.overdue.empty());
  here.requests.ring(start + 61s);
  CHECK(here.overdue == "b");
  CHECK_FALSE(here.requests.end(second));
}

TEST_CASE("what is given up may ask anew") {
  scene here;
  static_cast<void>(here.requests.begin(
      start, 5s, [&here] { static_cast<void>(here.begin(start + 5s, "again", 0s)); }));
  here.requests.ring(start + 5s);
  CHECK(here.overdue.empty());
  CHECK(here.requests.wait(start + 5s) == 0s);
  here.requests.ring(start + 5s);
  CHECK(here.overdue == "again");
}
