#include "core/canon/touch.hpp"

#include "tests/core/canon/touch_project.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace resilient::canon;
using namespace resilient::canon::tests;
using nlohmann::json;

namespace {

using names = std::vector<std::string>;

struct row {
  json input;
  names found;
};

void check_rows(const std::vector<row>& table) {
  const touch_project project;
  for (const row& line : table) {
    CAPTURE(line.input.dump());
    CHECK(project.names_of(touches_in(line.input, project.from())) == line.found);
  }
}

json command(const std::string& text) {
  return {{"command", text}};
}

} // namespace

TEST_CASE(
    "a whole short string counts when it exists, or when it has a slash and its folder does") {
  check_rows({
      {{{"file_path", "src/core/config.ts"}}, {"src/core/config.ts"}},
      {{{"file_path", " src/core/config.ts "}}, {"src/core/config.ts"}},
      {{{"path", "README.md"}}, {"README.md"}},
      {{{"path", "NEW.md"}}, {}},
      {{{"path", "src/NEW.ts"}}, {"src/NEW.ts"}},
      {{{"path", "nodir/NEW.ts"}}, {}},
      {{{"path", "src"}}, {"src"}},
      {{{"path", "."}}, {"."}},
      {{{"path", "/"}}, {}},
      {{{"edits", json::array({{{"path", "src/core/config.ts"}}})}}, {"src/core/config.ts"}},
      {{{"src/core/config.ts", 1}}, {}},
      {{{"path", std::string(600, 'a')}}, {}},
      {{{"path", "src\\core\\config.ts"}}, {"src/core/config.ts"}},
      {json::array({"src/core/config.ts", 3, nullptr, true}), {"src/core/config.ts"}},
      {"src/core/config.ts", {"src/core/config.ts"}},
      {nullptr, {}},
      {{{"query", "src/core config loader"}}, {"src/core"}},
  });
}

TEST_CASE("words of a command count wherever the shell lets them stand") {
  const std::string config = "src/core/config.ts";
  std::vector<row> table;
  for (const std::string text : {
           "cat src/core/config.ts",         "cat \"src/core/config.ts\"",
           "(cat src/core/config.ts)",       "tool --file=src/core/config.ts",
           "FOO=src/core/config.ts env",     "git show HEAD:src/core/config.ts",
           "code src/core/config.ts:12:3",   "cat\tsrc/core/config.ts\n",
           "wc > src/core/config.ts",        "wc >src/core/config.ts",
           "wc <src/core/config.ts",         "true;cat src/core/config.ts",
           ";cat src/core/config.ts",        "true&&cat src/core/config.ts",
           "true|cat src/core/config.ts",    "cat @src/core/config.ts",
           "cat $PWD/src/core/config.ts",    "cat ${PWD}/src/core/config.ts",
           "echo see src/core/config.ts.",   "cat src/core/./config.ts",
           "cat src/feed/../core/config.ts",
       }) {
    table.push_back({command(text), {config}});
  }
  table.push_back({command("cat README.md"), {"README.md"}});
  table.push_back({command("gcc -Isrc/core"), {"src/core"}});
  table.push_back({command("cat 'dir with space/a.ts'"), {"dir with space/a.ts"}});
  table.push_back({command("cat src/größe.ts"), {"src/größe.ts"}});
  table.push_back({command("cat src/a+b.ts"), {"src/a+b.ts"}});
  table.push_back({command("vim src/[id]/page.tsx"), {"src/[id]/page.tsx"}});
  table.push_back({command("cat src/core/*.ts"), {config, "src/core/other.ts"}});
  table.push_back({command("cd src && cat core/config.ts"), {"src", config}});
  table.push_back({command("cat https://example.com/src/core/config.ts"), {}});
  table.push_back({command("npm install @src/core"), {"src/core"}});
  table.push_back({command("npm install @scope/name"), {}});
  check_rows(table);
}

TEST_CASE("nothing outside the project and its mounts is touched") {
  const touch_project project;
  const auto found = [&](const json& input) {
    return project.names_of(touches_in(input, project.from()));
  };
  CHECK(found({{"path", "/etc/passwd"}}).empty());
  CHECK(found({{"path", "../outside.ts"}}).empty());
  // The other project has a file of the same name.
  CHECK(found({{"path", "../other/src/core/config.ts"}}).empty());
  CHECK(found(command("cat ~/notes.md $HOME/notes.md")).empty());
  CHECK(found(command("cd ../other && cat src/core/config.ts")).empty());
  CHECK(found({{"path", project.all.at("lake/prices.csv")}}) == names{"lake:prices.csv"});
  CHECK(found({{"path", "../lake/new.csv"}}) == names{"lake:new.csv"});
}

TEST_CASE("a project that was opened by a link is found by its real path, and the reverse") {
  const touch_project project;
  const std::string link = project.all.at("link");
  SUBCASE("the call has the link") {
    const auto found = touches_in({{"path", link + "/src/core/config.ts"}}, project.from());
    REQUIRE(found.size() == 1);
    CHECK(found[0].path == project.directory + "/src/core/config.ts");
  }
  SUBCASE("the call has the link itself") {
    CHECK(project.names_of(touches_in({{"path", link}}, project.from())) == names{"."});
  }
  SUBCASE("the session has the link") {
    const places where = places::open(link).value();
    const touch_place from{&where, link, ""};
    const auto found = touches_in({{"path", project.directory + "/src/core/config.ts"}}, from);
    REQUIRE(found.size() == 1);
    CHECK(found[0].path == link + "/src/core/config.ts");
    CHECK(found[0].below == "src/core/config.ts");
  }
}

TEST_CASE("relative paths are taken from where the call works, then from the project") {
  const touch_project project;
  const touch_place from = project.from("src");
  const names config{"src/core/config.ts"};
  CHECK(project.names_of(touches_in({{"path", "core/config.ts"}}, from)) == config);
  CHECK(project.names_of(touches_in({{"path", "src/core/config.ts"}}, from)) == config);
  CHECK(project.names_of(touches_in(command("cat core/config.ts"), from)) == config);
  // A shell looks in one folder only.
  CHECK(touches_in(command("cat src/core/config.ts"), from).empty());
  CHECK(project.names_of(touches_in({{"cmd", "cat config.ts"}, {"workdir", "core"}}, from))
        == names{"src/core/config.ts", "src/core"});
  // No working folder is the project, and a slash at its end is nothing.
  CHECK(project.names_of(touches_in({{"path", "src/core/config.ts"}}, {&project.where, "", ""}))
        == config);
  CHECK(project.names_of(touches_in({{"path", "core/config.ts"}},
                                    {&project.where, from.working_folder + "/", ""}))
        == config);
}

TEST_CASE("a touch keeps the asset as it was written") {
  const touch_project project;
  const auto found = touches_in(command("cat './src/core/config.ts'"), project.from());
  REQUIRE(found.size() == 1);
  CHECK(found[0].asset == "./src/core/config.ts");
  CHECK(found[0].below == "src/core/config.ts");
  CHECK(found[0].path == project.directory + "/src/core/config.ts");
  CHECK(found[0].place == 0);
}

TEST_CASE("what a call declares stands before what its texts mention, each path once") {
  const touch_project project;
  const auto found = touches_in(
      {{"content", "See src/core/other.ts and docs/guide.md."}, {"file_path", "docs/guide.md"}},
      project.from());
  REQUIRE(project.names_of(found) == names{"docs/guide.md", "src/core/other.ts"});
  CHECK(found[0].is_declared);
  CHECK_FALSE(found[1].is_declared);
}

TEST_CASE("texts name paths among prose, and prose is no path") {
  check_rows({
      {{{"text", "see src/core/config.ts."}}, {"src/core/config.ts"}},
      {{{"text", "(see [x](src/core/config.ts), `docs/guide.md`)"}},
       {"src/core/config.ts", "docs/guide.md"}},
      {{{"text", "**docs/guide.md**: and src/core/config.ts:12:3: error"}},
       {"docs/guide.md", "src/core/config.ts"}},
      {{{"text", "yes and/or no, 2026/11/30, 1/2, n/a, w/o"}}, {}},
      {{{"text", "docs/tests are missing"}}, {}},
      {{{"text", "add src/core/limits.ts please"}}, {"src/core/limits.ts"}},
      {{{"text", "at https://example.com/docs/guide.md now"}}, {}},
      {{{"text", "git@github.com:src/core.git is it"}}, {}},
      {{{"text", "詳細はsrc/core/config.tsを参照。"}}, {"src/core/config.ts"}},
      {{{"text", "Lies „src/größe.ts“, bitte"}}, {"src/größe.ts"}},
      {{{"pattern", "src/core/.*\\.ts"}}, {}},
      {{{"pattern", "src/core/*.ts"}}, {"src/core/config.ts", "src/core/other.ts"}},
      {{{"pattern", "**/*.ts"}}, {}},
      {{{"text", "all of src/... here"}}, {"src"}},
  });
}

TEST_CASE("file URLs are decoded") {
  const touch_project project;
  const auto found = [&](const std::string& url) {
    return project.names_of(touches_in({{"uri", url}}, project.from()));
  };
  CHECK(found("file://" + project.directory + "/docs/my%20notes.md") == names{"docs/my notes.md"});
  CHECK(found("file://localhost" + project.directory + "/README.md#L3") == names{"README.md"});
  CHECK(found("file://host" + project.directory + "/README.md").empty());
  CHECK(found("file:///etc/passwd").empty());
  CHECK(found("file:%").empty());
  CHECK(project.names_of(
            touches_in(command("cat file://" + project.directory + "/README.md"), project.from()))
        == names{"README.md"});
}

TEST_CASE("a pattern with too many matches stands for its folder") {
  const touch_project project;
  for (std::size_t index = 0; index <= most_matches; ++index) {
    project.all.put("proj/lib/many/" + std::to_string(index) + ".ts", "");
  }
  CHECK(project.names_of(touches_in(command("cat lib/many/*.ts"), project.from()))
        == names{"lib/many"});
  CHECK(touches_in(command("cat lib/many/1*.ts"), project.from()).size() == 11);
}

TEST_CASE("the tool's own names are known in every host") {
  CHECK(is_own_tool("canon"));
  CHECK(is_own_tool("mcp__canon__canon"));
  CHECK(is_own_tool("mcp__plugin_canon_canon__canon"));
  CHECK_FALSE(is_own_tool("mcp__plugin_probe_probe__canon"));
  CHECK_FALSE(is_own_tool("mcp__canon__other"));
  CHECK_FALSE(is_own_tool("mcp____canon"));
  CHECK_FALSE(is_own_tool("Canon"));
  CHECK_FALSE(is_own_tool(""));
}
