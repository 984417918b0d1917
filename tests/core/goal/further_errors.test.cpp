#include "core/goal/classify.hpp"
#include "core/goal/explain.hpp"
#include "tests/core/goal/instants.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <string>

// Texts written for this test after the manner of many providers, with the decision that a
// sensible person would take. `classes` lists every acceptable class, the best one first.

namespace resilient::goal {

namespace {

using json = nlohmann::json;

failure failure_of(const json& entry) {
  failure out;
  out.text = entry["text"];
  out.provider = entry["provider"];
  out.observed_at = test::at(entry["at"]);
  out.local_zone = entry.value("zone", "");
  out.stop_reason = entry.value("stop_reason", "");
  if (entry["status"].is_number()) {
    out.status = entry["status"].get<int>();
  }
  const auto headers = entry.value("headers", json::object());
  for (const auto& [name, value] : headers.items()) {
    out.headers.emplace_back(name, value.get<std::string>());
  }
  return out;
}

} // namespace

TEST_CASE("texts of many providers get the decision of a sensible person") {
  std::ifstream file("tests/core/goal/further-errors.jsonl");
  std::size_t count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const auto entry = json::parse(line);
    const auto decided = classify(failure_of(entry));
    CAPTURE(line);
    CAPTURE(explain_json(decided));
    bool right = false;
    for (const auto& each : entry["classes"]) {
      right = right || each == to_string(decided.kind);
    }
    CHECK(right);
    const auto tolerance = std::chrono::seconds{entry.value("tolerance_s", 1)};
    if (entry["reset_at"].is_null()) {
      CHECK(!decided.reset_at);
    } else {
      CHECK(decided.reset_at);
      if (!decided.reset_at) {
        continue;
      }
      const auto distance = *decided.reset_at - test::at(entry["reset_at"]);
      CHECK(std::chrono::abs(distance) <= tolerance);
    }
    // Where a plan is used up, the reset counts and the pause is only told along with it.
    if (decided.kind != error_class::usage_exhausted) {
      const auto& expected = entry["retry_after_s"];
      CHECK(expected.is_null() == !decided.retry_after);
      if (decided.retry_after && !expected.is_null()) {
        const auto seconds = static_cast<double>(decided.retry_after->count()) / 1000.0;
        CHECK(std::abs(seconds - expected.get<double>()) <= 0.5);
      }
    }
  }
  CHECK(count >= 60);
}

} // namespace resilient::goal
