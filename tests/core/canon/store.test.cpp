#include "core/canon/store.hpp"

#include "tests/core/canon/canon_project.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>

using namespace resilient;
using namespace resilient::canon;
using namespace resilient::canon::tests;

namespace {

article with_body(const std::string& body) {
  return apply_change(std::nullopt, {std::nullopt, body, std::nullopt}, "2026-11-30");
}

} // namespace

TEST_CASE("an edit sees what somebody else saved in the meantime") {
  const canon_project project;
  store knowledge(project.directory);
  project.put_article("a", "one\n");
  int asked = 0;
  const auto outcome = knowledge.edit("a", [&](const auto& stored) {
    if (++asked == 1) {
      project.put_article("a", "by an editor\n"); // which takes no lock
    }
    return std::optional<article>(
        with_body(std::string(stored ? stored->content.text() : "none") + ", and more"));
  });
  CHECK(outcome.value() == store::edit_outcome::written);
  CHECK(asked == 2);
  CHECK(holds(project.article_file("a"), "by an editor, and more\n"));
}

TEST_CASE("an edit that leaves things alone creates nothing") {
  const canon_project project;
  store knowledge(project.directory);
  CHECK(knowledge.edit("a", [](const auto&) { return std::optional<article>(); }).value()
        == store::edit_outcome::left_alone);
  CHECK_FALSE(std::filesystem::exists(project.directory + "/.canon"));
  CHECK(knowledge.edit("", [](const auto&) { return std::optional<article>(); }).error().kind
        == error_kind::usage);
}

TEST_CASE("the thousandth entry of one slug is found a name without trying all") {
  const canon_project project;
  for (int number = 1; number <= 1000; ++number) {
    project.put(".canon/journal/" + entry_name("2026-11-30", "same", static_cast<unsigned>(number)),
                "x");
  }
  store knowledge(project.directory);
  journal_entry entry;
  entry.logged = "2026-11-30T00:00:00.000Z";
  entry.body = "x";
  CHECK(knowledge.append(entry, "same").value() == "2026-11-30-same-1001.md");
  CHECK(knowledge.append(entry, "same").value() == "2026-11-30-same-1002.md");
  CHECK(knowledge.append(entry, "other").value() == "2026-11-30-other.md");
}

TEST_CASE("a store holds articles, a journal and a schema, and nothing else") {
  const canon_project project;
  for (int round = 0; round < 3; ++round) {
    for (const nlohmann::json& call : std::vector<nlohmann::json>{
             {{"action", "write"}, {"path", "a/b"}, {"body", std::to_string(round)}},
             {{"action", "journal"}, {"body", "x"}, {"subject", {"a/b"}}},
             {{"action", "read"}, {"path", "a/b"}},
             {{"action", "map"}}}) {
      CHECK_FALSE(project.call(call).is_error);
    }
  }
  std::set<std::string> names;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(project.directory + "/.canon")) {
    names.insert(entry.path().lexically_relative(project.directory + "/.canon").string());
  }
  CHECK(names
        == std::set<std::string>{"articles", "articles/a", "articles/a/b.md", "journal",
                                 "journal/2026-11-30-entry.md", "journal/2026-11-30-entry-2.md",
                                 "journal/2026-11-30-entry-3.md", "schema.json"});
}

TEST_CASE("capsules are listed from the beginnings of files, however they are written") {
  const canon_project project;
  const std::string long_body(10'000, 'x');
  project.put_article("short", "---\ncapsule: S\n---\n");
  project.put_article("long", "---\ncapsule: L\n---\n" + long_body);
  project.put_article("mark", "\xEF\xBB\xBF---\ncapsule: M\n---\n" + long_body);
  project.put_article("wide", "---\ntags: " + long_body + "\ncapsule: W\n---\nx");
  project.put_article("none", long_body);
  // what the first block of bytes ends in looks like a fence and is none
  const std::string before = "---\ncapsule: F\nnote: ";
  project.put_article("fence", before + std::string(4096 - before.size() - 4, 'n')
                                   + "\n--- more\nscope: rule\n---\nx");
  CHECK(project.text({{"action", "map"}}) == "fence: F\nlong: L\nmark: M\nnone\nshort: S\nwide: W");
}

TEST_CASE("dotted folders keep their names") {
  const canon_project project;
  project.put("packages/ui.kit/button.tsx", "");
  CHECK(holds(project.text({{"action", "write"},
                            {"path", "packages/ui.kit"},
                            {"capsule", "The kit."},
                            {"body", "x"}}),
              "Wrote packages/ui.kit."));
  CHECK(holds(project.text({{"action", "read"}, {"path", "packages/ui.kit/button.tsx"}}),
              "packages/ui.kit governs packages/ui.kit/button"));
  CHECK(project.text({{"action", "map"}, {"path", "packages/ui.kit"}})
        == "packages/ui.kit: The kit.");
}

TEST_CASE("a mount may have any name") {
  canon_project project;
  project.all.put("my l\xC3\xA4ke/prices.csv", "");
  project.open({}, {"../my l\xC3\xA4ke/"});
  CHECK(holds(project.text({{"action", "write"},
                            {"path", project.all.at("my l\xC3\xA4ke/prices.csv")},
                            {"body", "x"}}),
              "Wrote my l\xC3\xA4ke:prices."));
  CHECK(holds(project.text({{"action", "read"}, {"path", "my l\xC3\xA4ke:prices"}}), "\n\nx"));
}

TEST_CASE("an empty or foreign folder is a store without articles") {
  const temporary_folder all;
  all.put("file/.canon", "not a folder");
  for (const std::string& directory : {all.path(), all.at("absent"), all.at("file")}) {
    const store knowledge(directory);
    CHECK(knowledge.list().empty());
    CHECK(knowledge.journal_names().empty());
    CHECK_FALSE(knowledge.has("a"));
    const auto read = knowledge.read("a");
    CHECK((!read || !read->has_value()));
  }
}

TEST_CASE("what could not be read again is not written") {
  const canon_project project;
  store knowledge(project.directory);
  project.put_article("a", "one\n");
  const auto outcome = knowledge.edit("a", [](const auto&) {
    return std::optional<article>(with_body(std::string(longest_file, 'x')));
  });
  REQUIRE_FALSE(outcome.has_value());
  CHECK(outcome.error().message.find("Split it.") != std::string::npos);
  CHECK(holds(project.article_file("a"), "one\n"));

  journal_entry entry;
  entry.logged = "2026-11-30T00:00:00.000Z";
  entry.body = std::string(longest_file, 'x');
  CHECK_FALSE(knowledge.append(entry, "long").has_value());
  CHECK(knowledge.journal_names().empty());
}
