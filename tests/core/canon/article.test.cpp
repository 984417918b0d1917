#include "core/canon/article.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace resilient::canon;

namespace {

/// The bytes of a file after a write of a capsule on 2026-12-01.
std::string with_capsule(const std::string& file, const std::string& capsule) {
  return compose_article(
      apply_change(parse_article(file), {capsule, std::nullopt, std::nullopt}, "2026-12-01"));
}

} // namespace

TEST_CASE("a new article has capsule, updated, scope, fences, body and one final line end") {
  CHECK(compose_article(apply_change(std::nullopt, {"C.", "Body. \n\n", "rule"}, "2026-11-30"))
        == "---\ncapsule: C.\nupdated: 2026-11-30\nscope: rule\n---\nBody.\n");
  CHECK(compose_article(apply_change(std::nullopt, {std::nullopt, "B", "asset"}, "2026-11-30"))
        == "---\nupdated: 2026-11-30\n---\nB\n");
  CHECK(compose_article(apply_change(std::nullopt, {"C", std::nullopt, std::nullopt}, "2026-11-30"))
        == "---\ncapsule: C\nupdated: 2026-11-30\n---\n\n");
}

TEST_CASE("a write changes what it was asked to change and nothing else") {
  struct row {
    std::string before;
    std::string after;
  };
  for (const row& each : std::vector<row>{
           // our keys come first, foreign ones keep their order
           {"---\ntags: [a]\ncapsule: Old.\nscope: rule\nowner: me\nupdated: 2026-01-01\n---\nB\n",
            "---\ncapsule: NEW\nupdated: 2026-12-01\nscope: rule\ntags: [a]\nowner: me\n---\nB\n"},
           // comments, odd keys, blank lines
           {"---\ncapsule: Old.\n# why\n\n\"quoted key\": 1\n_under: 2\n1num: 3\nkey.dot: 4\n"
            "\xD0\xBA\xD0\xBB\xD1\x8E\xD1\x87: 5\nupdated: 2026-01-01\n---\nB\n",
            "---\ncapsule: NEW\nupdated: 2026-12-01\n# why\n\n\"quoted key\": 1\n_under: 2\n1num: "
            "3\nkey.dot: 4\n\xD0\xBA\xD0\xBB\xD1\x8E\xD1\x87: 5\n---\nB\n"},
           // block lists and block scalars of foreign keys
           {"---\ntags:\n  - a\n\n  - b\nnote: |\n  capsule: not ours\n   deeper\nupdated: "
            "x\n---\nB",
            "---\ncapsule: NEW\nupdated: 2026-12-01\ntags:\n  - a\n\n  - b\nnote: |\n  capsule: "
            "not "
            "ours\n   deeper\n---\nB"},
           // an empty key of ours, and one with a list, go when the key gets a value
           {"---\ncapsule:\nupdated: x\n---\nB\n",
            "---\ncapsule: NEW\nupdated: 2026-12-01\n---\nB\n"},
           {"---\ncapsule:\n  - a\nscope:\ntags: b\n---\nB\n",
            "---\ncapsule: NEW\nupdated: 2026-12-01\nscope:\ntags: b\n---\nB\n"},
           // a byte order mark stays at the beginning
           {"\xEF\xBB\xBF---\ncapsule: Old.\ntags: a\n---\nB\n",
            "\xEF\xBB\xBF---\ncapsule: NEW\nupdated: 2026-12-01\ntags: a\n---\nB\n"},
           {"\xEF\xBB\xBFOnly text.",
            "\xEF\xBB\xBF---\ncapsule: NEW\nupdated: 2026-12-01\n---\nOnly "
            "text."},
           // CRLF stays CRLF
           {"---\r\ncapsule: Old.\r\ntags:\r\n  - a\r\n---\r\nB\r\nC\r\n",
            "---\r\ncapsule: NEW\r\nupdated: 2026-12-01\r\ntags:\r\n  - a\r\n---\r\nB\r\nC\r\n"},
           {"B\r\nC\r\n", "---\r\ncapsule: NEW\r\nupdated: 2026-12-01\r\n---\r\nB\r\nC\r\n"},
           // bytes that are not UTF-8
           {"---\ntags: \xFF\xFE\n---\nB \xC3\x28\n\n\n",
            "---\ncapsule: NEW\nupdated: 2026-12-01\ntags: \xFF\xFE\n---\nB \xC3\x28\n\n\n"},
           // a body that itself begins like front matter
           {"---\ncapsule: Old.\n---\n---\nstatus: open\nowner: ops\n---\nRest.\n",
            "---\ncapsule: NEW\nupdated: 2026-12-01\n---\n---\nstatus: open\nowner: "
            "ops\n---\nRest.\n"},
           // no front matter
           {"Just text\n", "---\ncapsule: NEW\nupdated: 2026-12-01\n---\nJust text\n"},
           {"", "---\ncapsule: NEW\nupdated: 2026-12-01\n---\n\n"},
       }) {
    CAPTURE(each.before);
    CHECK(with_capsule(each.before, "NEW") == each.after);
  }
}

TEST_CASE("the lines of a value that did not change stay as they are") {
  for (const std::string line :
       {"capsule: 'it''s'\n", "capsule: |\n  one\n\n  two\n", "capsule:Old.\n", "capsule: true\n",
        "capsule: \"one\n  two\"\n", "capsule: one\n  two\n"}) {
    const std::string file = "---\n" + line + "updated: 2026-01-01\n---\nB\n";
    CAPTURE(file);
    CHECK(compose_article(
              apply_change(parse_article(file), {std::nullopt, "C", std::nullopt}, "2026-12-01"))
          == "---\n" + line + "updated: 2026-12-01\n---\nC\n");
  }
}

TEST_CASE("a capsule is one line whatever was sent") {
  struct row {
    std::string sent;
    std::string stored;
  };
  for (const row& each : std::vector<row>{
           {"a\nb", "a b"},
           {"  a \r\n\r\n  b  ", "a b"},
           {"a\rb", "a b"},
           {"a\xE2\x80\xA8"
            "b",
            "a b"},
           {"a \xE2\x80\xA9 b", "a b"},
           {"a\vb\fc", "a b c"},
           {"a  b\tc", "a  b\tc"},
           {"\n", ""},
       }) {
    CAPTURE(each.sent);
    CHECK(fold_capsule(each.sent) == each.stored);
    const std::string file = with_capsule("", each.sent);
    CHECK(parse_article(file).capsule.value == each.stored);
  }
}

TEST_CASE("front matter that was pasted with a body is removed from that body") {
  struct row {
    std::string sent;
    std::string kept;
  };
  for (const row& each : std::vector<row>{
           {"---\ncapsule: x\nupdated: y\n---\n\n  Rest.", "Rest."},
           {"\xEF\xBB\xBF---\ncapsule: x\n\n---\nRest.", "Rest."},
           {"---\r\ncapsule: x\r\n---\r\nRest.", "Rest."},
           {"---\ntags:\n---\nRest.", "---\ntags:\n---\nRest."},
           {"---\ntags: x\n  - a\n---\nRest.", "---\ntags: x\n  - a\n---\nRest."},
           {"---\nSome prose.\n---\nRest.", "---\nSome prose.\n---\nRest."},
           {"Rest.", "Rest."},
       }) {
    CAPTURE(each.sent);
    CHECK(without_pasted_front_matter(each.sent) == each.kept);
  }
}

TEST_CASE("two versions are the same when capsule, scope and text are") {
  const article base = parse_article("---\ncapsule: C\nupdated: 2026-01-01\n---\nB\n\n");
  const auto changed = [&](const article_change& change) {
    return !same_content(base, apply_change(base, change, "2026-12-01"));
  };
  CHECK_FALSE(changed({}));
  CHECK_FALSE(changed({"C", "B", std::nullopt}));
  CHECK_FALSE(changed({" C\n", "B \n", "asset"}));
  CHECK(changed({"c", std::nullopt, std::nullopt}));
  CHECK(changed({std::nullopt, " B", std::nullopt}));
  CHECK(changed({std::nullopt, std::nullopt, "rule"}));
  const article crlf = parse_article("---\r\ncapsule: C\r\n---\r\na\r\nb\r\n");
  CHECK_FALSE(same_content(crlf, apply_change(crlf, {std::nullopt, "a\nb", std::nullopt}, "x")));
}

TEST_CASE("the title is the # heading on the first line that is not blank") {
  struct row {
    std::string body;
    std::string title;
  };
  for (const row& each : std::vector<row>{
           {"# A title \ntext", "A title"},
           {"\n  \n  # A", "A"},
           {"#A", ""},
           {"## A", ""},
           {"# ", ""},
           {"A\n===", ""},
           {"text\n# A", ""},
           {"", ""},
       }) {
    CAPTURE(each.body);
    CHECK(parse_article(each.body).title() == each.title);
  }
}

TEST_CASE("a capsule is found in the beginning of a file") {
  struct row {
    std::string bytes;
    std::optional<std::string> capsule;
  };
  for (const row& one : std::vector<row>{
           {"---\ncapsule: One.\n---\nbody", "One."},
           {"\xEF\xBB\xBF---\ncapsule: One.\n---\n", "One."},
           {"---\ncapsule: One.\ncapsule: Two.\n---\n", "Two."},
           {"---\ncapsule: |\n  a\n  b\n---\n", "a b"},
           {"---\ncapsule: 'it''s'\n---\n", "it's"},
           {"---\nCapsule: One.\n---\n", ""},
           {"---\ncapsule: One.\n", std::nullopt},
           {"capsule: One.\n", std::nullopt},
           {"", std::nullopt},
       }) {
    CAPTURE(one.bytes);
    CHECK(capsule_of(one.bytes) == one.capsule);
    CHECK(capsule_of(one.bytes).value_or("") == parse_article(one.bytes).capsule.value);
  }
}
