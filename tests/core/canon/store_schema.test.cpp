#include "core/canon/schema.hpp"
#include "tests/core/canon/canon_project.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

using namespace resilient::canon;
using namespace resilient::canon::tests;
using nlohmann::json;

namespace {

json write(const std::string& path, const json& fields) {
  json call = {{"action", "write"}, {"path", path}};
  call.update(fields);
  return call;
}

} // namespace

TEST_CASE("required links refuse the write that took the last one away") {
  const canon_project project;
  project.put(".canon/schema.json",
              R"({"relations":{"refs":{"required":true,"hint":"Link it."}}})");
  struct row {
    const char* what;
    const char* stored; ///< the body before; nullptr for a new article
    json fields;
    bool refused;
    bool warned;
  };
  for (const row& each : std::vector<row>{
           {"a new article without links", nullptr, {{"body", "none"}}, true, false},
           {"a new article with one", nullptr, {{"body", "[[a]]"}}, false, false},
           {"only in a fence of backticks", nullptr, {{"body", "```\n[[a]]\n```"}}, true, false},
           {"only in a fence of tildes", nullptr, {{"body", "~~~\n[[a]]\n~~~"}}, true, false},
           {"only in indented code", nullptr, {{"body", "x\n\n    [[a]]"}}, true, false},
           {"only inline", nullptr, {{"body", "`[[a]]`"}}, true, false},
           {"embedded", nullptr, {{"body", "![[a]]"}}, false, false},
           {"another body of an old article without links", "old", {{"body", "new"}}, false, true},
           {"another capsule of it", "old", {{"capsule", "New."}}, false, true},
           {"the last link goes", "[[a]]", {{"body", "none"}}, true, false},
           {"the last link moves into a fence",
            "[[a]]",
            {{"body", "```\n[[a]]\n```"}},
            true,
            false},
           {"a link is exchanged", "[[a]]", {{"body", "[[b]]"}}, false, false},
           {"a link is spelled otherwise", "[[a]]", {{"body", "[[A]] too"}}, false, false},
       }) {
    CAPTURE(each.what);
    std::filesystem::remove_all(project.directory + "/.canon/articles");
    if (each.stored != nullptr) {
      project.put_article("x", std::string("---\ncapsule: C.\n---\n") + each.stored + "\n");
    }
    const std::string before = project.article_file("x");
    const tool_answer answer = project.call(write("x", each.fields));
    CHECK(answer.is_error == each.refused);
    CHECK(holds(answer.text, "Write rejected") == each.refused);
    CHECK(holds(answer.text, "\nschema: refs: ") == each.warned);
    CHECK(holds(answer.text, "Link it.") == (each.refused || each.warned));
    CHECK((project.article_file("x") == before) == each.refused);
  }
}

TEST_CASE("each store has a schema of its own") {
  canon_project project;
  project.all.put("lake/prices.csv", "");
  project.all.put("lake/.canon/schema.json",
                  R"({"article":{"capsule":{"required":true,"hint":"Say it."}}})");
  project.open({}, {"../lake"});
  CHECK_FALSE(project.call(write("a", {{"body", "x"}})).is_error);
  const tool_answer refused = project.call(write("lake:prices", {{"body", "x"}}));
  CHECK(refused.is_error);
  CHECK(holds(refused.text, "(lake:prices)"));
  CHECK(holds(refused.text, "Say it."));
  CHECK(project.all.get("lake/.canon/articles/prices.md") == "(none)");
  CHECK(holds(project.get(".canon/schema.json"), "schema_version"));
  // and a new store of a mount gets one as the project's does
  project.all.put("pond/x.csv", "");
  project.open({}, {"../pond"});
  CHECK_FALSE(project.call(write("pond:x", {{"capsule", "C."}})).is_error);
  CHECK(project.all.get("pond/.canon/schema.json") == default_schema_text());
}

TEST_CASE("the schema as it is created changes no answer that is within its bounds") {
  const std::vector<json> calls = {
      write("src/core/config", {{"capsule", "C."}, {"body", "Must A.\n\n[[gone]]"}}),
      write("src/core/config", {{"body", "Must A. And B.\n\n[[gone]]"}}),
      write("src/core/config", {{"body", "Less."}}),
      write("src/core/config", {{"body", "Less."}}),
      write("src/core/gone", {{"capsule", "Added x."}}),
      write("bare", {{"body", "No capsule."}}),
      write("log", {{"capsule", "C."}, {"body", std::string(8001, 'x')}}),
      write("src/core/config/part", {{"capsule", "C."}, {"body", "Small."}}),
      {{"action", "read"}, {"path", "src/core/config/deep"}},
      {{"action", "read"}, {"path", "bare"}},
      {{"action", "journal"}, {"body", "Limit is 42."}, {"subject", {"bare"}}},
      {{"action", "map"}},
  };
  const canon_project with;
  const canon_project without;
  // so both stores are old ones, and only one has the file
  with.put(".canon/schema.json", default_schema_text());
  std::filesystem::create_directories(without.directory + "/.canon/journal");
  for (const json& call : calls) {
    CAPTURE(call.dump().substr(0, 200));
    const tool_answer one = with.call(call);
    const tool_answer other = without.call(call);
    CHECK(one.text == other.text);
    CHECK(one.is_error == other.is_error);
  }
  for (const char* address : {"src/core/config", "src/core/gone", "bare", "log"}) {
    CHECK(with.article_file(address) == without.article_file(address));
  }
  CHECK(without.get(".canon/schema.json") == "(none)");
}

TEST_CASE("a schema that cannot be read is told on every write, and nothing is enforced") {
  const canon_project project;
  REQUIRE(std::filesystem::create_directories(project.directory + "/.canon/schema.json"));
  for (int round = 0; round < 2; ++round) {
    const tool_answer answer = project.call(write("a", {{"body", std::to_string(round)}}));
    CHECK_FALSE(answer.is_error);
    CHECK(holds(answer.text, "Wrote a."));
    CHECK(holds(answer.text, "\nschema.json cannot be read"));
    CHECK(holds(answer.text, "not being enforced"));
  }
  CHECK(holds(project.text({{"action", "read"}, {"path", "a"}}), "not being enforced"));
}

TEST_CASE("the first thing that is saved creates the schema, and nothing else does") {
  struct row {
    json call;
    bool creates;
  };
  for (const row& each : std::vector<row>{
           {write("a", {{"capsule", "C."}}), true},
           {{{"action", "journal"}, {"body", "Event."}}, true},
           {{{"action", "read"}, {"path", "a"}}, false},
           {{{"action", "map"}}, false},
           {{{"action", "journal"}, {"body", " "}}, false},
           {write("leaf.md/x", {{"capsule", "C."}}), false},
       }) {
    CAPTURE(each.call.dump());
    const canon_project project;
    static_cast<void>(project.call(each.call));
    CHECK(project.get(".canon/schema.json") == (each.creates ? default_schema_text() : "(none)"));
  }
}
