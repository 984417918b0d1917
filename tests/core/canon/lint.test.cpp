#include "core/canon/lint.hpp"

#include "tests/core/canon/canon_project.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace resilient::canon;
using namespace resilient::canon::tests;
using nlohmann::json;

namespace {

json write(const std::string& path, const json& fields) {
  json call = {{"action", "write"}, {"path", path}};
  call.update(fields);
  return call;
}

/// What a write says, with the address's advice that every test sees taken for granted.
std::string advice(const canon_project& project, const std::string& path, const json& fields) {
  return project.text(write(path, fields));
}

std::string letters(std::size_t count) {
  return std::string(count, 'x');
}

std::vector<std::string> values(const std::string& entry) {
  return missing_values(entry, "");
}

} // namespace

TEST_CASE("any growth of an existing body is told in bytes") {
  canon_project project;
  CHECK_FALSE(holds(advice(project, "a", {{"capsule", "C."}, {"body", "123456"}}), "grew"));
  CHECK(holds(advice(project, "a", {{"body", "1234567\n\n"}}), "Body grew 6 -> 7 bytes."));
  CHECK(holds(advice(project, "a", {{"body", "1234567 8"}}), "journal"));
  for (const json& fields :
       {json{{"body", "same size"}}, json{{"body", "less"}}, json{{"capsule", "New."}},
        json{{"scope", "rule"}}, json{{"body", "less"}}}) {
    CAPTURE(fields.dump());
    CHECK_FALSE(holds(advice(project, "a", fields), "grew"));
  }
  std::string accents;
  for (int count = 0; count < 10; ++count) {
    accents += "\xC3\xA9";
  }
  CHECK_FALSE(holds(advice(project, "b", {{"body", accents}}), "grew"));
  CHECK(holds(advice(project, "b", {{"body", accents + "\xC3\xA9"}}), "Body grew 20 -> 22 bytes."));
}

TEST_CASE("lines of constraint that are gone are quoted") {
  struct row {
    std::string before;
    std::string after;
    std::vector<std::string> quotes;
  };
  const std::string long_line = "must " + letters(200);
  for (const row& each : std::vector<row>{
           {"- must A\nkeep", "keep", {"must A"}},
           {"* NEVER b", "", {"NEVER b"}},
           {"always c", "", {"always c"}},
           {"it will require d", "", {"it will require d"}},
           {"requires e", "", {"requires e"}},
           {"is required f", "", {"is required f"}},
           {"do not g", "", {"do not g"}},
           {"don't h", "", {"don't h"}},
           {"don\xE2\x80\x99t h", "", {"don\xE2\x80\x99t h"}},
           {"do  not i", "", {"do  not i"}},
           // kept, re-wrapped, indented, with another bullet, case, number or apostrophe
           {"must A", "x\nmust A\ny", {}},
           {"must A and B", "must A\nand B", {}},
           {"- must A", "  * must A", {}},
           {"1. must A", "2. must A", {}},
           {"1. must A", "3) must A", {}},
           {"Must be X.", "must be X.", {}},
           {"don\xE2\x80\x99t", "don't", {}},
           // no words of the vocabulary
           {"musty", "", {}},
           {"nevertheless", "", {}},
           {"a requirement", "", {}},
           {"requiring", "", {}},
           {"dont", "", {}},
           {"cannot", "", {}},
           {"shall", "", {}},
           // two at most, as prefixes, in the order of the text
           {"must A\nfine\nnever B\nalways C", "fine", {"must A", "never B"}},
           {long_line, "", {long_line.substr(0, 160)}},
           {"must\r\nmust A\r\n", "must", {"must A"}},
       }) {
    CAPTURE(each.before);
    CHECK(dropped_constraints(each.before, each.after) == each.quotes);
  }
  canon_project project;
  CHECK_FALSE(holds(advice(project, "a", {{"body", "must A\nrest"}}), "dropped"));
  CHECK_FALSE(holds(advice(project, "a", {{"capsule", "New."}}), "dropped"));
  const std::string answer = advice(project, "a", {{"body", "rest"}});
  CHECK(holds(answer, "dropped constraint language: \"must A\""));
  CHECK(holds(project.article_file("a"), "---\nrest\n")); // the write has landed all the same
}

TEST_CASE("a rule is asked about only when something is found by relevance") {
  canon_project project;
  CHECK_FALSE(holds(advice(project, "src/core/config", {{"body", "must A"}}), "states a rule"));
  options lexical;
  lexical.retrieval = retrieval_kind::lexical;
  project.open(lexical);
  project.put("src/core/other.ts", "");
  CHECK(holds(advice(project, "src/core/other", {{"body", "must A"}}),
              "states a rule at the address of one asset"));
  CHECK_FALSE(holds(advice(project, "src/core/other", {{"body", "must A, B"}}), "states a rule"));
  CHECK_FALSE(holds(advice(project, "src/core/other", {{"capsule", "C"}}), "states a rule"));
  CHECK(holds(advice(project, "rules/a", {{"body", "must A"}}), "write it again with scope rule"));
  CHECK_FALSE(
      holds(advice(project, "rules/b", {{"body", "must A"}, {"scope", "rule"}}), "states a rule"));
}

TEST_CASE("sizes") {
  canon_project project;
  project.put(".canon/schema.json", "{}"); // no bounds are declared
  const auto of_size = [&](const std::string& path, std::size_t size) {
    return advice(project, path, {{"capsule", "C."}, {"body", letters(size)}});
  };
  CHECK_FALSE(holds(of_size("a", 8000), "warn past"));
  CHECK(holds(of_size("a", 8001), "8001 chars (articles warn past 8000)"));
  CHECK(holds(of_size("a", 20000), "warn past"));
  CHECK(holds(of_size("a", 20001), "large past 20000"));
  CHECK(holds(of_size("a", 20001), "already current"));
  CHECK(holds(of_size("a/b", 399), "folding it into a"));
  // measured without the final line end, also when only the capsule is written
  CHECK(holds(advice(project, "a/b", {{"capsule", "D."}}), "folding it into a"));
  CHECK_FALSE(holds(of_size("a/c", 400), "folding"));
  CHECK_FALSE(holds(of_size("lonely/d", 399), "folding"));
  // a declared bound speaks for itself
  project.put(
      ".canon/schema.json",
      R"({"article":{"body":{"max_chars":30000,"min_chars":1},"capsule":{"max_chars":5000}}})");
  CHECK_FALSE(holds(of_size("e", 20001), "large past"));
  CHECK_FALSE(holds(of_size("a/f", 10), "folding"));
  CHECK_FALSE(
      holds(advice(project, "g", {{"capsule", letters(1001)}, {"body", "x"}}), "at most 1000"));
}

TEST_CASE("the default schema speaks in place of the lines it declares") {
  canon_project project;
  CHECK_FALSE(project.call(write("seed", {{"body", "x"}})).is_error);
  const std::string answer =
      advice(project, "a", {{"capsule", letters(1050)}, {"body", letters(20001)}});
  CHECK(holds(answer, "schema: capsule: 1050 chars (max 1000)."));
  CHECK(holds(answer, "schema: body: 20001 chars (max 20000)."));
  CHECK_FALSE(holds(answer, "large past"));
  CHECK_FALSE(holds(answer, "at most 1000"));
}

TEST_CASE("capsules") {
  canon_project project;
  project.put(".canon/schema.json", "{}");
  CHECK(holds(advice(project, "a", {{"body", "x"}}), "No capsule"));
  CHECK_FALSE(holds(advice(project, "b", {{"capsule", letters(1000)}}), "at most 1000"));
  CHECK(holds(advice(project, "b", {{"capsule", letters(1001)}}), "at most 1000"));
  for (const std::string capsule :
       {"Added x", "changed", "Fixed-up x", "implemented y", "Migrated.", "refactored it",
        "removed z", "renamed a", "added: y", "Verified.", "UPDATED x"}) {
    CAPTURE(capsule);
    CHECK(holds(advice(project, "c", {{"capsule", capsule}}), "change log"));
  }
  for (const std::string capsule :
       {"Adding x", "Update", "Moved", "Deleted", "Now updated", "addedx", "fixed_point math"}) {
    CAPTURE(capsule);
    CHECK_FALSE(holds(advice(project, "d", {{"capsule", capsule}}), "change log"));
  }
  project.put(".canon/schema.json", R"({"article":{"capsule":{"required":true}}})");
  project.put_article("e", "text\n");
  CHECK_FALSE(holds(advice(project, "e", {{"body", "x"}}), "No capsule"));
}

TEST_CASE("addresses of logs and days are sent to the journal") {
  canon_project project;
  for (const std::string path :
       {"log", "src/Logs/x", "a/journal", "session", "sessions/a", "standup", "standups",
        "Meeting/b", "meetings", "2026-01-02", "notes/on-2026-01-02-x", "a2026-01-023"}) {
    CAPTURE(path);
    CHECK(holds(advice(project, path, {{"capsule", "C."}}), "belong in the journal"));
  }
  for (const std::string path : {"logger", "changelog", "blog", "2026-1-02", "src/catalog"}) {
    CAPTURE(path);
    CHECK_FALSE(holds(advice(project, path, {{"capsule", "C."}}), "belong in the journal"));
  }
}

TEST_CASE("dead links are named once each, ten at most") {
  canon_project project;
  project.all.put("lake/prices.csv", "");
  project.open({}, {"../lake"});
  CHECK_FALSE(project.call(write("alive", {{"body", "x"}})).is_error);
  CHECK_FALSE(project.call(write("lake:p", {{"body", "x"}})).is_error);
  const auto dead = [&](const std::string& body) {
    const std::string answer = advice(project, "a", {{"capsule", "C."}, {"body", body}});
    std::size_t lines = 0;
    for (std::size_t at = answer.find("Dead link"); at != std::string::npos;
         at = answer.find("Dead link", at + 1)) {
      ++lines;
    }
    return lines;
  };
  CHECK(dead("[[alive]] [[alive.md]] [[alive.ts]] [[alive|shown]] [[alive#part]] [[lake:p]]") == 0);
  CHECK(dead("[[dead]] [[dead]] [[dead]] [[dead]]") == 1);
  CHECK(dead("[[lake:q]]") == 1);
  CHECK(dead("`[[code]]`\n\n```\n[[ -f x ]]\n```\n[[dead]]") == 1);
  CHECK(dead("[[../schema]] [[../../proj/x]]") == 2);
  std::string many;
  for (int count = 0; count < 13; ++count) {
    many += "[[gone" + std::to_string(count) + "]] ";
  }
  CHECK(dead(many) == 10);
  CHECK(holds(advice(project, "b", {{"body", many}}), "3 more dead links."));
  // a moved article is noticed at the next write of the article that links it
  CHECK_FALSE(project.call(write("c", {{"capsule", "C."}, {"body", "[[alive]]"}})).is_error);
  std::filesystem::rename(project.directory + "/.canon/articles/alive.md",
                          project.directory + "/.canon/articles/moved.md");
  CHECK(holds(advice(project, "c", {{"capsule", "D."}}), "[[alive]]"));
}

TEST_CASE("an article whose asset is gone is asked about, on read and on write") {
  canon_project project;
  project.put("src/core/a.b.c", "");
  project.put("src/core/.env.local", "");
  project.put("src/core/config.test.ts", "");
  project.put("src/file", "");
  const auto asked = [&](const std::string& address, const std::string& scope = "asset") {
    const bool on_write =
        holds(advice(project, address, {{"capsule", "C."}, {"body", "B"}, {"scope", scope}}),
              "No asset on disk");
    const bool on_read =
        holds(project.text({{"action", "read"}, {"path", address}}), "parent directory exists");
    CHECK(on_write == on_read);
    return on_write;
  };
  CHECK(asked("src/core/gone"));
  CHECK(asked("src/core/a"));
  CHECK_FALSE(asked("src/core/a.b.c"));
  CHECK_FALSE(asked("src/core/.env"));
  CHECK_FALSE(asked("src/core/config.test.ts"));
  CHECK_FALSE(asked("src/core/config.ts"));
  CHECK_FALSE(asked("src/core"));
  CHECK_FALSE(asked("gone"));
  CHECK_FALSE(asked("no/such/folder"));
  CHECK_FALSE(asked("src/file/x"));
  CHECK_FALSE(asked("src/core/rule", "rule"));
}

TEST_CASE("values in an entry that the article does not hold") {
  struct row {
    std::string entry;
    std::vector<std::string> found;
  };
  for (const row& each : std::vector<row>{
           {"uses `a b` and \"c d\"", {"a b", "c d"}},
           {"the billing-close job", {"billing-close"}},
           {"account ACME_7 has it", {"ACME_7"}},
           {"see config.toml now", {"config.toml"}},
           {"limit 1,000 per day, 12.5% and 42", {"1,000", "12.5%", "42"}},
           {"after three retries", {"three retries"}},
           {"raised to 42, then", {"42"}},
           {"on 2026-01-02 at 10:15", {}},
           {"v1.2.3 and 4.5.6", {}},
           {"twenty-one days", {"twenty-one"}},
           {"just 5", {}},
           {"12.5%J", {"12.5"}},
           {"`x`", {}},
           {"`" + std::string(61, 'x') + "`", {}},
           {"42 and 42 and `42`", {"42"}},
           {"one of", {}},
       }) {
    CAPTURE(each.entry);
    CHECK(values(each.entry) == each.found);
  }
  CHECK(missing_values("42", "limit 142").size() == 1);
  CHECK(missing_values("42", "limit (42).").empty());
  CHECK(missing_values("the Billing-Close job", "system:billing-close").empty());
  CHECK(missing_values("`two  words`", "Two\nwords").empty());
  CHECK(values("11 22 333 4444 55555 666666 7777777")
        == std::vector<std::string>{"7777777", "666666", "55555", "4444", "333", "11"});
}

TEST_CASE("an entry names the values that the articles of its subjects lack") {
  canon_project project;
  CHECK_FALSE(project.call(write("a", {{"capsule", "Limit 40."}, {"body", "x"}})).is_error);
  const auto log = [&](const std::string& body, const json& subject) {
    return project.text({{"action", "journal"}, {"body", body}, {"subject", subject}});
  };
  CHECK(holds(log("raised to 42, then", {"a"}), "a is missing 42"));
  CHECK_FALSE(holds(log("stays at 40", {"a"}), "missing"));
  CHECK_FALSE(holds(log("raised to 42", json::array()), "missing"));
  CHECK_FALSE(holds(log("raised to 42", {"a/below"}), "missing"));
}
