#include "core/canon/retrieval.hpp"

#include "core/support/text.hpp"
#include "tests/core/canon/canon_project.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

using namespace resilient;
using namespace resilient::canon;
using resilient::canon::tests::canon_project;

namespace {

std::vector<std::string> keys_of(const retrieval_corpus& corpus) {
  std::vector<std::string> keys;
  keys.reserve(corpus.candidates().size());
  for (const retrieval_candidate& one : corpus.candidates()) {
    keys.push_back(one.line.key);
  }
  return keys;
}

std::vector<std::string> keys_of(const std::vector<scored_article>& ranking) {
  std::vector<std::string> keys;
  keys.reserve(ranking.size());
  for (const scored_article& one : ranking) {
    keys.push_back(one.key);
  }
  return keys;
}

double score_of(const std::vector<scored_article>& ranking, const std::string& key) {
  const auto found = std::find_if(ranking.begin(), ranking.end(),
                                  [&](const scored_article& one) { return one.key == key; });
  return found == ranking.end() ? 0.0 : found->score;
}

bool is_about(double one, double other) {
  return one > other - 0.0000011 && one < other + 0.0000011;
}

} // namespace

TEST_CASE("rules and articles without an asset may come by relevance, others not") {
  const canon_project project;
  project.put_article("src/core/config", "---\ncapsule: Governs an asset.\n---\n");
  project.put_article("src/core", "---\ncapsule: Governs a folder.\n---\n");
  project.put_article("money", "---\ncapsule: Free knowledge.\n---\n");
  project.put_article("src/core/gone", "---\ncapsule: Its asset is gone.\n---\n");
  project.put_article("src", "---\ncapsule: A rule at an asset.\nscope: rule\n---\n");
  const places where = places::open(project.directory).value();
  retrieval_corpus corpus;
  corpus.refresh(where.project());
  CHECK(keys_of(corpus) == std::vector<std::string>{"money", "src", "src/core/gone"});
  CHECK(corpus.find("src")->declared);
  CHECK_FALSE(corpus.find("money")->declared);
  CHECK(corpus.find("src/core/config") == nullptr);

  SUBCASE("a declared rule stays when an asset appears; the store is read anew once it changed") {
    project.put_article("rules/cents", "---\ncapsule: Cents are integers.\nscope: rule\n---\n");
    project.put("rules/cents.md", "an asset");
    project.put("money.ts", "an asset");
    corpus.refresh(where.project());
    CHECK(keys_of(corpus) == std::vector<std::string>{"rules/cents", "src", "src/core/gone"});
  }
}

TEST_CASE("articles rank by BM25 with the published figures") {
  const canon_project project;
  const auto put = [&](const std::string& address, const std::string& body) {
    project.put_article(address, "---\nscope: rule\n---\n" + body + "\n");
  };
  put("a", "alpha beta alpha gamma delta");
  put("b", "beta beta gamma");
  put("c", "omega delta");
  const places where = places::open(project.directory).value();
  retrieval_corpus corpus;
  corpus.refresh(where.project());
  struct row {
    std::string question;
    double a;
    double b;
    double c;
  };
  const std::vector<row> table{
      {"alpha", 0.492308, 0, 0},
      {"beta", 0.326531, 0.590406, 0},
      {"alpha beta", 0.438603, 0.191265, 0},
      {"gamma delta omega", 0.159796, 0.102487, 0.368446},
      {"alpha zzzz", 0.492308, 0, 0},
      {"ALPHA, alpha; the alpha", 0.492308, 0, 0},
      {"zzzz", 0, 0, 0},
      {"", 0, 0, 0},
  };
  for (const row& line : table) {
    CAPTURE(line.question);
    const auto ranking = corpus.rank(line.question);
    CHECK(is_about(score_of(ranking, "a"), line.a));
    CHECK(is_about(score_of(ranking, "b"), line.b));
    CHECK(is_about(score_of(ranking, "c"), line.c));
    CHECK(std::is_sorted(ranking.begin(), ranking.end(), [](const auto& one, const auto& other) {
      return one.score > other.score;
    }));
  }
}

TEST_CASE("a call tells its intent by its first telling argument") {
  struct row {
    const char* what;
    const char* tool;
    nlohmann::json input;
    std::string intent;
  };
  const std::vector<row> table{
      {"a pattern", "grep", {{"pattern", "second"}}, "grep second"},
      {"the path comes first", "grep", {{"pattern", "x"}, {"path", "src"}}, "grep src"},
      {"a blank argument is passed over", "bash", {{"path", " "}, {"command", "ls"}}, "bash ls"},
      {"no text", "edit", {{"path", 5}}, ""},
      {"content is no intent", "write", {{"content", "long"}}, ""},
      {"no object", "bash", "ls", ""},
      {"200 characters",
       "bash",
       {{"command", std::string(300, 'x')}},
       "bash " + std::string(200, 'x')},
  };
  for (const row& line : table) {
    CAPTURE(line.what);
    CHECK(intent_of_call(line.tool, line.input) == line.intent);
  }
}

TEST_CASE("a question holds this turn's calls and the user's newest words") {
  CHECK(intent_question({"first"}, {"grep second"}) == "grep second\nfirst");
  CHECK(intent_question({"one", "two"}, {"read a", "read b"}) == "read b\nread a\none\ntwo");
  CHECK(intent_question({" ", ""}, {}).empty());

  const std::string old(1000, 'o');
  const std::string fresh(600, 'n');
  const std::string question = intent_question({"oldest", old, fresh}, {});
  CHECK(utf16_length(question) == 1501); // and one line end
  CHECK(question.substr(0, 448) == std::string(448, 'o'));
  CHECK(question.substr(448, 5) == "\n...\n");
  CHECK(question.substr(question.size() - 600) == fresh);

  const std::string wide = intent_question({std::string(3000, 'x') + "\U0001F600"}, {});
  CHECK(utf16_length(wide) <= 1500);
  CHECK(is_valid_utf8(wide));
  CHECK(ends_with(wide, "x\U0001F600"));
}

TEST_CASE("an article rides only when it stands out of the crowd") {
  struct row {
    const char* what;
    std::vector<scored_article> ranking;
    std::set<std::string> known;
    double standout;
    std::size_t room;
    std::vector<std::string> passed;
  };
  const std::vector<row> table{
      {"a single hit in a fresh store rides at any standout", {{"a", 0.01}}, {}, 9, 3, {"a"}},
      {"no more than three",
       {{"a", 0.9}, {"b", 0.8}, {"c", 0.7}, {"d", 0.1}},
       {},
       1.4,
       3,
       {"a", "b", "c"}},
      {"the fourth is the crowd", {{"a", 0.5}, {"b", 0.5}, {"c", 0.5}, {"d", 0.4}}, {}, 1.4, 3, {}},
      {"just reached", {{"a", 1.4}, {"b", 1}, {"c", 1}, {"d", 1}}, {}, 1.4, 3, {"a", "b", "c"}},
      {"at standout 1 nothing is cut",
       {{"a", 0.5}, {"b", 0.5}, {"c", 0.5}, {"d", 0.5}},
       {},
       1,
       3,
       {"a", "b", "c"}},
      {"a drained store is quiet", {{"a", 0.5}, {"b", 0.4}}, {"a"}, 1.4, 3, {}},
      {"a new subject passes it", {{"a", 0.1}, {"b", 0.5}}, {"a"}, 1.4, 3, {"b"}},
      {"at standout 1 what is known is no crowd", {{"a", 0.5}, {"b", 0.4}}, {"a"}, 1, 3, {"b"}},
      {"all are known", {{"a", 0.5}}, {"a"}, 1, 3, {}},
      {"room for one", {{"a", 0.5}, {"b", 0.4}}, {}, 1.4, 1, {"a"}},
      {"no room", {{"a", 0.5}}, {}, 1.4, 0, {}},
      {"any order", {{"b", 0.4}, {"a", 0.5}}, {}, 1.4, 3, {"a", "b"}},
      {"no score, no hit",
       {{"a", 0}, {"b", -1}, {"c", std::numeric_limits<double>::quiet_NaN()}},
       {},
       1,
       3,
       {}},
      {"nothing", {}, {}, 1.4, 3, {}},
  };
  for (const row& line : table) {
    CAPTURE(line.what);
    const auto verdict = stand_out(
        line.ranking, [&](const std::string& key) { return line.known.count(key) == 0; },
        line.standout, line.room);
    CHECK(keys_of(verdict.passed) == line.passed);
    CHECK(verdict.passed.size() + verdict.held.size() == verdict.eligible);
  }
}
