#include "tests/core/canon/canon_project.hpp"

#include <doctest/doctest.h>

#include <cstddef>
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

std::string letters(std::size_t count) {
  return std::string(count, 'x');
}

} // namespace

TEST_CASE("the sentences of an answer have one order") {
  canon_project project;
  options lexical;
  lexical.retrieval = retrieval_kind::lexical;
  project.open(lexical);
  project.put(".canon/schema.json",
              R"({"article":{"title":{"required":true},"capsule":{"max":1}}})");
  project.put_article("src/core/log", "---\ncapsule: Old.\nupdated: 2026-01-01\n---\nnever A\n");
  const std::string answer = project.text(
      write("src/core/log",
            {{"capsule", "Added " + letters(1000)},
             {"body", "# T\nmust B [[gone]] ghp_" + std::string(36, 'a') + letters(8001)}}));
  std::size_t last = 0;
  for (const char* part :
       {"Wrote src/core/log.", "\nBody grew 7 -> ", "\nschema.json: capsule.max",
        "dropped constraint language: \"never A\"", "\nThe body is 80",
        "\nThe capsule is 1006 chars", "\nThe capsule reads like a change log",
        "\nThe address src/core/log names a log", "\nDead link: no article is at [[gone]].",
        "\nNo asset on disk matches src/core/log"}) {
    CAPTURE(part);
    const std::size_t at = answer.find(part);
    REQUIRE(at != std::string::npos);
    CHECK(at >= last);
    last = at;
  }
  CHECK(answer.rfind("Wrote", 0) == 0);
  // what the schema says comes before advice, and a rule is asked about before the address
  project.put(".canon/schema.json", R"({"article":{"body":{"min_chars":50}}})");
  const std::string short_one =
      project.text(write("src/core/journal", {{"capsule", "C."}, {"body", "Must C."}}));
  const std::size_t schema = short_one.find("\nschema: body: 7 chars (min 50).");
  const std::size_t rule = short_one.find("states a rule");
  const std::size_t address = short_one.find("\nThe address src/core/journal");
  CAPTURE(short_one);
  REQUIRE(schema != std::string::npos);
  REQUIRE(rule != std::string::npos);
  REQUIRE(address != std::string::npos);
  CHECK(schema < rule);
  CHECK(rule < address);
}

TEST_CASE("a long body is warned of, whatever the schema declares") {
  const canon_project project;
  CHECK_FALSE(project.call(write("seed", {{"capsule", "C."}, {"body", "x"}})).is_error);
  REQUIRE(holds(project.get(".canon/schema.json"), "\"max_chars\": 20000"));
  CHECK_FALSE(
      holds(project.text(write("a", {{"capsule", "C."}, {"body", letters(8000)}})), "warn past"));
  CHECK(holds(project.text(write("b", {{"capsule", "C."}, {"body", letters(8001)}})),
              "8001 chars (articles warn past 8000)"));
  CHECK(holds(project.text(write("c", {{"capsule", "C."}, {"body", letters(20000)}})),
              "20000 chars (articles warn past 8000)"));
}

TEST_CASE("a write that changes nothing gets no advice") {
  const canon_project project;
  const json call = write("src/core/log",
                          {{"capsule", "Added x."}, {"body", "Must A. [[gone]] " + letters(9000)}});
  const std::string first = project.text(call);
  for (const char* part :
       {"No asset on disk", "Dead link", "change log", "warn past", "names a log"}) {
    CAPTURE(part);
    CHECK(holds(first, part));
  }
  CHECK(project.text(call)
        == "src/core/log is already current (updated 2026-11-30); nothing was written.");
}

TEST_CASE("a write that is refused says only why") {
  const canon_project project;
  project.put(".canon/schema.json", R"({"article":{"title":{"required":true,"hint":"Name it."}}})");
  project.put_article("src/core/log", "---\ncapsule: C.\n---\n# T\nmust A\n");
  const std::string before = project.article_file("src/core/log");
  const tool_answer refused = project.call(
      write("src/core/log", {{"capsule", "Added."}, {"body", "[[gone]] " + letters(9000)}}));
  CHECK(refused.is_error);
  CHECK(refused.text
        == "Write rejected by the schema.json of this store (src/core/log):\n"
           "- title: required, and there is none. Name it.\nNothing was written.");
  CHECK(project.article_file("src/core/log") == before);
}

TEST_CASE("an article that was moved by hand answers at its new address") {
  const canon_project project;
  CHECK_FALSE(project.call(write("src/core/config", {{"capsule", "C."}, {"body", "B"}})).is_error);
  const std::string articles = project.directory + "/.canon/articles/";
  std::filesystem::create_directories(articles + "lib");
  std::filesystem::rename(articles + "src/core/config.md", articles + "lib/settings.md");
  CHECK(project.text({{"action", "read"}, {"path", "lib/settings.ts"}})
        == "lib/settings\ncapsule: C.\nupdated: 2026-11-30\n\nB");
  CHECK(holds(project.text({{"action", "read"}, {"path", "src/core/config.ts"}}),
              "No article governs src/core/config."));
  CHECK(project.text({{"action", "map"}}) == "lib/settings: C.");
}

TEST_CASE("nothing compares an article with its asset") {
  const canon_project project;
  CHECK_FALSE(project.call(write("src/core/config", {{"capsule", "C."}, {"body", "B"}})).is_error);
  const json read = {{"action", "read"}, {"path", "src/core/config.ts"}};
  const std::string before = project.text(read);
  project.put("src/core/config.ts", "changed entirely");
  CHECK(project.text(read) == before);
  CHECK(project.text(write("src/core/config", {{"capsule", "C."}, {"body", "D"}}))
        == "Wrote src/core/config.");
}

TEST_CASE("a file of exactly that spelling is an asset, whatever article is there") {
  const canon_project project;
  project.put_article("src/core/config.test", "Of the test.\n");
  project.put_article("src/core/config", "Of the configuration.\n");
  const json read = {{"action", "read"}, {"path", "src/core/config.test"}};
  CHECK(holds(project.text(read), "src/core/config.test\n\nOf the test."));
  project.put("src/core/config.test", "");
  CHECK(holds(project.text(read), "src/core/config\n\nOf the configuration."));
}

TEST_CASE("a whole file that was pasted leaves its front matter behind") {
  const canon_project project;
  project.put_article("a", "---\ncapsule: Kept.\ntags: [x]\n---\nold\n");
  CHECK_FALSE(
      project.call(write("a", {{"body", "---\ncapsule: Pasted.\ntags: y\n---\n\nnew"}})).is_error);
  CHECK(project.article_file("a")
        == "---\ncapsule: Kept.\nupdated: 2026-11-30\ntags: [x]\n---\nnew\n");
  // what is stored is no paste
  project.put_article("b", "---\ncapsule: Old.\n---\n---\nstatus: open\nowner: ops\n---\nRest.\n");
  CHECK_FALSE(project.call(write("b", {{"capsule", "New."}})).is_error);
  CHECK(project.article_file("b")
        == "---\ncapsule: New.\nupdated: 2026-11-30\n---\n---\nstatus: open\nowner: "
           "ops\n---\nRest.\n");
}

TEST_CASE("an answer to a read has its parts in one order, in a mount too") {
  canon_project project;
  project.all.put("lake/src/x", "");
  project.all.put("lake/.canon/schema.json",
                  R"({"article":{"title":{"required":true,"hint":"Name it."}}})");
  project.all.put("lake/.canon/articles/src/gone.md", "---\ncapsule: C.\n---\nB\n");
  project.open({}, {"../lake"});
  CHECK_FALSE(
      project
          .call(
              {{"action", "journal"}, {"body", "x"}, {"slug", "e"}, {"subject", {"lake:src/gone"}}})
          .is_error);
  const std::string text = project.text({{"action", "read"}, {"path", "lake:src/gone/below.csv"}});
  CHECK(text.rfind("lake:src/gone governs lake:src/gone/below\ncapsule: C.\n\nB\n\n"
                   "journal: 2026-11-30-e.md\n\n"
                   "schema.json: title: required, and there is none. Name it. A write can mend "
                   "this article.\n\n"
                   "No asset on disk matches lake:src/gone, though its parent directory exists.",
                   0)
        == 0);
}
