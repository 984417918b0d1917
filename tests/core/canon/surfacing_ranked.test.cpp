#include "core/canon/surfacing.hpp"
#include "tests/core/canon/canon_project.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace resilient;
using namespace resilient::canon;
using resilient::canon::tests::canon_project;
using resilient::canon::tests::holds;

namespace {

options with(retrieval_kind kind, double standout = 1.4) {
  options chosen;
  chosen.retrieval = kind;
  chosen.standout = standout;
  return chosen;
}

struct scene {
  canon_project project;
  places where;
  retrieval_corpus corpus;
  surfacing session;

  explicit scene(const options& chosen) : where(prepared(project)), session(chosen) {
    corpus.refresh(where.project());
  }
  static places prepared(const canon_project& project) {
    project.put_article("src/core/config", "---\ncapsule: Env beats file.\n---\n");
    project.put_article("rules/money", "---\ncapsule: Money is counted in cents.\n---\n");
    project.put_article("rules/dates", "---\ncapsule: Dates are written in UTC.\n---\n");
    return places::open(project.directory).value();
  }
  /// A turn: what is sent at its end.
  std::string turn() {
    if (const auto question = session.question()) {
      session.rank(*question, "lexical", corpus, corpus.rank(*question));
    }
    const auto message = session.flush();
    return message ? message->text : "";
  }
  void touch(const std::string& path) {
    session.call(where, observe("1", "read", {{"path", path}}, {&where, "", ""}));
  }
};

const std::string money_line = "\nrules/money: Money is counted in cents.";

} // namespace

TEST_CASE("by default no article comes by relevance") {
  scene now{{}};
  now.session.heard({"how is money formatted"});
  CHECK_FALSE(now.session.question());
  CHECK(now.turn().empty());
}

TEST_CASE("an article that bears on the user's words comes once, behind those that were touched") {
  scene now{with(retrieval_kind::lexical)};
  now.session.heard({"how is money formatted"});
  now.touch("src/core/config.ts");
  const std::string text = now.turn();
  CHECK(holds(text, "\nsrc/core/config: Env beats file." + money_line));
  CHECK_FALSE(holds(text, "rules/dates"));
  CHECK_MESSAGE(now.turn().empty(), "the calls of the turn are gone from the question, yet the "
                                    "store is drained");
  now.session.departed({"rules/money"});
  now.session.heard_also("and money again");
  CHECK_MESSAGE(now.turn().empty(), "what was surfaced once never comes by relevance again");
  now.session.heard({"which dates"});
  CHECK(holds(now.turn(), "rules/dates"));
}

TEST_CASE("the journal never surfaces, neither by a touch nor by relevance") {
  scene now{with(retrieval_kind::lexical, 1)};
  now.project.put(".canon/journal/2026-11-30-vendor-cap.md",
                  "---\nlogged: 2026-11-30T10:00:00.000Z\nsubject: [src/core/config]\n---\n"
                  "SENTINEL the vendor capped transfers yesterday.\n");
  now.corpus.refresh(now.where.project());
  now.session.heard({"what did the vendor cap yesterday, and the SENTINEL"});
  now.touch("src/core/config.ts");
  now.touch(".canon/journal/2026-11-30-vendor-cap.md");
  const std::string text = now.turn();
  CHECK(holds(text, "\nsrc/core/config: Env beats file."));
  CHECK_FALSE(holds(text, "SENTINEL"));
  CHECK_FALSE(holds(text, "vendor"));
}

TEST_CASE("the same question is asked once, also when it failed") {
  scene now{with(retrieval_kind::custom)};
  CHECK_MESSAGE(!now.session.question(), "without intent there is no question");
  now.session.heard({"money"});
  const auto question = now.session.question();
  REQUIRE(question);
  now.session.ranking_failed(*question, "it timed out");
  CHECK_FALSE(now.session.question());
  CHECK(now.turn().empty());
  now.session.heard({"money", "cents"});
  CHECK(now.session.question());
}

TEST_CASE("a retriever's answer is bounded by the corpus and by three lines") {
  scene now{with(retrieval_kind::custom, 1)};
  for (const std::string name : {"a", "b", "c", "d"}) {
    now.project.put_article("rules/" + name, "---\ncapsule: Rule " + name + ".\n---\n");
  }
  now.corpus.refresh(now.where.project());
  now.session.heard({"anything"});
  now.session.rank(
      "anything", "mine", now.corpus,
      {{"rules/a", 1}, {"invented", 9}, {"rules/b", 3}, {"rules/c", 2}, {"rules/d", 1}});
  now.session.rank("anything else", "mine", now.corpus, {{"rules/d", 5}});
  const auto message = now.session.flush();
  REQUIRE(message);
  CHECK(message->lines.size() == 3);
  CHECK(holds(message->text, "\nrules/b: Rule b.\nrules/c: Rule c.\nrules/a: Rule a."));
  CHECK(message->text.rfind("[canon] These articles may bear", 0) == 0);

  SUBCASE("undone, it comes again, and still no more than three") {
    now.session.undo(*message, "gone");
    now.session.rank("more", "mine", now.corpus, {{"rules/d", 5}});
    const auto again = now.session.flush();
    REQUIRE(again);
    CHECK(again->text == message->text);
  }
}

TEST_CASE("a touch of a ranked article makes it one that governs") {
  scene now{with(retrieval_kind::custom, 1)};
  now.project.put_article("src/core/free", "---\ncapsule: Free.\n---\n");
  now.corpus.refresh(now.where.project());
  now.session.heard({"anything"});
  now.session.rank("anything", "mine", now.corpus, {{"src/core/free", 1}, {"rules/money", 2}});
  now.project.put("src/core/free.ts", "");
  now.touch("src/core/free.ts");
  const auto message = now.session.flush();
  REQUIRE(message);
  REQUIRE(message->lines.size() == 2);
  CHECK(message->lines[0].line.key == "src/core/free");
  CHECK_FALSE(message->lines[0].score);
}

TEST_CASE("the trace tells how far the best stood out, what it brought and what was held back") {
  scene now{with(retrieval_kind::custom)};
  for (const std::string name : {"a", "b", "c", "d"}) {
    now.project.put_article("rules/" + name, "---\ncapsule: Rule " + name + ".\n---\n");
  }
  now.corpus.refresh(now.where.project());
  const auto traced = [&](const std::string& kind) {
    nlohmann::json found = nlohmann::json::array();
    for (nlohmann::json each : now.session.take_trace()) {
      if (each.at("kind").get<std::string>().rfind(kind, 0) == 0) {
        each.erase("kind");
        found.push_back(std::move(each));
      }
    }
    return found;
  };
  const auto rank = [&](const std::string& question) {
    now.session.rank(question, "mine", now.corpus,
                     {{"rules/a", 6}, {"rules/b", 5}, {"rules/c", 4}, {"rules/d", 3}});
  };
  rank("anything");
  const auto first = traced("r"); // of all that begin so
  REQUIRE(first.size() == 5);
  CHECK(
      first[0]
      == nlohmann::json{
          {"standout", 1.4}, {"reached", 2.0}, {"responders", 4}, {"eligible", 4}, {"passed", 3}});
  CHECK(first[1]
        == nlohmann::json{
            {"path", "rules/a"}, {"retriever", "mine"}, {"score", 6.0}, {"declared", false}});
  CHECK(first[4] == nlohmann::json{{"count", 1}, {"bestHeld", 3.0}, {"worstSent", 4.0}});
  REQUIRE(now.session.flush());
  CHECK(traced("surfaced").size() == 3);
  rank("anything else");
  const auto second = traced("r");
  REQUIRE(second.size() == 2);
  CHECK(second[0].at("reached") == 0.5);
  CHECK(second[0].at("passed") == 0);
  CHECK(second[1] == nlohmann::json{{"count", 1}, {"bestHeld", 3.0}, {"worstSent", nullptr}});
  CHECK_FALSE(now.session.flush());
}
