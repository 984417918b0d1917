#include "core/goal/explain.hpp"

#include "tests/core/goal/instants.hpp"

#include <doctest/doctest.h>

#include <string>

namespace resilient::goal {

namespace {

failure at_noon(std::string text, int status) {
  failure out;
  out.text = std::move(text);
  out.status = status;
  out.observed_at = test::at("2026-06-01T12:00:00Z");
  return out;
}

} // namespace

TEST_CASE("the JSON of a decision names the class, times, action and rule") {
  const auto seen = at_noon("Usage limit reached. Resets at 2026-06-01T15:30:00Z", 429);
  CHECK(explain_json(classify(seen))
        == R"({"class":"usage_exhausted","reset_at":"2026-06-01T15:30:00Z","retry_after_s":null,)"
           R"("action":"wait","rule":"phrase.usage-limit"})");
  CHECK(explain_json(classify(at_noon("Too many requests, retry after 2.5 s", 429)))
        == R"({"class":"rate_limit","reset_at":null,"retry_after_s":2.5,"action":"retry",)"
           R"("rule":"status.429"})");
}

TEST_CASE("the sentence of a decision says what happens and why") {
  const auto say = [](const failure& seen) { return explain_sentence(seen, classify(seen)); };
  CHECK(say(at_noon("Usage limit reached. Resets at 2026-06-01T15:30:00Z", 429))
        == "The usage limit or the balance of the account is used up: the run waits until "
           "2026-06-01T15:30:00Z, 3 h 30 min from then (rule phrase.usage-limit).");
  CHECK(say(at_noon("Usage limit reached.", 429))
        == "The usage limit or the balance of the account is used up: the provider gave no reset "
           "time, so it is probed every 15 minutes (rule phrase.usage-limit).");
  CHECK(say(at_noon("Usage limit reached. Resets at 2026-06-15T15:30:00Z", 429))
            .find("too far away to rely on")
        != std::string::npos);
  CHECK(say(at_noon("Unauthorized", 401)).find("every 30 minutes") != std::string::npos);
  CHECK(say(at_noon("prompt is too long", 400)).find("shortens") != std::string::npos);
  CHECK(say(at_noon("Too many requests, retry after 42 s", 429)).find("not before 42 s")
        != std::string::npos);
}

TEST_CASE("instants are printed in UTC, with milliseconds only where there are any") {
  CHECK(format_instant(test::at("2026-03-29T01:30:00Z")) == "2026-03-29T01:30:00Z");
  CHECK(format_instant(test::at("2026-03-29T01:30:00Z") + std::chrono::milliseconds{40})
        == "2026-03-29T01:30:00.040Z");
  CHECK(format_instant(wall_time{std::chrono::milliseconds{-1}}) == "1969-12-31T23:59:59.999Z");
}

TEST_CASE("the names of classes and actions can be read back") {
  for (const auto kind : {error_class::transient, error_class::rate_limit,
                          error_class::usage_exhausted, error_class::overflow, error_class::auth,
                          error_class::config, error_class::abort, error_class::unknown}) {
    CHECK(error_class_from(to_string(kind)) == kind);
  }
  for (const auto what :
       {action::retry, action::wait, action::probe, action::compact, action::pause}) {
    CHECK(action_from(to_string(what)) == what);
  }
  CHECK(!error_class_from("Transient"));
  CHECK(!action_from(""));
}

} // namespace resilient::goal
