#include "core/canon/front_matter.hpp"

#include "core/canon/article.hpp"
#include "core/canon/yaml_scalar.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace resilient::canon;

TEST_CASE("front matter is recognised at the very beginning, between two fences") {
  struct row {
    std::string file;
    bool recognised;
  };
  for (const row& each : std::vector<row>{
           {"---\ncapsule: a\n---\nbody", true},
           {"---\r\ncapsule: a\r\n---\r\nbody", true},
           {"---\ncapsule: a\n---", true},
           {"---\n\n---\nbody", true},
           {"---\ncapsule: a\n---\r\nbody", true},
           {"x---\ncapsule: a\n---\n", false},
           {"\n---\ncapsule: a\n---\n", false},
           {"---\ncapsule: a\n--- \nbody", false},
           {"--- \ncapsule: a\n---\nbody", false},
           {"---\ncapsule: a\n...\nbody", false},
           {"---\ncapsule: a\nbody", false},
           {"---\n---\nbody", false},
           {"---\n---\n\n---\nbody", false},
           {"---", false},
           {"", false},
           {"----\na: b\n---\n", false},
           {"---\ncapsule: a\n----\nbody", false},
       }) {
    CAPTURE(each.file);
    CHECK(split_front_matter(each.file).has_value() == each.recognised);
  }
  CHECK(split_front_matter("---\na: 1\n---\nbody\n---\nmore")->body == "body\n---\nmore");
  CHECK(split_front_matter("---\n--- x\n---\nb")->block == "--- x\n");
}

TEST_CASE("the values of our keys") {
  struct row {
    std::string lines;
    std::string capsule;
  };
  for (const row& each : std::vector<row>{
           {"capsule: plain words\n", "plain words"},
           {"capsule:Old.\n", "Old."},
           {"capsule:   spaced   \n", "spaced"},
           {"capsule: \"quoted: \\\"it\\\" \\u00e9\"\n", "quoted: \"it\" \xC3\xA9"},
           {"capsule: \"not json\\q\"\n", "\"not json\\q\""},
           {"capsule: 'it''s'\n", "it's"},
           {"capsule: 'half\n", "'half"},
           {"capsule: a # part of it\n", "a # part of it"},
           {"capsule: first\ncapsule: second\n", "second"},
           {"Capsule: foreign\n", ""},
           {" capsule: indented\n", ""},
           {"capsule:\n", ""},
           {"capsule:\n  - a\n  - b\n", ""},
           {"capsule: |\n  one\n  two\n", "one two"},
           {"capsule: >-\n  one\n\n  # two\n", "one # two"},
           {"capsule: | # comment\n  one\n", "one"},
           {"capsule: folded\n  over lines\n  # a comment\n", "folded over lines"},
           {"capsule: \"quoted\n  over lines\"\n", "quoted over lines"},
           {"capsule: one\rtwo\n", "one two"},
           {"capsule: one\xE2\x80\xA8two\n", "one two"},
       }) {
    CAPTURE(each.lines);
    CHECK(parse_article("---\n" + each.lines + "---\nbody\n").capsule.value == each.capsule);
  }
}

TEST_CASE("a value is quoted when YAML or the older release would not read it back plain") {
  struct row {
    std::string value;
    std::string written;
  };
  for (const row& each : std::vector<row>{
           {"plain words", "plain words"},
           {"a;b", "a;b"},
           {"(x)", "(x)"},
           {"\xC3\xA9", "\xC3\xA9"},
           {"\xE6\x97\xA5\xE6\x9C\xAC", "\xE6\x97\xA5\xE6\x9C\xAC"},
           {"$x", "$x"},
           {"a=b", "a=b"},
           {"a: b", "\"a: b\""},
           {"it's", "\"it's\""},
           {"a,b", "\"a,b\""},
           {"<tag>", "\"<tag>\""},
           {"x*y", "\"x*y\""},
           {"say \"x\" \\ y", "\"say \\\"x\\\" \\\\ y\""},
           {" lead", "\" lead\""},
           // what only YAML would misread
           {"true", "\"true\""},
           {"Yes", "\"Yes\""},
           {"off", "\"off\""},
           {"n", "\"n\""},
           {"null", "\"null\""},
           {"~", "\"~\""},
           {"123", "\"123\""},
           {"-1_000", "\"-1_000\""},
           {"0x1F", "\"0x1F\""},
           {"0b101", "\"0b101\""},
           {"0o17", "\"0o17\""},
           {"1.5e3", "\"1.5e3\""},
           {".5", "\".5\""},
           {"e5", "\"e5\""},
           {".", "\".\""},
           {"1.", "\"1.\""},
           {"-.inf", "\"-.inf\""},
           {".nan", "\".nan\""},
           {"2026-01-01", "\"2026-01-01\""},
           {"- x", "\"- x\""},
           {"? q", "\"? q\""},
           {"-", "\"-\""},
           {"=", "\"=\""},
           {"<<", "\"<<\""},
           {"a\x7F", "\"a\\u007f\""},
           {"a\x01", "\"a\\u0001\""},
           {"a\xC2\x85z", "\"a\\u0085z\""},
           // and what it would not
           {"truely", "truely"},
           {"1.2.3", "1.2.3"},
           {"12 items", "12 items"},
           {"0xyz", "0xyz"},
           {"-x", "-x"},
           {"2026-01-01 and later", "2026-01-01 and later"},
           {"...", "..."},
       }) {
    CAPTURE(each.value);
    CHECK(quote_if_needed(each.value) == each.written);
    CHECK(unquote(each.written) == each.value);
  }
}

TEST_CASE("lists") {
  struct row {
    std::string lines;
    std::vector<std::string> items;
  };
  for (const row& each : std::vector<row>{
           {"subject: [a, b/c]\n", {"a", "b/c"}},
           {"subject: [src/a, \"src/a,b\", \"lake:p\"]\n", {"src/a", "src/a,b", "lake:p"}},
           {"subject: ['it''s', \"q\\\"]\"]\n", {"it's", "q\"]"}},
           {"subject: [a,\n  b]\n", {"a", "b"}},
           {"subject: [ , a, ]\n", {"a"}},
           {"subject: []\n", {}},
           {"subject: [a\n", {"a"}},
           {"subject: plain\n", {}},
           {"subject:\n  - a\n  # comment\n  - \"b\" \nlogged: x\n", {"a", "b"}},
           {"subject:\n- a # why\n-  b\n", {"a", "b"}},
           {"subject:\nlogged: - a\n", {}},
       }) {
    CAPTURE(each.lines);
    CHECK(read_list(split_lines(each.lines), 0) == each.items);
  }
}
