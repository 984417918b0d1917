#include "core/goal/classify.hpp"
#include "core/goal/explain.hpp"
#include "tests/core/goal/instants.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

// Grades the classifier on provider-errors.jsonl: real error texts with the right decision.

namespace resilient::goal {

namespace {

using json = nlohmann::json;
using test::at;

constexpr auto assumed_observation = "2026-06-01T12:00:00Z";

std::vector<json> read_entries() {
  std::ifstream file("tests/core/goal/provider-errors.jsonl");
  std::vector<json> out;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) {
      out.push_back(json::parse(line));
    }
  }
  return out;
}

failure failure_of(const json& entry) {
  failure out;
  out.text = entry["text"];
  if (entry["http_status"].is_number()) {
    out.status = entry["http_status"].get<int>();
  }
  if (entry["headers"].is_object()) {
    for (const auto& [name, value] : entry["headers"].items()) {
      out.headers.emplace_back(name, value.get<std::string>());
    }
  }
  out.provider = entry["provider"];
  out.observed_at = at(entry["observed_at"].is_string() ? entry["observed_at"].get<std::string>()
                                                        : assumed_observation);
  if (entry["timezone"].is_string()) {
    out.local_zone = entry["timezone"];
  }
  return out;
}

bool class_is_right(const json& entry, const verdict& decided) {
  for (const auto& accepted : entry["accept_classes"]) {
    if (accepted == to_string(decided.kind)) {
      return true;
    }
  }
  return false;
}

/// Within the granularity of the text, and never for the second time within a rounding of ours.
bool is_near(wall_time left, wall_time right, const json& tolerance) {
  const double seconds = tolerance.is_number() ? tolerance.get<double>() : 1.0;
  return std::abs(static_cast<double>((left - right).count())) <= seconds * 1000.0;
}

bool reset_is_right(const json& entry, const failure& seen, const verdict& decided) {
  const auto& expected = entry["expect"];
  if (decided.kind != error_class::usage_exhausted) {
    return !decided.reset_at;
  }
  std::vector<json> accepted = {expected["reset_at"]};
  if (entry["accept_reset_at"].is_array()) {
    accepted.insert(accepted.end(), entry["accept_reset_at"].begin(),
                    entry["accept_reset_at"].end());
  }
  // A throttle that is read as a used-up plan ends when the throttle does.
  if (expected["class"] == "rate_limit" && expected["retry_after_s"].is_number()) {
    accepted.emplace_back(format_instant(
        seen.observed_at
        + std::chrono::milliseconds{std::llround(expected["retry_after_s"].get<double>() * 1000)}));
  }
  for (const auto& each : accepted) {
    if (each.is_null()
            ? !decided.reset_at
            : decided.reset_at && is_near(*decided.reset_at, at(each), entry["tolerance_s"])) {
      return true;
    }
  }
  return false;
}

bool retry_is_right(const json& entry, const verdict& decided) {
  const auto& expected = entry["expect"]["retry_after_s"];
  if (decided.kind != error_class::rate_limit || entry["expect"]["class"] != "rate_limit") {
    return true;
  }
  if (expected.is_null()) {
    return !decided.retry_after;
  }
  const double seconds =
      decided.retry_after ? static_cast<double>(decided.retry_after->count()) / 1000.0 : -1e9;
  const double tolerance =
      entry["tolerance_s"].is_number() ? entry["tolerance_s"].get<double>() : 1.0;
  return std::abs(seconds - expected.get<double>()) <= tolerance;
}

struct tally {
  int entries = 0;
  int right = 0;
  int preferred = 0; ///< not merely accepted
};

void print(const char* title, const std::map<std::string, tally>& rows) {
  fmt::print("{:<20} {:>8} {:>6} {:>12}\n", title, "entries", "right", "first choice");
  for (const auto& [name, row] : rows) {
    fmt::print("{:<20} {:>8} {:>6} {:>12}\n", name, row.entries, row.right, row.preferred);
  }
}

} // namespace

TEST_CASE("every provider error of the corpus gets a right decision") {
  const auto entries = read_entries();
  REQUIRE(entries.size() >= 171);
  std::map<std::string, tally> by_class;
  std::map<std::string, tally> by_provider;
  for (const auto& entry : entries) {
    const auto seen = failure_of(entry);
    const auto decided = classify(seen);
    const auto explained = explain_json(decided);
    const std::string id = entry["id"];
    CAPTURE(id);
    CAPTURE(seen.text);
    CAPTURE(entry["expect"].dump());
    CAPTURE(explained);
    const bool class_right = class_is_right(entry, decided);
    const bool reset_right = class_right && reset_is_right(entry, seen, decided);
    const bool retry_right = class_right && retry_is_right(entry, decided);
    CHECK(class_right);
    CHECK(reset_right);
    CHECK(retry_right);
    const bool right = class_right && reset_right && retry_right;
    const std::string expected_class = entry["expect"]["class"];
    const bool preferred = right && expected_class == to_string(decided.kind);
    for (auto* row : {&by_class[expected_class], &by_provider[entry["provider"]]}) {
      ++row->entries;
      row->right += right ? 1 : 0;
      row->preferred += preferred ? 1 : 0;
    }
    if (!preferred) {
      fmt::print("accepted only: {} expected {} got {}\n", id, expected_class, explained);
    }
  }
  print("class", by_class);
  print("provider", by_provider);
}

TEST_CASE("most decisions are the same when the host does not tell the status") {
  int right = 0;
  int entries = 0;
  for (const auto& entry : read_entries()) {
    auto seen = failure_of(entry);
    if (!seen.status) {
      continue;
    }
    seen.status.reset();
    ++entries;
    const auto decided = classify(seen);
    const bool good = class_is_right(entry, decided) && reset_is_right(entry, seen, decided);
    right += good ? 1 : 0;
    if (!good) {
      fmt::print("without status: {} {}\n", entry["id"].get<std::string>(), explain_json(decided));
    }
  }
  fmt::print("without the status: {} of {}\n", right, entries);
  CHECK(right * 100 >= entries * 95);
}

TEST_CASE("a decision does not depend on the name of the provider unless a time has no zone") {
  for (const auto& entry : read_entries()) {
    auto seen = failure_of(entry);
    if (seen.provider == "zai" || seen.provider == "cerebras") {
      continue;
    }
    const auto named = classify(seen);
    seen.provider.clear();
    const auto nameless = classify(seen);
    CAPTURE(seen.text);
    CHECK(to_string(named.kind) == to_string(nameless.kind));
    CHECK(named.reset_at == nameless.reset_at);
    CHECK(named.retry_after == nameless.retry_after);
  }
}

} // namespace resilient::goal
