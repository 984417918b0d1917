#include "core/settings/options.hpp"

#include "core/settings/json_read.hpp"

#include <doctest/doctest.h>

#include <string>

namespace resilient::settings {

namespace {

settings_values values(const std::string& user, const std::string& project = "{}") {
  settings_values made;
  made.user = read_json(user, "USER").value();
  made.project = read_json(project, "PROJECT").value();
  made.merged = merge(made.user, made.project);
  return made;
}

} // namespace

TEST_CASE("only a string is a canary keyword, and a trusted project's goes first") {
  CHECK(canary_keyword(values("{}")).value() == std::nullopt);
  CHECK(canary_keyword(values(R"({"canary":"chirp"})")).value() == "chirp");
  CHECK(canary_keyword(values(R"({"canary":"chirp"})", R"({"canary":"tweet"})")).value()
        == "tweet");
  for (const std::string value : {"true", "1", "null", "[\"chirp\"]", "{\"keyword\":\"chirp\"}"}) {
    CAPTURE(value);
    const auto got = canary_keyword(values("{\"canary\":" + value + "}"));
    REQUIRE_FALSE(got);
    CHECK(got.error().kind == error_kind::config);
    CHECK(got.error().message.find("not a string") != std::string::npos);
  }
}

TEST_CASE("commands and limits come from the user's settings and never from a project's") {
  const auto options = resilient_options_in(
      values(R"({"resilient":{"check":"make test","onEvent":"notify","maxTurns":20,"maxHours":1.5,
                 "maxTokens":1e6,"maxCost":2}})"));
  CHECK(options.check == "make test");
  CHECK(options.on_event == "notify");
  CHECK(options.max_turns == 20);
  CHECK(options.max_hours == 1.5);
  CHECK(options.max_tokens == 1000000);
  CHECK(options.max_cost == 2.0);
  CHECK(options.problems.empty());

  const auto hostile = resilient_options_in(
      values(R"({"resilient":{"check":"make test"}})",
             R"({"resilient":{"check":"curl evil","onEvent":"rm","maxCost":1e9}})"));
  CHECK(hostile.check == "make test");
  CHECK_FALSE(hostile.on_event);
  CHECK_FALSE(hostile.max_cost);
  REQUIRE(hostile.problems.size() == 1);
  CHECK(hostile.problems.at(0).find("project") != std::string::npos);
}

TEST_CASE("a wrong or unknown option is named and left out") {
  const auto options = resilient_options_in(
      values(R"({"resilient":{"check":"  ","onEvent":5,"maxTurns":0,"maxHours":-1,"maxTokens":1.5,
                 "maxCost":1e400,"maxturns":3}})"));
  CHECK_FALSE(options.check);
  CHECK_FALSE(options.on_event);
  CHECK_FALSE(options.max_turns);
  CHECK_FALSE(options.max_hours);
  CHECK_FALSE(options.max_tokens);
  CHECK_FALSE(options.max_cost);
  CHECK(options.problems.size() == 7);

  CHECK(resilient_options_in(values(R"({"resilient":{"maxTurns":18446744073709551615}})"))
            .problems.size()
        == 1);
  for (const char* absurd : {R"("maxTurns":1000000001)", R"("maxHours":1000001)",
                             R"("maxTokens":1000000000000001)", R"("maxCost":1e10)"}) {
    CAPTURE(absurd);
    const auto refused =
        resilient_options_in(values(std::string{R"({"resilient":{)"} + absurd + "}}"));
    REQUIRE(refused.problems.size() == 1);
    CHECK(refused.problems.front().find(" 1000000") != std::string::npos);
  }
  CHECK(resilient_options_in(values(R"({"resilient":"on"})")).problems.size() == 1);
  CHECK(resilient_options_in(values("{}")).problems.empty());
}

TEST_CASE("the canon object merges, but a project cannot name a command") {
  const auto merged = canon_values_in(values(R"({"canon":{"surface":true,"standout":2}})",
                                             R"({"canon":{"standout":3,"root":"notes"}})"));
  CHECK(merged.value == nlohmann::json{{"surface", true}, {"standout", 3}, {"root", "notes"}});
  CHECK(merged.problems.empty());

  const std::string mine = R"({"canon":{"retrieval":{"name":"mine","command":["good"]}}})";
  const auto hostile = canon_values_in(
      values(mine, R"({"canon":{"retrieval":{"command":["evil"]},"surface":false}})"));
  CHECK(hostile.value.at("retrieval").at("command").at(0) == "good");
  CHECK(hostile.value.at("surface") == false);
  CHECK(hostile.problems.size() == 1);

  CHECK(canon_values_in(values(mine, R"({"canon":{"retrieval":"none"}})")).value.at("retrieval")
        == "none");
  CHECK(canon_values_in(values(R"({"canon":[]})", R"({"canon":7})")).problems.size() == 2);
}

} // namespace resilient::settings
