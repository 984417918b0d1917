#include "core/canon/schema.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

using namespace resilient::canon;

namespace {

schema parse(const std::string& text) {
  return parse_schema(std::optional<std::string>(text));
}

bool mentions(const std::vector<std::string>& lines, const std::string& part) {
  for (const std::string& line : lines) {
    if (line.find(part) != std::string::npos) {
      return true;
    }
  }
  return false;
}

article make(const std::string& capsule, const std::string& body) {
  return apply_change(std::nullopt, {capsule, body, std::nullopt}, "2026-11-30");
}

} // namespace

TEST_CASE("a store without a schema has no rules and no problems") {
  const schema rules = parse_schema(std::optional<std::string>());
  CHECK(rules.problems.empty());
  CHECK_FALSE(rules.capsule.has_value());
}

TEST_CASE("the default schema requires nothing and names the caps") {
  const schema rules = parse(default_schema_text());
  CHECK(rules.problems.empty());
  CHECK(nlohmann::json::parse(default_schema_text()).at("schema_version") == 1);
  REQUIRE(rules.capsule.has_value());
  CHECK_FALSE(rules.capsule->required);
  CHECK(rules.capsule->max_chars == 1000);
  REQUIRE(rules.title.has_value());
  CHECK_FALSE(rules.title->required);
  REQUIRE(rules.body.has_value());
  CHECK(rules.body->max_chars == 20000);
  REQUIRE(rules.refs.has_value());
  CHECK_FALSE(rules.refs->required);
  CHECK_FALSE(rules.orphan_warn);
  CHECK_FALSE(rules.children_listed);
}

TEST_CASE("a file that cannot be understood enforces nothing and says so") {
  for (const std::string text : {"", "{bad", "\xEF\xBB\xBF{}", "[]", "null", "1",
                                 "{\"article\":[]}", "{\"article\":5}", "{\"article\":\"x\"}"}) {
    CAPTURE(text);
    const schema rules = parse(text);
    CHECK(rules.problems.size() == 1);
    CHECK(mentions(rules.problems, "schema.json"));
    CHECK(mentions(rules.problems, "not being enforced"));
    CHECK_FALSE(rules.capsule.has_value());
    CHECK_FALSE(rules.refs.has_value());
  }
  const schema unreadable = parse_schema(resilient::result<std::optional<std::string>>(
      resilient::fail(resilient::error_kind::data, "it is a directory")));
  CHECK(mentions(unreadable.problems, "it is a directory"));
}

TEST_CASE("a part that cannot be understood is named, and the rest holds") {
  struct row {
    std::string article;
    std::string named;
  };
  for (const row& each : std::vector<row>{
           {R"("name":{"required":true})", "article.name"},
           {R"("title":{"max_length":5})", "title.max_length"},
           {R"("title":null)", "title"},
           {R"("title":[])", "title"},
           {R"("title":{"required":"true"})", "title.required"},
           {R"("title":{"min_chars":-1})", "title.min_chars"},
           {R"("title":{"max_chars":1.5})", "title.max_chars"},
           {R"("title":{"hint":5})", "title.hint"},
       }) {
    CAPTURE(each.article);
    const schema rules = parse(R"({"article":{"capsule":{"required":true},)" + each.article + "}}");
    CHECK(rules.problems.size() == 1);
    CHECK(mentions(rules.problems, each.named));
    REQUIRE(rules.capsule.has_value());
    CHECK(rules.capsule->required);
  }
  struct relation {
    std::string relations;
    std::string named;
  };
  for (const relation& each : std::vector<relation>{
           {"null", "relations"},
           {"[]", "relations"},
           {R"({"links":{}})", "relations.links"},
           {R"({"refs":{"min":1}})", "relations.refs.min"},
           {R"({"refs":5})", "relations.refs"},
           {R"({"orphan":{"warn":1}})", "relations.orphan.warn"},
           {R"({"children":{"listed":"yes"}})", "relations.children.listed"},
       }) {
    CAPTURE(each.relations);
    const schema rules =
        parse(R"({"article":{"capsule":{"required":true}},"relations":)" + each.relations + "}");
    CHECK(rules.problems.size() == 1);
    CHECK(mentions(rules.problems, each.named));
    CHECK(rules.capsule->required);
  }
}

TEST_CASE("other keys, versions and a missing article are no problem") {
  for (const std::string text : {"{}", "{\"article\":null}", "{\"schema_version\":99,\"mine\":[1]}",
                                 "{\"article\":{\"body\":{\"max_chars\":3.0}}}"}) {
    CAPTURE(text);
    CHECK(parse(text).problems.empty());
  }
}

TEST_CASE("what is required refuses the write that is to blame, and warns otherwise") {
  const std::string text = R"({"article":{"capsule":{"required":true,"hint":"Say it."},
                               "title":{"required":true},"body":{"required":true}}})";
  const schema rules = parse(text);
  struct row {
    bool created;
    bool capsule_supplied;
    bool body_supplied;
    std::size_t rejections;
    std::size_t warnings;
  };
  const article empty = make("", "");
  for (const row& each : std::vector<row>{
           {true, false, false, 3, 0},
           {false, true, false, 1, 2},
           {false, false, true, 2, 1},
           {false, false, false, 0, 3},
       }) {
    CAPTURE(each.created);
    CAPTURE(each.capsule_supplied);
    CAPTURE(each.body_supplied);
    const schema_verdict verdict = check_schema(
        rules, {empty, each.created, each.capsule_supplied, each.body_supplied, false});
    CHECK(verdict.rejections.size() == each.rejections);
    CHECK(verdict.warnings.size() == each.warnings);
    CHECK((mentions(verdict.rejections, "capsule") || mentions(verdict.warnings, "capsule")));
    CHECK((mentions(verdict.rejections, "Say it.") || mentions(verdict.warnings, "Say it.")));
  }
  const schema_verdict fine = check_schema(rules, {make("C", "# T\nB"), true, true, true, true});
  CHECK(fine.rejections.empty());
  CHECK(fine.warnings.empty());
}

TEST_CASE("bounds only warn, in the words that other tools know") {
  const schema rules = parse(
      R"({"article":{"capsule":{"max_chars":1000,"hint":"Short."},"body":{"min_chars":10,"max_chars":5}}})");
  const schema_verdict verdict =
      check_schema(rules, {make(std::string(1050, 'x'), "1234567"), true, true, true, true});
  CHECK(verdict.rejections.empty());
  CHECK(verdict.warnings
        == std::vector<std::string>{"capsule: 1050 chars (max 1000). Short.",
                                    "body: 7 chars (min 10).", "body: 7 chars (max 5)."});
  // lengths are UTF-16 units of the text without its final line end
  const schema exact = parse(R"({"article":{"body":{"max_chars":4,"min_chars":4}}})");
  CHECK(check_schema(exact, {make("", "\xF0\x9F\x98\x80\xC3\xA9!\n\n"), true, true, true, true})
            .warnings.empty());
  // an empty field is not measured
  CHECK(check_schema(exact, {make("", ""), true, true, true, true}).warnings.empty());
}

TEST_CASE("citations are judged by what a write changes") {
  const schema rules =
      parse(R"({"relations":{"refs":{"required":true,"min_count":2,"hint":"Name it."}}})");
  const article none = make("", "no links, `[[code]]`\n\n~~~\n[[fenced]]\n~~~\n");
  CHECK(check_schema(rules, {none, true, false, false, false}).rejections.size() == 1);
  CHECK(check_schema(rules, {none, false, false, true, true}).rejections.size() == 1);
  CHECK(check_schema(rules, {none, false, false, true, false}).warnings.size() == 1);
  const article doubled = make("", "[[A]] and [[a]] and [[a|b]]");
  CHECK(check_schema(rules, {doubled, true, false, true, true}).warnings
        == std::vector<std::string>{"refs: 1 outgoing (min 2). Name it."});
  CHECK(check_schema(rules, {make("", "[[a]] [[b]]"), true, false, true, true}).warnings.empty());
}
