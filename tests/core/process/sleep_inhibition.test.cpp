#include "core/process/sleep_inhibition.hpp"

#include <doctest/doctest.h>

using namespace resilient::process;

namespace {

/// "take 1", "let go", "tell"
std::string words(const std::vector<sleep_effect>& effects) {
  std::string text;
  for (const sleep_effect& each : effects) {
    text += text.empty() ? "" : ", ";
    if (const auto* take = std::get_if<keep_awake>(&each)) {
      text += "take " + std::to_string(take->number);
    } else if (std::holds_alternative<let_sleep>(each)) {
      text += "let go";
    } else {
      text += "tell";
    }
  }
  return text;
}

} // namespace

TEST_CASE("the machine is kept awake exactly while a goal is active") {
  sleep_inhibition sleep{true};
  CHECK(words(sleep.goal_is(false)).empty());
  CHECK(sleep.describe() == "not needed");
  CHECK(words(sleep.goal_is(true)) == "take 1");
  CHECK(words(sleep.goal_is(true)).empty());
  CHECK(sleep.describe() == "kept awake");
  CHECK(words(sleep.goal_is(false)) == "let go");
  CHECK(words(sleep.goal_is(false)).empty());
  CHECK(words(sleep.goal_is(true)) == "take 2");
}

TEST_CASE("nothing is taken when nobody asked for it") {
  sleep_inhibition sleep{false};
  CHECK(words(sleep.goal_is(true)).empty());
  CHECK(words(sleep.goal_is(false)).empty());
  CHECK(sleep.describe() == "off");
}

TEST_CASE("an inhibitor that fails is told once, and the next goal tries again") {
  sleep_inhibition sleep{true};
  CHECK(words(sleep.goal_is(true)) == "take 1");
  const auto told = sleep.inhibitor_ended(1, "systemd-inhibit is not installed");
  REQUIRE(words(told) == "tell");
  CHECK(std::get<tell_unprotected>(told[0]).line.find("systemd-inhibit is not installed")
        != std::string::npos);
  CHECK(sleep.describe() == "systemd-inhibit is not installed");
  // What is not held cannot be let go.
  CHECK(words(sleep.goal_is(false)).empty());
  CHECK(words(sleep.goal_is(true)) == "take 2");
  CHECK(words(sleep.inhibitor_ended(2, "again")).empty());
}

TEST_CASE("the end of an older inhibitor, or of one that was let go, means nothing") {
  sleep_inhibition sleep{true};
  CHECK(words(sleep.goal_is(true)) == "take 1");
  CHECK(words(sleep.goal_is(false)) == "let go");
  CHECK(words(sleep.inhibitor_ended(1, "exit 0")).empty());
  CHECK(words(sleep.goal_is(true)) == "take 2");
  CHECK(words(sleep.inhibitor_ended(1, "exit 0")).empty());
  CHECK(sleep.describe() == "kept awake");
}
