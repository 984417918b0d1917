#include "core/canon/search.hpp"

#include "core/support/files.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

using namespace resilient;
using namespace resilient::canon;

namespace {

/// A project of its own with a mount `lake`, removed at the end.
struct fixture {
  fixture() {
    std::string pattern = std::filesystem::temp_directory_path() / "canon-search-XXXXXX";
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    root = std::filesystem::canonical(pattern);
    std::filesystem::create_directories(root + "/project");
    std::filesystem::create_directories(root + "/lake");
    auto opened = places::open(root + "/project", "", {root + "/lake"});
    REQUIRE(opened);
    where.emplace(std::move(*opened));
  }
  fixture(const fixture&) = delete;
  fixture& operator=(const fixture&) = delete;
  ~fixture() { std::filesystem::remove_all(root); }

  /// Writes in place, as an editor without a temporary file does.
  void put(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = root + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream{path} << text;
  }
  void article(const std::string& address, const std::string& text) const {
    put("project/.canon/articles/" + address + ".md", text);
  }
  void entry(const std::string& name, const std::string& text) const {
    put("project/.canon/journal/" + name + ".md", text);
  }
  void drop(const std::string& name) const { std::filesystem::remove(root + "/" + name); }

  std::string search(const std::string& query, bool journal = false, std::size_t place = 0) {
    auto text = searcher.search(where->at(place), query, journal);
    REQUIRE(text);
    return *text;
  }

  std::string root;
  std::optional<places> where;
  wall_time now =
      std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  index_searcher searcher{[this] { return now; }};
};

const std::string hint = "The journal was not searched; pass journal true to include it.";

} // namespace

TEST_CASE_FIXTURE(fixture, "a match is told by its capsule, else by the start of its body") {
  article("src/a", "---\ncapsule: Loads config.\nupdated: 2026-11-30\n---\nalpha\n");
  CHECK(search("alpha") == "src/a: Loads config.");
  CHECK(search("loads") == "src/a: Loads config.");
  CHECK(search("src") == "src/a: Loads config.");
  article("src/a", "  beta\n\n one\ttwo \r\n");
  CHECK(search("beta") == "src/a: beta one two");
  article("src/a", "beta " + std::string(155, 'x') + "\n");
  CHECK(search("beta") == "src/a: beta " + std::string(155, 'x'));
  article("src/a", "beta " + std::string(155, 'x') + " y\n");
  CHECK(search("beta") == "src/a: beta " + std::string(152, 'x') + "...");
  article("src/a", "beta " + std::string(5000, 'x') + "\n");
  CHECK(search("beta") == "src/a: beta " + std::string(152, 'x') + "...");
  article("src/a", "---\ncapsule: \"\"\n---\n");
  CHECK(search("src") == "src/a");
}

TEST_CASE_FIXTURE(fixture, "answers without a match say why") {
  CHECK(search("alpha") == "There is nothing to search yet: no articles.");
  CHECK(search("alpha", true) == "There is nothing to search yet: no articles.");
  entry("2026-11-30-x", "alpha\n");
  CHECK(search("alpha") == "There is nothing to search yet: no articles. " + hint);
  CHECK(search("beta", true) == "Nothing matches \"beta\".");
  article("a", "beta\n");
  CHECK(search("alpha") == "Nothing matches \"alpha\". " + hint);
  CHECK(search("of the") == "Nothing matches \"of the\". " + hint);
  CHECK(search("about") == "Nothing matches \"about\". " + hint);
  CHECK(!std::filesystem::exists(root + "/lake/.canon"));
}

TEST_CASE_FIXTURE(fixture,
                  "equal matches keep the order of the addresses, better ones come first") {
  for (const char* address : {"c", "a", "b/z", "b-z"}) {
    article(address, "alpha\n");
  }
  article("d", "alpha alpha alpha\n");
  CHECK(search("alpha") == "d: alpha alpha alpha\na: alpha\nb-z: alpha\nb/z: alpha\nc: alpha");
}

TEST_CASE_FIXTURE(fixture, "ten results are shown, of both kinds in turn") {
  const auto shown = [](const std::string& text) {
    std::size_t articles = 0;
    std::size_t entries = 0;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      (text.compare(at, 8, "journal ") == 0 ? entries : articles) += 1;
      if (text.find('\n', at) == std::string::npos) {
        break;
      }
    }
    return fmt::format("{} {}", articles, entries);
  };
  const auto fill = [&](int articles, int entries) {
    std::filesystem::remove_all(root + "/project/.canon");
    for (int i = 0; i < articles; ++i) {
      article(fmt::format("a{:02}", i), "alpha\n");
    }
    for (int i = 0; i < entries; ++i) {
      entry(fmt::format("2026-11-30-e{:02}", i), "alpha\n");
    }
  };
  fill(12, 0);
  CHECK(shown(search("alpha")) == "11 0"); // ten and the line on the rest
  CHECK(search("alpha").find("a09: alpha\n... 2 more matched; narrow the query.")
        != std::string::npos);
  struct row {
    int articles;
    int entries;
    const char* shown; ///< lines of articles (with the line on the rest) and of entries
  };
  for (const row& line : {row{12, 12, "6 5"}, row{12, 2, "9 2"}, row{2, 12, "3 8"},
                          row{3, 3, "3 3"}, row{5, 5, "5 5"}, row{0, 12, "1 10"}}) {
    CAPTURE(line.articles);
    CAPTURE(line.entries);
    fill(line.articles, line.entries);
    now += std::chrono::minutes{2};
    CHECK(shown(search("alpha", true)) == line.shown);
  }
}

TEST_CASE_FIXTURE(fixture, "an entry is told by its instant, its subjects and its start") {
  entry("2026-11-30-vendor-cap",
        "---\nsubject: [src/a, \"lake:p\"]\nlogged: 2026-11-30T19:11:36.853Z\n---\nCap is 42.\n");
  entry("2026-11-29-bare", "Cap was\n40.\n");
  CHECK(search("cap", true)
        == "journal 2026-11-30T19:11:36.853Z (src/a, lake:p): Cap is 42.\n"
           "journal 2026-11-29: Cap was 40.");
  CHECK(search("vendor", true).find("journal 2026-11-30T19") == 0);
  CHECK(search("lake", true).find("journal 2026-11-30T19") == 0);
}

TEST_CASE_FIXTURE(fixture, "an article that is named like an entry does not disturb it") {
  article("journal/2026-11-30-x", "---\ncapsule: Article.\n---\nalpha\n");
  entry("2026-11-30-x", "alpha\n");
  CHECK(search("alpha", true) == "journal/2026-11-30-x: Article.\njournal 2026-11-30: alpha");
}

TEST_CASE_FIXTURE(fixture, "a mount has results of its own, named with the mount, and no journal") {
  article("a", "alpha\n");
  entry("2026-11-30-x", "alpha\n");
  put("lake/.canon/articles/prices.md", "alpha cents\n");
  put("lake/.canon/journal/2026-11-30-y.md", "alpha\n");
  CHECK(search("alpha", false, 1) == "lake:prices: alpha cents");
  CHECK(search("alpha", true, 1) == "lake:prices: alpha cents");
  CHECK(search("cents") == "Nothing matches \"cents\". " + hint);
}

TEST_CASE_FIXTURE(fixture, "short words, words of any script and of any case are found") {
  article("配置", "API für Größe: 配置文件, UTC 142\n");
  for (const char* query : {"API", "api", "UTC", "142", "配置", "文件", "größe", "GRÖSSE", "Für"}) {
    CAPTURE(query);
    CHECK(search(query).find("配置: API") == 0);
  }
  CHECK(search("置配").find("Nothing matches") == 0);
}

TEST_CASE_FIXTURE(fixture, "every answer is that of the files as they are") {
  article("a", "alpha one\n");
  article("b", "---\ncapsule: B.\n---\nalpha two\n");
  CHECK(search("alpha") == "a: alpha one\nb: B.");
  now += std::chrono::hours{1}; // the files are old by now
  CHECK(search("alpha") == "a: alpha one\nb: B.");

  article("a", "gamma one two three\n");
  CHECK(search("gamma") == "a: gamma one two three");
  CHECK(search("alpha") == "b: B.");

  article("c", "alpha three\n");
  drop("project/.canon/articles/b.md");
  CHECK(search("alpha") == "c: alpha three");

  std::filesystem::remove_all(root + "/project/.canon/articles");
  CHECK(search("alpha") == "There is nothing to search yet: no articles.");
  article("a", "alpha again\n");
  CHECK(search("alpha") == "a: alpha again");
}

TEST_CASE_FIXTURE(fixture,
                  "a change that leaves no trace in the status is seen while it is fresh") {
  const auto path = root + "/project/.canon/articles/a.md";
  article("a", "alpha\n");
  const auto stamp = std::filesystem::last_write_time(path);
  CHECK(search("alpha") == "a: alpha");
  article("a", "gamma\n");
  std::filesystem::last_write_time(path, stamp);
  CHECK(search("gamma") == "a: gamma");
  CHECK(search("alpha") == "Nothing matches \"alpha\".");
}

TEST_CASE_FIXTURE(fixture,
                  "entries that come and go are seen at once, edited ones within a minute") {
  now += std::chrono::hours{1};
  entry("2026-11-30-x", "alpha\n");
  CHECK(search("alpha", true) == "journal 2026-11-30: alpha");
  entry("2026-11-30-y", "alpha\n");
  CHECK(search("alpha", true) == "journal 2026-11-30: alpha\njournal 2026-11-30: alpha");
  drop("project/.canon/journal/2026-11-30-x.md");
  CHECK(search("alpha", true) == "journal 2026-11-30: alpha");
  entry("2026-11-30-y", "alpha edited\n");
  now += std::chrono::seconds{61};
  CHECK(search("edited", true) == "journal 2026-11-30: alpha edited");
}

TEST_CASE_FIXTURE(fixture, "an article that is rewritten thousands of times leaves no residue") {
  for (int i = 0; i < 1200; ++i) {
    article("a", fmt::format("alpha {}\n", i));
    if (search("alpha") != fmt::format("a: alpha {}", i)) {
      FAIL("round ", i);
    }
  }
}
