#include "tests/actors/canon_scene.hpp"

#include <doctest/doctest.h>

using namespace resilient;
using namespace resilient::test;
using nlohmann::json;

namespace {

const std::string money_line =
    "\nmoney (updated 2026-11-27): Currency is counted in integer cents.";

/// A project whose user has a retriever of their own.
struct retriever_scene : canon_scene {
  retriever_scene() {
    std::filesystem::create_directories(folder / "config/canon");
    std::ofstream{folder / "config/canon/settings.json"}
        << R"({"retrieval":{"name":"mine","command":["rank","--fast"]}})";
    connect({{"trusted", true}, {"reason", "reload"}});
  }

  /// Ends a turn with a call that asks something, up to the question to the program.
  void ask(const std::string& about) {
    touch("grep", {{"pattern", about}});
    send(connection, {{"type", "turn"},
                      {"id", ++id},
                      {"stop", "toolUse"},
                      {"text", "works"},
                      {"text_truncated", false},
                      {"has_tool_calls", true},
                      {"pending", false},
                      {"continuing", false}});
  }
  void answers(const line_answer& answer) {
    REQUIRE(!retriever->asked.empty());
    retriever->asked.back().done(answer);
    settle();
  }
  [[nodiscard]] bool has_reply() const {
    return written(connection).back().value("re", std::int64_t{0}) == id;
  }
};

} // namespace

TEST_CASE("by default nothing comes by relevance") {
  canon_scene run;
  run.touch("grep", {{"pattern", "integer cents currency"}});
  CHECK(run.surfaces().empty());
  CHECK(run.retriever->asked.empty());
}

TEST_CASE("with lexical retrieval a rule comes when a call or the user's words ask for it") {
  canon_scene called{json::object(), R"({"canon":{"retrieval":"lexical"}})"};
  called.touch("grep", {{"pattern", "integer cents currency"}});
  CHECK(holds(called.surfaces(), money_line));
  called.touch("grep", {{"pattern", "integer cents currency again"}});
  CHECK(called.surfaces().empty());

  canon_scene heard{json::object(), R"({"canon":{"retrieval":"lexical"}})"};
  heard.send(heard.connection, {{"type", "input"},
                                {"source", "user"},
                                {"streaming", false},
                                {"text", "format the currency in cents"}});
  CHECK(holds(heard.surfaces(), money_line));
}

TEST_CASE("a goal's objective is a person's words, once, also for a process that goes on with it") {
  canon_scene run{json::object(), R"({"canon":{"retrieval":"lexical"}})"};
  run.declare_goal("format the currency in cents");
  run.send(run.connection, {{"type", "agent_start"}});
  CHECK(holds(run.surfaces(), money_line));
  const json goal = run.goal();

  canon_scene other{json::object(), R"({"canon":{"retrieval":"lexical"}})"};
  other.connect({{"trusted", true}, {"entries", {{"resilient-goal", goal}}}});
  other.send(other.connection, {{"type", "agent_start"}});
  CHECK(holds(other.surfaces(), money_line));

  retriever_scene asks;
  asks.declare_goal("the objective");
  for (const char* words : {"first", "second"}) {
    asks.send(asks.connection, {{"type", "agent_start"}});
    asks.send(asks.connection,
              {{"type", "input"}, {"source", "user"}, {"streaming", true}, {"text", words}});
  }
  asks.ask("cents");
  REQUIRE(asks.retriever->asked.size() == 1);
  CHECK(json::parse(asks.retriever->asked[0].question.line)["query"]
        == "grep cents\nthe objective\nfirst\nsecond");
}

TEST_CASE("a goal that is paused or over is none of a person's words") {
  canon_scene run{json::object(), R"({"canon":{"retrieval":"lexical"}})"};
  run.declare_goal("format the currency in cents");
  run.declare_goal("clear");
  run.send(run.connection, {{"type", "agent_start"}});
  CHECK(run.surfaces().empty());
}

TEST_CASE("a retriever of one's own is asked with the question and the candidates") {
  retriever_scene run;
  run.ask("integer cents");
  REQUIRE(run.retriever->asked.size() == 1);
  const line_question& asked = run.retriever->asked[0].question;
  CHECK(asked.command == std::vector<std::string>{"rank", "--fast"});
  CHECK(asked.folder == run.folder.string());
  CHECK(asked.line.find('\n') == std::string::npos);
  const json line = json::parse(asked.line);
  CHECK(line["query"] == "grep integer cents");
  REQUIRE(line["candidates"].size() == 1);
  CHECK(line["candidates"][0]["key"] == "money");
  CHECK_FALSE(run.has_reply()); // the end of the turn waits for the ranking
  run.answers({true, R"({"scores":{"money":0.8,"unknown":0.9}})"});
  CHECK(run.has_reply());
  REQUIRE(run.steered().size() == 1);
  CHECK(holds(run.steered()[0], money_line));
}

TEST_CASE("a crash, garbage or lateness costs the ranking of the turn and nothing else") {
  for (const line_answer& bad :
       {line_answer{false, "killed by SIGKILL"}, line_answer{false, "no answer within 1 s"},
        line_answer{true, "garbage"}, line_answer{true, R"({"scores":[1]})"},
        line_answer{true, R"({"scores":{"money":"high"}})"}, line_answer{true, ""}}) {
    CAPTURE(bad.text);
    retriever_scene run;
    run.read("src/core/config.ts");
    run.ask("integer cents");
    run.answers(bad);
    CHECK(run.has_reply());
    REQUIRE(run.steered().size() == 1);
    CHECK(holds(run.steered()[0], "\nsrc/core/config (updated"));
    CHECK_FALSE(holds(run.steered()[0], "money"));
    run.ask("integer cents of currency");
    run.answers({true, R"({"scores":{"money":0.8}})"});
    CHECK(holds(run.steered().back(), money_line));
  }
}

TEST_CASE(
    "only finite scores above zero for candidates rank; a score that is no number spoils all") {
  struct row {
    const char* scores;
    bool surfaces;
    const char* problem; ///< in what /canon says; nullptr for none
  };
  const row rows[] = {
      {R"({"money":0.8})", true, nullptr},
      {R"({"money":1})", true, nullptr},
      {R"({"money":250.5})", true, nullptr}, // only the ratio to the others counts
      {R"({"money":1e-300})", true, nullptr},
      {R"({"money":0})", false, nullptr},
      {R"({"money":-3})", false, nullptr},
      {R"({})", false, nullptr},
      {R"({"Money":1,"money.md":1,"../money":1,"":1})", false, nullptr},
      {R"({"unknown":9,"money":0.5})", true, nullptr},
      {R"({"money":"0.8"})", false, "its score for money was no number"},
      {R"({"money":null})", false, "its score for money was no number"},
      {R"({"money":true})", false, "its score for money was no number"},
      {R"({"money":[1]})", false, "its score for money was no number"},
      {R"({"money":0.8,"unknown":{}})", false, "its score for unknown was no number"},
      {R"({"money":NaN})", false, "its answer was no line with scores"},
      {R"({"money":Infinity})", false, "its answer was no line with scores"},
      {R"({"money":1e999})", false, "its answer was no line with scores"},
      {R"([["money",1]])", false, "its answer was no line with scores"},
      {"null", false, "its answer was no line with scores"},
  };
  for (const row& each : rows) {
    CAPTURE(each.scores);
    retriever_scene run;
    run.ask("integer cents");
    run.answers({true, std::string{R"({"scores":)"} + each.scores + "}"});
    CHECK(run.has_reply());
    CHECK(run.steered().size() == (each.surfaces ? 1 : 0));
    CHECK(holds(run.status(), "The retriever gave no ranking") == (each.problem != nullptr));
    if (each.problem != nullptr) {
      CHECK(holds(run.status(), std::string{"The retriever gave no ranking: "} + each.problem));
    }
  }
}

TEST_CASE("a retriever that failed is named by /canon and in the trace") {
  retriever_scene run;
  run.ask("integer cents");
  run.answers({false, "exit 3"});
  CHECK(holds(run.status(), "The retriever gave no ranking: exit 3."));
  CHECK(run.trace().back()["kind"] == "retrieval-failed");
  run.ask("integer cents of currency");
  run.answers({true, R"({"scores":{"money":0.8}})"});
  CHECK_FALSE(holds(run.status(), "The retriever gave no ranking"));
}

TEST_CASE("a port that never answers does not hold Pi") {
  retriever_scene run;
  run.read("src/core/config.ts");
  run.ask("integer cents");
  CHECK_FALSE(run.has_reply());
  run.advance(std::chrono::milliseconds{1600});
  CHECK(run.has_reply());
  CHECK(run.steered().empty());
  run.ask("integer cents of currency");
  run.answers({true, "{}"});
  REQUIRE(run.steered().size() == 1); // what came too late is not lost
  CHECK(holds(run.steered()[0], "\nsrc/core/config (updated"));
}

TEST_CASE("the retriever is ended with its session") {
  retriever_scene run;
  const int before = run.retriever->ended;
  run.connect({{"trusted", true}, {"reason", "resync"}});
  CHECK(run.retriever->ended == before);
  run.connect({{"trusted", true}, {"reason", "new"}});
  CHECK(run.retriever->ended == before + 1);
}
