#include "core/canon/arguments.hpp"
#include "tests/core/canon/canon_project.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>

using namespace resilient;
using namespace resilient::canon;
using namespace resilient::canon::tests;
using nlohmann::json;

namespace {

json write(const std::string& path, const std::string& capsule, const std::string& body = "Body.") {
  return {{"action", "write"}, {"path", path}, {"capsule", capsule}, {"body", body}};
}
json read(const std::string& path) {
  return {{"action", "read"}, {"path", path}};
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

} // namespace

TEST_CASE("the first article takes one call") {
  const canon_project project;
  CHECK(first_line(project.text(write("src/core/config",
                                      "Loads layered config; env beats file; secrets never land "
                                      "here.",
                                      "Resolution order is defaults, then config.toml, then "
                                      "environment. ...")))
        == "Wrote src/core/config.");
  CHECK(project.article_file("src/core/config")
        == "---\ncapsule: Loads layered config; env beats file; secrets never land here.\n"
           "updated: 2026-11-30\n---\nResolution order is defaults, then config.toml, then "
           "environment. ...\n");
  CHECK(holds(project.get(".canon/schema.json"), "\"schema_version\": 1"));
}

TEST_CASE("a path lands at its address") {
  canon_project project;
  project.put("packages/ui.kit/button.tsx", "");
  project.put("src/core/config.test.ts", "");
  project.put("docs/v1.2/notes.md", "");
  project.all.put("lake/prices.csv", "");
  project.open({}, {project.all.at("lake") + "/"});
  struct row {
    std::string argument;
    std::string lands;
  };
  const std::string root = project.all.path();
  for (const row& each : std::vector<row>{
           {"src/core/config.ts", "src/core/config"},
           {root + "/proj/src/core/config.ts", "src/core/config"},
           {"src\\core\\config.ts", "src/core/config"},
           {"src/core/config.test.ts", "src/core/config.test"},
           {"src/core/config.test",
            "src/core/config.test"}, // the article, not a file, is spelled so
           {"packages/ui.kit", "packages/ui.kit"},
           {"packages/ui.kit/button.tsx", "packages/ui.kit/button"},
           {"docs/v1.2", "docs/v1.2"},
           {"docs/v1.2/", "docs/v1.2"},
           {"docs/v1.2/notes.md", "docs/v1.2/notes"},
           {"docs/v1.2/README", "docs/v1.2/README"},
           {"docs/v1.3", "docs/v1"},
           {".env", ".env"},
           {"../proj/src/core/config.ts", "src/core/config"},
           {"src/..config", "src/..config"},
           {"lake:prices", "lake:prices"},
           {"lake:prices.csv", "lake:prices"},
           {"lake:/prices.csv", "lake:prices"},
           {"lake:../../prices", "lake:prices"},
           {root + "/lake/prices.csv", "lake:prices"},
           {root + "/lake/fundamentals/cap.csv", "lake:fundamentals/cap"},
           {"lake:fundamentals/", "lake:fundamentals"},
           {"LAKE:prices", "LAKE:prices"},
           {"nolake:prices", "nolake:prices"},
           {"../lake/prices.csv", "lake/prices"},
           {"../../../etc/passwd", "etc/passwd"},
       }) {
    CAPTURE(each.argument);
    CHECK(first_line(project.text(
              {{"action", "write"}, {"path", each.argument}, {"body", "Of " + each.argument}}))
          == "Wrote " + each.lands + ".");
    CHECK(holds(project.text(read(each.argument)), "Of " + each.argument));
  }
  for (const std::string& argument :
       {std::string(""), std::string("lake:"), root + "/lake", root + "/proj", std::string("./"),
        std::string("..."), std::string("  "), std::string("/")}) {
    CAPTURE(argument);
    for (const std::string action : {"read", "write"}) {
      const tool_answer answer =
          project.call({{"action", action}, {"path", argument}, {"body", "x"}});
      CHECK(answer.is_error);
      CHECK(holds(answer.text, action + " needs a path"));
    }
  }
  CHECK_FALSE(std::filesystem::exists(project.directory + "/.canon/articles/.md"));
}

TEST_CASE("reading goes up from the exact address to the nearest article") {
  const canon_project project;
  CHECK(project.text(write("src/core/config", "Loads config.", "Body one.")).size() > 0);
  CHECK(project.text(write("src", "Everything.", "Root.")).size() > 0);
  CHECK(project.text(read("src/core/config/deep/x"))
        == "src/core/config governs src/core/config/deep/x\ncapsule: Loads config.\n"
           "updated: 2026-11-30\n\nBody one.");
  CHECK(first_line(project.text(read("src/core/config.ts"))) == "src/core/config");
  CHECK(first_line(project.text(read("src/core/other.ts"))) == "src governs src/core/other");
  const tool_answer none = project.call(read("lib/x.ts"));
  CHECK_FALSE(none.is_error);
  CHECK(holds(none.text, "No article governs lib/x."));
}

TEST_CASE("read, map and search never create anything") {
  const canon_project project;
  for (const json& call :
       {read("src/core/config.ts"), json{{"action", "map"}},
        json{{"action", "map"}, {"path", "src"}}, json{{"action", "search"}, {"query", "x"}},
        json{{"action", "nonsense"}}}) {
    CHECK_FALSE(project.text(call).empty());
    CHECK_FALSE(std::filesystem::exists(project.directory + "/.canon"));
  }
}

TEST_CASE("what was asked and did not happen is an error with a sentence") {
  const canon_project project;
  struct row {
    json call;
    std::string part;
  };
  for (const row& each : std::vector<row>{
           {{{"action", "READ"}}, "Unknown action \"READ\""},
           {json::object(), "Unknown action \"\""},
           {"str", "Unknown action \"\""},
           {nullptr, "Unknown action"},
           {{{"action", 5}}, "Unknown action"},
           {{{"action", "read"}}, "needs a path"},
           {{{"action", "read"}, {"path", 5}}, "needs a path"},
           {{{"action", "read"}, {"path", std::string("a\0b", 3)}}, "NUL"},
           {{{"action", "write"}, {"path", std::string("a\0b", 3)}, {"body", "x"}}, "NUL"},
           {{{"action", "write"}, {"path", "a"}, {"capsule", 5}}, "must be a string"},
           {{{"action", "write"}, {"path", "a"}, {"body", {{"a", 1}}}}, "must be a string"},
           {{{"action", "write"}, {"path", "a"}, {"scope", true}}, "must be a string"},
           {{{"action", "write"}, {"path", "leaf.md/x"}, {"body", "x"}}, "Nothing was written"},
           {{{"action", "write"}, {"path", std::string(300, 'x')}, {"body", "x"}}, "300 bytes"},
           {{{"action", "journal"}}, "journal needs a body"},
           {{{"action", "journal"}, {"body", "  "}}, "journal needs a body"},
           {{{"action", "journal"}, {"body", 5}}, "journal needs a body"},
           {{{"action", "search"}}, "search needs a query"},
           {{{"action", "search"}, {"query", " "}}, "search needs a query"},
       }) {
    CAPTURE(each.call.dump());
    const tool_answer answer = project.call(each.call);
    CHECK(answer.is_error);
    CHECK(holds(answer.text, each.part));
    CHECK_FALSE(std::filesystem::exists(project.directory + "/.canon"));
  }
}

TEST_CASE("an identical write touches nothing") {
  canon_project project;
  CHECK_FALSE(project.call(write("a", "C.", "B")).is_error);
  const std::string file = project.article_file("a");
  const auto path = project.directory + "/.canon/articles/a.md";
  struct stat before {};
  REQUIRE(::stat(path.c_str(), &before) == 0);
  project.now += std::chrono::hours{48};
  for (const json& call :
       {write("a", " C.\n", "B\n\n"), json{{"action", "write"}, {"path", "a"}},
        json{{"action", "write"}, {"path", "a"}, {"body", "   "}},
        json{{"action", "write"}, {"path", "a"}, {"capsule", "  "}},
        json{{"action", "write"}, {"path", "a"}, {"capsule", false}},
        json{{"action", "write"}, {"path", "a"}, {"capsule", nullptr}, {"body", ""}},
        json{{"action", "write"}, {"path", "a"}, {"scope", "asset"}}}) {
    CAPTURE(call.dump());
    const tool_answer answer = project.call(call);
    CHECK_FALSE(answer.is_error);
    CHECK(holds(answer.text, "already current"));
    CHECK(holds(answer.text, "2026-11-30"));
    REQUIRE(answer.touched.has_value());
    CHECK(answer.touched->written);
  }
  struct stat after {};
  REQUIRE(::stat(path.c_str(), &after) == 0);
  CHECK(project.article_file("a") == file);
  CHECK(before.st_ino == after.st_ino);
  CHECK(holds(project.text({{"action", "write"}, {"path", "a"}, {"body", "new"}}), "Wrote a."));
  CHECK(holds(project.article_file("a"), "updated: 2026-12-02"));
}

TEST_CASE("a rule is declared and taken back") {
  const canon_project project;
  CHECK_FALSE(
      project.call({{"action", "write"}, {"path", "rules/money"}, {"body", "x"}, {"scope", "rule"}})
          .is_error);
  CHECK(holds(project.article_file("rules/money"), "\nscope: rule\n---\n"));
  CHECK(
      holds(project.text(
                {{"action", "write"}, {"path", "rules/money"}, {"scope", "banana"}, {"body", "y"}}),
            "\"banana\" was ignored"));
  CHECK(holds(project.article_file("rules/money"), "\nscope: rule\n---\n"));
  CHECK_FALSE(
      project.call({{"action", "write"}, {"path", "rules/money"}, {"scope", "asset"}}).is_error);
  CHECK_FALSE(holds(project.article_file("rules/money"), "scope"));
}

TEST_CASE("journal entries are named by day and slug and never changed") {
  const canon_project project;
  CHECK(project.text({{"action", "journal"}, {"body", "First."}, {"slug", "Vendor cap"}})
        == "Logged 2026-11-30-vendor-cap.md.");
  CHECK(project.text({{"action", "journal"}, {"body", "Second."}, {"slug", "vendor-cap"}})
        == "Logged 2026-11-30-vendor-cap-2.md.");
  CHECK(project.text({{"action", "journal"}, {"body", "Third."}}) == "Logged 2026-11-30-entry.md.");
  CHECK(project.get(".canon/journal/2026-11-30-vendor-cap.md")
        == "---\nlogged: 2026-11-30T17:05:02.875Z\n---\nFirst.\n");
  CHECK(holds(project.get(".canon/schema.json"), "schema_version"));
}

TEST_CASE("the newest three entries about exactly this address are named when it is read") {
  canon_project project;
  project.all.put("lake/prices.csv", "");
  project.open({}, {"../lake"});
  CHECK_FALSE(project.call(write("src/core/config", "C.")).is_error);
  CHECK_FALSE(project.call(write("src", "S.")).is_error);
  CHECK_FALSE(project.call(write("lake:prices", "P.")).is_error);
  for (int count = 0; count < 5; ++count) {
    CHECK_FALSE(project
                    .call({{"action", "journal"},
                           {"body", "Event."},
                           {"slug", "e"},
                           {"subject", {"src/core/config.ts", "lake:prices.csv", "", "..."}}})
                    .is_error);
  }
  CHECK(holds(project.get(".canon/journal/2026-11-30-e.md"),
              "subject: [src/core/config, \"lake:prices\"]\n"));
  const std::string line =
      "\n\njournal: 2026-11-30-e-5.md, 2026-11-30-e-4.md, 2026-11-30-e-3.md and 2 earlier";
  CHECK(holds(project.text(read("src/core/config")), line));
  CHECK(holds(project.text(read("lake:prices")), line));
  CHECK_FALSE(holds(project.text(read("src")), "journal:"));
  // a bare string is no list of subjects, and that is said
  const tool_answer bare =
      project.call({{"action", "journal"}, {"body", "E."}, {"subject", "src"}});
  CHECK_FALSE(bare.is_error);
  CHECK(holds(bare.text, "The subject was left out: it must be a list of addresses"));
  CHECK_FALSE(holds(project.text(read("src")), "journal:"));
  // entries that come and go by hand are noticed
  project.put(".canon/journal/2026-12-01-hand.md", "---\nsubject: [src]\n---\nx");
  CHECK(holds(project.text(read("src")), "journal: 2026-12-01-hand.md"));
  std::filesystem::remove(project.directory + "/.canon/journal/2026-12-01-hand.md");
  project.put(".canon/journal/2026-12-01-other.md", "---\nsubject: [src]\n---\nx");
  CHECK(holds(project.text(read("src")), "journal: 2026-12-01-other.md"));
}

TEST_CASE("map lists addresses with their capsules in the order of bytes") {
  canon_project project;
  project.all.put("lake/prices.csv", "");
  project.open({}, {project.all.at("lake")});
  CHECK(project.text({{"action", "map"}}) == "No articles yet.");
  for (const std::string address : {"b", "a", "a/b", "a-b", "Z/1", "A"}) {
    CHECK_FALSE(project.call(write(address, "Of " + address)).is_error);
  }
  project.put_article("a.b", "no capsule");
  project.put(".canon/articles/.md", "stray");
  CHECK(project.text({{"action", "map"}})
        == "A: Of A\nZ/1: Of Z/1\na: Of a\na-b: Of a-b\na.b\na/b: Of a/b\nb: Of b");
  CHECK(project.text({{"action", "map"}, {"path", "a"}}) == "a: Of a\na/b: Of a/b");
  CHECK(project.text({{"action", "map"}, {"path", "a.b"}}) == "a.b");
  CHECK(project.text({{"action", "map"}, {"path", "Z/1.ts"}}) == "Z/1: Of Z/1");
  CHECK(project.text({{"action", "map"}, {"path", "x"}}) == "No articles under x.");
  CHECK_FALSE(project.call(write("lake:prices", "Cents.")).is_error);
  CHECK(project.text({{"action", "map"}, {"path", "lake:"}}) == "lake:prices: Cents.");
}

TEST_CASE("a write over a version that the session has not seen says so") {
  canon_project project;
  CHECK_FALSE(holds(project.text(write("a", "One.", "B1")), "not seen"));
  CHECK_FALSE(holds(project.text(write("a", "Two.", "B2")), "not seen"));
  project.put_article("a", "---\ncapsule: By hand.\nupdated: 2026-12-24\n---\nB3\n");
  const std::string over = project.text(write("a", "Four.", "B4"));
  CHECK(holds(over, "2026-12-24"));
  CHECK(holds(over, "not seen"));
  CHECK(holds(over, "By hand."));
  project.put_article("a", "---\ncapsule: By hand.\n---\nB5\n");
  CHECK_FALSE(project.call(read("a")).is_error);
  CHECK_FALSE(holds(project.text(write("a", "Six.", "B6")), "not seen"));
  project.open();
  CHECK(holds(project.text(write("a", "Seven.", "B7")), "its capsule said: Six."));
}

TEST_CASE("a secret is named by kind and line and nothing is withheld") {
  const canon_project project;
  const std::string token = "ghp_" + std::string(36, 'a');
  const std::string answer = project.text(write("a", "C.", "one\ntwo " + token));
  CHECK(holds(answer, "Line 2 of the body"));
  CHECK(holds(answer, "a GitHub token"));
  CHECK_FALSE(holds(answer, token));
  CHECK(holds(project.article_file("a"), token));
  CHECK(
      holds(project.text({{"action", "journal"}, {"body", "-----BEGIN RSA PRIVATE KEY-----\nabc"}}),
            "a private key"));
  for (const std::string harmless : {"task-list-of-many-many-many-words-in-a-row", "sk-short",
                                     "xAKIA1234567890123456", "the npm_config"}) {
    CAPTURE(harmless);
    CHECK_FALSE(holds(project.text(write("b", "C.", harmless)), "looks like"));
  }
}

TEST_CASE("the schema refuses before anything is touched") {
  const canon_project project;
  project.put(".canon/schema.json",
              R"({"article":{"capsule":{"required":true,"hint":"One dense line."},
                             "title":{"required":true,"hint":"Name it."}}})");
  const tool_answer refused =
      project.call({{"action", "write"}, {"path", "a"}, {"body", "no title"}});
  CHECK(refused.is_error);
  CHECK(holds(refused.text, "Write rejected"));
  CHECK(holds(refused.text, "\n- capsule: "));
  CHECK(holds(refused.text, "One dense line."));
  CHECK(holds(refused.text, "\n- title: "));
  CHECK(holds(refused.text, "Nothing was written"));
  CHECK_FALSE(std::filesystem::exists(project.directory + "/.canon/articles"));
  // an old article is judged by what a write changes
  project.put_article("old", "---\ncapsule: C\n---\nno title\n");
  const tool_answer capsule =
      project.call({{"action", "write"}, {"path", "old"}, {"capsule", "New."}});
  CHECK_FALSE(capsule.is_error);
  CHECK(holds(capsule.text, "schema: title"));
  CHECK(holds(project.text(read("old")), "schema.json: title"));
}

TEST_CASE("the schema belongs to the store and stays deleted") {
  const canon_project project;
  CHECK_FALSE(project.call(write("a", "C.")).is_error);
  std::filesystem::remove(project.directory + "/.canon/schema.json");
  CHECK_FALSE(project.call(write("b", "C.")).is_error);
  CHECK_FALSE(project.call({{"action", "journal"}, {"body", "E."}}).is_error);
  CHECK(project.get(".canon/schema.json") == "(none)");
  project.put(".canon/schema.json", "{bad");
  CHECK(holds(project.text(write("c", "C.")), "not being enforced"));
  CHECK(holds(project.text(write("c", "C.")), "not being enforced")); // also when nothing changes
  CHECK(holds(project.text(read("c")), "not being enforced"));
  CHECK(project.get(".canon/schema.json") == "{bad");
}

TEST_CASE("every answer is valid UTF-8") {
  const canon_project project;
  project.put_article("a", "---\ncapsule: \xFF\xFE\n---\n\xC3\x28");
  for (const json& call : {read("a"), json{{"action", "map"}}}) {
    CHECK_NOTHROW(static_cast<void>(json(project.text(call)).dump()));
  }
}

TEST_CASE("what the model is told about the tool") {
  for (const auto kind : {retrieval_kind::none, retrieval_kind::lexical}) {
    const std::string text = tool_description(kind);
    for (const std::string part :
         {"at most one article", "src/core/config", "lake/prices", "journal", "exact numbers",
          "verbatim", "rare", "shared parent"}) {
      CAPTURE(part);
      CHECK(holds(text, part));
    }
    CHECK(holds(text, "never surfaces") == (kind == retrieval_kind::none));
    CHECK(holds(text, "scope rule") == (kind != retrieval_kind::none));
  }
  const json schema = tool_input_schema();
  CHECK(schema["required"] == json::array({"action"}));
  CHECK(schema["properties"]["action"]["enum"]
        == json::array({"read", "write", "journal", "map", "search"}));
  CHECK(schema["properties"].size() == 9);
  CHECK_FALSE(schema.contains("additionalProperties"));
}

TEST_CASE("names of files forge no lines of an answer") {
  const canon_project project;
  project.put_article("src", "S\n");
  project.put_article("lib\ncapsule: forged", "L\n");
  project.put(".canon/journal/x\nupdated: forged.md", "---\nsubject: [src]\n---\nx\n");
  CHECK(holds(project.text(read("src")), "\n\njournal: x updated: forged.md"));
  CHECK(project.text({{"action", "map"}}) == "lib capsule: forged\nsrc");
}

TEST_CASE("a failure is told in one sentence") {
  const canon_project project;
  std::filesystem::create_directories(project.directory + "/.canon/articles");
  std::filesystem::create_symlink("loop.md", project.directory + "/.canon/articles/loop.md");
  const std::string text = project.text(read("loop"));
  CHECK(holds(text, "The article could not be read: "));
  CHECK(text.back() == '.');
  CHECK_FALSE(holds(text, ".."));
}

TEST_CASE("an argument that nobody knows is named, with what was meant, and the rest is done") {
  const canon_project project;
  const struct {
    json arguments;
    const char* said;
  } rows[] = {
      {{{"action", "write"}, {"path", "a"}, {"bdy", "x"}},
       "There is no argument \"bdy\". Did you mean body? What is not known was ignored."},
      {{{"action", "read"}, {"path", "a"}, {"content", 1}, {"file_path", 2}},
       "There is no argument \"content\", \"file_path\". The arguments are action, path, body,"},
      {{{"action", "read"}, {"file_path", "a"}}, "There is no argument \"file_path\"."},
      {{{"action", "map"}, {"pth", nullptr}}, "Did you mean path?"},
      {{{"actoin", "map"}}, "Did you mean action?"},
      {{{"action", "journal"}, {"body", "E."}, {"subjects", {"a"}}}, "Did you mean subject?"},
      {{{"action", "journal"}, {"body", "E."}, {std::string(500, 'k'), 1}},
       "There is no argument \"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk\"."},
      {{{"action", "map"}, {"\xff\n", 1}}, "There is no argument"},
  };
  for (const auto& each : rows) {
    CAPTURE(each.said);
    CHECK(holds(project.text(each.arguments), each.said));
  }
  CHECK(holds(project.text(read("a")), "updated: 2026-11-30"));
  for (const json& arguments : {read("a"), json{{"action", "read"}, {"path", "a"}, {"_meta", {}}},
                                json{{"action", "map"}, {"capsule", "of another action"}}}) {
    CHECK_FALSE(holds(project.text(arguments), "no argument"));
  }
  std::vector<std::string> offered;
  const json schema = tool_input_schema();
  for (const auto& [name, value] : schema["properties"].items()) {
    offered.push_back(name);
  }
  std::vector<std::string> known = argument_names();
  std::sort(known.begin(), known.end());
  CHECK(known == offered);
}

TEST_CASE("a mount that is not there is named when nothing has that address") {
  canon_project project;
  project.all.put("lake/.canon/articles/prices.md", "P\n");
  const std::string lake = project.all.at("lake");
  project.open({}, {lake});
  const std::string said =
      "No folder is mounted as lke: (the mounts are lake:), so this is an address of the project.";
  CHECK(holds(project.text(read("lke:prices")), said));
  CHECK(holds(project.text({{"action", "map"}, {"path", "lke:"}}), said));
  CHECK(holds(project.text({{"action", "journal"}, {"body", "E."}, {"subject", {"lke:prices"}}}),
              said));
  CHECK(holds(project.text(write("lke:prices", "C.", "B")), said));
  CHECK_FALSE(holds(project.text(write("lke:prices", "D.", "B")), "mounted")); // it is there now
  CHECK_FALSE(holds(project.text(read("lke:prices")), "mounted"));
  project.put("ns:a.ts", "");
  for (const char* path : {"lake:prices", "lake:gone", "src/a", "src/a:b", "C:/x/y.ts", ":x",
                           "ns:a.ts", "a b:c", "lake"}) {
    CAPTURE(path);
    CHECK_FALSE(holds(project.text(read(path)), "mounted"));
  }
  project.open();
  CHECK(
      holds(project.text(read("lake:prices")), "No folder is mounted as lake: (none is mounted)"));
}

TEST_CASE("an entry that was edited in place is noticed at the next full check") {
  using namespace std::chrono_literals;
  canon_project project;
  project.put_article("a", "A\n");
  project.put_article("b", "B\n");
  project.put(".canon/journal/2026-11-30-e.md", "---\nsubject: [a]\n---\nx\n");
  const std::string entry = project.directory + "/.canon/journal/2026-11-30-e.md";
  const auto set_time = [](const std::string& path, std::time_t seconds) {
    const std::array<timespec, 2> times{timespec{seconds, 0}, timespec{seconds, 0}};
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times.data(), 0) == 0);
  };
  const std::time_t long_ago = 1'700'000'000;
  set_time(entry, long_ago);
  set_time(project.directory + "/.canon/journal", long_ago);
  const auto names = [&](const char* address) {
    return holds(project.text({{"action", "read"}, {"path", address}}), "journal: 2026-11-30-e.md");
  };
  CHECK(names("a"));
  CHECK_FALSE(names("b"));
  std::ofstream(entry, std::ios::binary) << "---\nsubject: [b]\n---\nx\n";
  set_time(entry, long_ago + 1);
  project.now += 61s;
  CHECK_FALSE(names("a"));
  CHECK(names("b"));
}
