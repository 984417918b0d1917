#include "actors/request_deadlines.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace resilient;
using namespace std::chrono_literals;

namespace {

constexpr monotonic_time start{1h};

struct scene {
  request_deadlines requests{60s};
  std::string overdue;

  std::uint64_t begin(monotonic_time now, const std::string& name) {
    return requests.begin(now, [this, name] { overdue += name; });
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
  here.requests.fail(second);
  CHECK(here.overdue == "b");
}

TEST_CASE("a request that fails is given up at once") {
  scene here;
  const auto only = here.begin(start, "a");
  here.requests.fail(only);
  CHECK(here.overdue == "a");
  CHECK_FALSE(here.requests.wait(start));
}
