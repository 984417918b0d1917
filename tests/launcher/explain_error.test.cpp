#include "launcher/command/options.hpp"
#include "launcher/command/run_commands.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

using namespace resilient::launcher;
using nlohmann::json;

namespace {

/// An environment that holds nothing but a time zone.
environment_reader in_zone(const std::string& zone) {
  return
      [zone](const std::string& name) { return name == "TZ" ? std::optional{zone} : std::nullopt; };
}

options asked() {
  options chosen;
  chosen.what = command::explain_error;
  chosen.json = true;
  chosen.seen_at = "2026-11-30T22:15:00Z";
  return chosen;
}

json decided(const std::string& text, const options& chosen, const std::string& zone = "Etc/UTC") {
  const command_answer answer = explain_error(text, chosen, in_zone(zone));
  CHECK(answer.exit_code == 0);
  CHECK(answer.wrong.empty());
  return json::parse(answer.out);
}

} // namespace

TEST_CASE("explain-error prints the decision in its five fields") {
  const json found = decided("Usage limit reached. Resets 3am (Europe/Berlin).", asked());
  CHECK(found.size() == 5);
  CHECK(found["class"] == "usage_exhausted");
  CHECK(found["reset_at"] == "2026-12-01T02:00:00Z");
  CHECK(found["retry_after_s"].is_null());
  CHECK(found["action"] == "wait");
  CHECK(found["rule"] == "phrase.usage-limit");
}

TEST_CASE(
    "a clock time without a zone is read in the zone that was given, else in this machine's") {
  const std::string text = "Usage limit reached. Resets at 6:00 AM.";
  options chosen = asked();
  CHECK(decided(text, chosen)["reset_at"] == "2026-12-01T06:00:00Z");
  CHECK(decided(text, chosen, "America/New_York")["reset_at"] == "2026-12-01T11:00:00Z");
  chosen.time_zone = "Asia/Tokyo";
  CHECK(decided(text, chosen, "America/New_York")["reset_at"] == "2026-12-01T21:00:00Z");
  // The zone is that of --at too, when it names none.
  chosen.seen_at = "2026-12-01T07:15:00";
  CHECK(decided(text, chosen)["reset_at"] == "2026-12-01T21:00:00Z");
}

TEST_CASE("what the host told beside the text counts: status, headers, provider") {
  options chosen = asked();
  chosen.http_status = 429;
  chosen.headers = {"Retry-After:  7 ", "x-other: a: b"};
  const json throttled = decided("{}", chosen);
  CHECK(throttled["class"] == "rate_limit");
  CHECK(throttled["retry_after_s"] == 7);
  chosen.headers = {"anthropic-ratelimit-unified-status: rejected",
                    "anthropic-ratelimit-unified-reset: 1796090400"};
  CHECK(decided("{}", chosen)["reset_at"] == "2026-12-01T02:00:00Z");
  options named = asked();
  named.provider = "zai";
  const std::string code = R"({"error":{"code":"1261","message":"?"}})";
  CHECK(decided(code, named)["class"] == "overflow");
  CHECK(decided(code, asked())["class"] != "overflow");
}

TEST_CASE("on a terminal it is one sentence with the rule") {
  options chosen = asked();
  chosen.json = false;
  const command_answer answer = explain_error("401: invalid api key\n", chosen, in_zone("Etc/UTC"));
  CHECK(answer.out.find("every 30 minutes (rule ") != std::string::npos);
  CHECK(answer.out.find('\n') == answer.out.size() - 1);
}

TEST_CASE("what cannot be used is refused with what to write") {
  struct row {
    const char* text;
    void (*change)(options&);
    const char* says;
  };
  const row table[] = {
      {" \n", [](options&) {}, "explain-error < error.txt"},
      {"x", [](options& chosen) { chosen.time_zone = "Mars/Phobos"; }, "Europe/Berlin"},
      {"x", [](options& chosen) { chosen.time_zone = "../../etc/passwd"; }, "Europe/Berlin"},
      {"x", [](options& chosen) { chosen.seen_at = "yesterday"; }, "2026-11-30T22:15:00Z"},
      {"x", [](options& chosen) { chosen.seen_at = "2026-12-01"; }, "2026-11-30T22:15:00Z"},
      {"x", [](options& chosen) { chosen.headers = {"retry-after"}; }, "retry-after: 30"},
      {"x", [](options& chosen) { chosen.headers = {": 5"}; }, "retry-after: 30"},
  };
  for (const row& each : table) {
    CAPTURE(each.says);
    options chosen = asked();
    each.change(chosen);
    const command_answer answer = explain_error(each.text, chosen, in_zone("Etc/UTC"));
    CHECK(answer.exit_code == 64);
    CHECK(answer.out.empty());
    CHECK(answer.wrong.find(each.says) != std::string::npos);
  }
}
