#include "core/canon/journal.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace resilient::canon;

TEST_CASE("slugs") {
  struct row {
    std::string text;
    std::string slug;
  };
  for (const row& each : std::vector<row>{
           {"Hello World!", "hello-world"},
           {"--x--", "x"},
           {"\xE6\x97\xA5\xE6\x9C\xAC", "entry"},
           {"../../x", "x"},
           {"entry.md", "entry-md"},
           {"", "entry"},
           {std::string(300, 'a'), std::string(80, 'a')},
           {std::string(79, 'a') + " b", std::string(79, 'a')},
       }) {
    CAPTURE(each.text);
    CHECK(slug_from(each.text) == each.slug);
  }
}

TEST_CASE("an entry is written as other tools read it") {
  journal_entry entry;
  entry.logged = "2026-11-30T17:05:02.875Z";
  entry.body = "It happened. \n";
  CHECK(compose_entry(entry) == "---\nlogged: 2026-11-30T17:05:02.875Z\n---\nIt happened.\n");
  entry.subjects = {"src/a", "src/a,b", "lake:p"};
  entry.harness = "codex";
  entry.session = "t: 1";
  const std::string file = compose_entry(entry);
  CHECK(file
        == "---\nsubject: [src/a, \"src/a,b\", \"lake:p\"]\nlogged: 2026-11-30T17:05:02.875Z\n"
           "harness: codex\nsession: \"t: 1\"\n---\nIt happened.\n");
  const journal_entry read = parse_entry("2026-11-30-x.md", file);
  CHECK(read.subjects == entry.subjects);
  CHECK(read.logged == entry.logged);
  CHECK(read.harness == "codex");
  CHECK(read.session == "t: 1");
  CHECK(read.body == "It happened.\n");
}

TEST_CASE("only front matter says what an entry is about") {
  struct row {
    std::string file;
    std::vector<std::string> subjects;
    std::string logged;
  };
  for (const row& each : std::vector<row>{
           {"---\nlogged: 2026-11-30T00:00:00.000Z\n---\nsubject: [src/ghost]\n",
            {},
            "2026-11-30T00:00:00.000Z"},
           {"subject: [src/ghost]\nlogged: 2020-01-01\n", {}, "2026-11-29"},
           {"---\nsubject:\n  - src/listed\n  - b\n---\nx", {"src/listed", "b"}, "2026-11-29"},
           {"\xEF\xBB\xBF---\r\nsubject: [a]\r\nlogged: \"2026\"\r\n---\r\nx", {"a"}, "2026"},
           {"", {}, "2026-11-29"},
       }) {
    CAPTURE(each.file);
    const journal_entry entry = parse_entry("2026-11-29-x.md", each.file);
    CHECK(entry.subjects == each.subjects);
    CHECK(entry.logged == each.logged);
  }
}

TEST_CASE("entries are ordered by instant, then by number, then by name") {
  const auto entry = [](const std::string& name, const std::string& logged) {
    return dated_name{logged, name};
  };
  CHECK(written_before(entry("d-x-9.md", "i"), entry("d-x-10.md", "i")));
  CHECK(written_before(entry("d-x.md", "i"), entry("d-x-2.md", "i")));
  CHECK(written_before(entry("d-x-9.md", "i"), entry("d-a.md", "j")));
  CHECK_FALSE(written_before(entry("d-a.md", "i"), entry("d-a.md", "i")));
  CHECK(entry_number("2026-11-30-x-12.md") == 12);
  CHECK(entry_number("2026-11-30-x.md") == 1);
  CHECK(entry_number("99999999999999999999.md") == 1);
  CHECK(entry_name("2026-11-30", "x", 1) == "2026-11-30-x.md");
  CHECK(entry_name("2026-11-30", "x", 2) == "2026-11-30-x-2.md");
}
