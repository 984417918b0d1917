#include "core/goal/classify.hpp"
#include "core/goal/explain.hpp"
#include "tests/core/goal/instants.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <random>
#include <string>
#include <vector>

// What holds for every text, shown on random mutations of real ones.

namespace resilient::goal {

namespace {

using json = nlohmann::json;

std::vector<failure> corpus() {
  std::ifstream file("tests/core/goal/provider-errors.jsonl");
  std::vector<failure> out;
  for (std::string line; std::getline(file, line);) {
    const auto entry = json::parse(line);
    failure each;
    each.text = entry["text"];
    each.provider = entry["provider"];
    each.observed_at = test::at("2026-06-01T12:00:00Z");
    if (entry["observed_at"].is_string()) {
      each.observed_at = test::at(entry["observed_at"]);
    }
    if (entry["headers"].is_object()) {
      for (const auto& [name, value] : entry["headers"].items()) {
        each.headers.emplace_back(name, value.get<std::string>());
      }
    }
    out.push_back(std::move(each));
  }
  return out;
}

bool has_digit(const std::string& text) {
  return text.find_first_of("0123456789") != std::string::npos;
}

/// Words that stand for a time of day without a digit, and full width digits.
bool names_a_time(const failure& seen) {
  bool found = has_digit(seen.text);
  for (const auto& word : {"midnight", "noon", "Mitternacht", "minuit", "midi", "\xef\xbc"}) {
    found = found || seen.text.find(word) != std::string::npos;
  }
  for (const auto& [name, value] : seen.headers) {
    found = found || has_digit(value);
  }
  return found;
}

std::string mutated(std::string text, const std::vector<failure>& pool, std::mt19937& random) {
  const auto any = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
  const auto rounds = 1 + any(6);
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto at = any(text.size() + 1);
    switch (any(7)) {
    case 0:
      text.insert(at, 1, static_cast<char>(any(256)));
      break;
    case 1:
      text.erase(at, 1 + any(12));
      break;
    case 2:
      text.resize(at);
      break;
    case 3:
      text.insert(at, std::to_string(random()));
      break;
    case 4: {
      const auto& other = pool[any(pool.size())].text;
      const auto from = any(other.size() + 1);
      text.insert(at, other.substr(from, any(60)));
      break;
    }
    case 5:
      text.insert(at, "\n  ");
      break;
    default:
      if (at < text.size()) {
        text[at] = static_cast<char>(any(256));
      }
    }
  }
  return text;
}

void check_laws(const failure& seen) {
  const auto decided = classify(seen);
  CAPTURE(seen.text);
  CAPTURE(explain_json(decided));
  if (decided.reset_at) {
    REQUIRE(decided.kind == error_class::usage_exhausted);
    REQUIRE(names_a_time(seen));
    REQUIRE(*decided.reset_at + std::chrono::seconds{60} >= seen.observed_at);
    const bool near = *decided.reset_at - seen.observed_at <= trusted_reset_distance;
    REQUIRE(decided.what == (near ? action::wait : action::probe));
  }
  if (decided.retry_after) {
    REQUIRE(decided.retry_after->count() >= 0);
    REQUIRE(names_a_time(seen));
  }
  REQUIRE(!decided.rule.empty());
  REQUIRE(json::parse(explain_json(decided)).size() == 5);
}

} // namespace

TEST_CASE("no mutation of a real text makes the classifier invent an instant or throw") {
  const auto pool = corpus();
  std::mt19937 random(20260601);
  for (int round = 0; round < 8'000; ++round) {
    auto seen = pool[random() % pool.size()];
    seen.text = mutated(seen.text, pool, random);
    seen.local_zone = round % 3 == 0 ? "" : "America/New_York";
    if (round % 5 == 0) {
      seen.status = 400 + static_cast<int>(random() % 200);
    }
    for (auto& [name, value] : seen.headers) {
      if (round % 4 == 0) {
        value = mutated(value, pool, random);
      }
    }
    check_laws(seen);
  }
}

TEST_CASE("a text without any digit or word for a time yields no time") {
  for (auto seen : corpus()) {
    seen.headers.clear();
    seen.local_zone = "Europe/Berlin";
    std::erase_if(seen.text, [](char c) { return c >= '0' && c <= '9'; });
    if (names_a_time(seen)) {
      continue;
    }
    const auto decided = classify(seen);
    CAPTURE(seen.text);
    CHECK(!decided.reset_at);
    CHECK(!decided.retry_after);
  }
}

TEST_CASE("a text of any size and any bytes is decided") {
  failure seen;
  seen.observed_at = test::at("2026-06-01T12:00:00Z");
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    seen.text.clear();
    for (auto length = random() % 2000; length > 0; --length) {
      seen.text += static_cast<char>(random() % 256);
    }
    seen.local_zone = seen.text.substr(0, 12);
    seen.provider = seen.text.substr(0, 5);
    check_laws(seen);
  }
  for (const std::string part : {"{", "[", "\"a\":\"", "\\\"", "{\"error\":", "1", "<", "\n",
                                 "'a':'", "resets ", "try again in 1h ", "limit reached * "}) {
    seen.text.clear();
    while (seen.text.size() < 200'000) {
      seen.text += part;
    }
    check_laws(seen);
  }
}

} // namespace resilient::goal
