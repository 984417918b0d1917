#include "tests/core/canon/canon_project.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

using namespace resilient::canon;
using namespace resilient::canon::tests;
using nlohmann::json;

namespace {

json log(const std::string& body, const json& subject, const std::string& slug = "e") {
  return {{"action", "journal"}, {"body", body}, {"subject", subject}, {"slug", slug}};
}

} // namespace

TEST_CASE("no action changes an entry that is there") {
  const canon_project project;
  CHECK_FALSE(project.call(log("First.", {"src/core/config"})).is_error);
  const std::string path = project.directory + "/.canon/journal/2026-11-30-e.md";
  struct stat before {};
  REQUIRE(::stat(path.c_str(), &before) == 0);
  const std::string bytes = project.get(".canon/journal/2026-11-30-e.md");
  for (const json& call :
       {log("Second.", {"src/core/config"}), log("First.", {"src/core/config"}),
        json{{"action", "write"}, {"path", "src/core/config"}, {"capsule", "C."}, {"body", "B"}},
        json{{"action", "write"}, {"path", ".canon/journal/2026-11-30-e.md"}, {"body", "forged"}},
        json{{"action", "write"}, {"path", "../journal/2026-11-30-e"}, {"body", "forged"}},
        json{{"action", "read"}, {"path", "src/core/config"}}, json{{"action", "map"}},
        json{{"action", "delete"}, {"path", "2026-11-30-e.md"}}}) {
    static_cast<void>(project.call(call));
  }
  struct stat after {};
  REQUIRE(::stat(path.c_str(), &after) == 0);
  CHECK(project.get(".canon/journal/2026-11-30-e.md") == bytes);
  CHECK(after.st_ino == before.st_ino);
  CHECK(after.st_mtim.tv_sec == before.st_mtim.tv_sec);
  CHECK(after.st_mtim.tv_nsec == before.st_mtim.tv_nsec);
  CHECK(after.st_nlink == 1);
}

TEST_CASE("what an entry says is shown by no action but a search of the journal") {
  const canon_project project;
  CHECK_FALSE(project.call(log("The sentinel is 4711.", {"src/core/config"})).is_error);
  for (const json& call :
       {json{{"action", "write"}, {"path", "src/core/config"}, {"capsule", "C."}, {"body", "B"}},
        json{{"action", "read"}, {"path", "src/core/config"}}, json{{"action", "map"}},
        json{{"action", "read"}, {"path", "journal/2026-11-30-e"}},
        log("Other.", {"src/core/config"}),
        json{{"action", "read"}, {"path", ".canon/journal/2026-11-30-e.md"}}}) {
    CAPTURE(call.dump());
    const std::string text = project.text(call);
    CHECK_FALSE(holds(text, "sentinel"));
    CHECK_FALSE(holds(text, "4711"));
  }
}

TEST_CASE("the journal is always the project's") {
  canon_project project;
  project.all.put("lake/prices.csv", "");
  project.open({}, {"../lake"});
  CHECK_FALSE(project.call(log("x", {"lake:prices"})).is_error);
  CHECK(holds(project.get(".canon/journal/2026-11-30-e.md"), "subject: [\"lake:prices\"]"));
  CHECK_FALSE(std::filesystem::exists(project.all.at("lake/.canon")));
}

TEST_CASE("subjects are named once, each as an address") {
  const canon_project project;
  CHECK_FALSE(project
                  .call(log("x", {"src/a.ts", "src/a", "./src/a.ts", "", "...", "src/a,b.ts",
                                  project.directory + "/src/core/config.ts"}))
                  .is_error);
  CHECK(holds(project.get(".canon/journal/2026-11-30-e.md"),
              "---\nsubject: [src/a, \"src/a,b\", src/core/config]\nlogged: "));
  CHECK_FALSE(project.call(log("x", {"", "..."})).is_error);
  CHECK_FALSE(holds(project.get(".canon/journal/2026-11-30-e-2.md"), "subject"));
  CHECK(project.call(log("x", {5})).is_error);
  CHECK(project.get(".canon/journal/2026-11-30-e-3.md") == "(none)");
}

TEST_CASE("eleven entries of one instant keep the order in which they were written") {
  const canon_project project;
  project.put_article("a", "B\n");
  for (int count = 0; count < 11; ++count) {
    CHECK_FALSE(project.call(log("x", {"a"})).is_error);
  }
  CHECK(holds(
      project.text({{"action", "read"}, {"path", "a"}}),
      "\n\njournal: 2026-11-30-e-11.md, 2026-11-30-e-10.md, 2026-11-30-e-9.md and 8 earlier"));
}

TEST_CASE("an index that the older release left is neither read nor written") {
  const canon_project project;
  project.put_article("a", "B\n");
  project.put(".canon/journal/2026-11-30-e.md", "---\nsubject: [a]\n---\nx\n");
  const std::string index =
      "{\"n\":\"2026-11-29-ghost.md\",\"a\":\"2026-11-29T00:00:00.000Z\",\"s\":[\"a\"]}\n";
  project.put(".canon/.journal-index.jsonl", index);
  const json read = {{"action", "read"}, {"path", "a"}};
  CHECK(project.text(read) == "a\n\nB\n\njournal: 2026-11-30-e.md");
  CHECK_FALSE(project.call(log("x", {"a"}, "f")).is_error);
  CHECK_FALSE(project.call({{"action", "write"}, {"path", "a"}, {"capsule", "C."}}).is_error);
  CHECK(holds(project.text(read), "\n\njournal: 2026-11-30-f.md, 2026-11-30-e.md"));
  CHECK(project.get(".canon/.journal-index.jsonl") == index);
}

TEST_CASE("six values are missed at most, over all subjects, the longest first") {
  const canon_project project;
  project.put_article("a", "Limit 142.\n");
  project.put_article("b", "Nothing.\n");
  CHECK(holds(project.text(log("11 222 3333 44444", {"a", "b", "c"})),
              ": a is missing 44444; a is missing 3333; a is missing 222; a is missing 11; b is "
              "missing 44444; b is missing 3333. Carry"));
  CHECK(holds(project.text(log("42", {"a"})), ": a is missing 42. Carry"));
  CHECK(project.text(log("142", {"a"}, "kept")) == "Logged 2026-11-30-kept.md.");
}
