#include "core/canon/article.hpp"
#include "core/canon/front_matter.hpp"

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

using namespace resilient::canon;

namespace {

/// A part of a front matter block, and whose it is.
struct piece {
  enum class kind { foreign, capsule, updated, scope, empty_capsule, empty_scope };
  kind what;
  std::string raw; ///< lines with LF
};

const std::vector<piece> pieces = {
    {piece::kind::foreign, "tags: [a, b]\n"},
    {piece::kind::foreign, "# a comment\n"},
    {piece::kind::foreign, "\n"},
    {piece::kind::foreign, "   \n"},
    {piece::kind::foreign, "tags:\n  - one\n\n  - two\n"},
    {piece::kind::foreign, "list:\n- one\n- two\n"},
    {piece::kind::foreign, "note: |\n  capsule: not ours\n\n    deeper\n  # no comment\n"},
    {piece::kind::foreign, "note: >-\n  scope: rule\n"},
    {piece::kind::foreign, "\"quoted key\": 1\n"},
    {piece::kind::foreign, "_under: x\n"},
    {piece::kind::foreign, "1num: x\n"},
    {piece::kind::foreign, "key.dot: x\n"},
    {piece::kind::foreign, "\xD0\xBA\xD0\xBB\xD1\x8E\xD1\x87: x\n"},
    {piece::kind::foreign, "Capsule: Upper.\n"},
    {piece::kind::foreign, "capsules: many\n"},
    {piece::kind::foreign, "bytes: \xFF\xFE\x80\n"},
    {piece::kind::foreign, "no colon at all\n"},
    {piece::kind::foreign, "? complex\n: value\n"},
    {piece::kind::foreign, "--- more\n"},
    {piece::kind::foreign, "nul: \x01\x02\n"},
    {piece::kind::foreign, "lone: a\rb\n"},
    {piece::kind::capsule, "capsule: Plain words.\n"},
    {piece::kind::capsule, "capsule: \"a: b \\u00e9\"\n"},
    {piece::kind::capsule, "capsule: 'it''s'\n"},
    {piece::kind::capsule, "capsule: |\n  block\n\n  scalar\n"},
    {piece::kind::capsule, "capsule: over\n  two lines\n"},
    {piece::kind::capsule, "capsule:tight\n"},
    {piece::kind::updated, "updated: 2026-01-01\n"},
    {piece::kind::updated, "updated: \"2025-01-01\"\n"},
    {piece::kind::scope, "scope: rule\n"},
    {piece::kind::scope, "scope: 'rule'\n"},
    {piece::kind::scope, "scope: banana\n"},
    {piece::kind::empty_capsule, "capsule:\n"},
    {piece::kind::empty_capsule, "capsule:\n  - a\n\n  - b\n"},
    {piece::kind::empty_scope, "scope:\n"},
    {piece::kind::empty_scope, "scope: |\n"},
};

const std::array<std::string, 10> bodies = {"",
                                            "\n",
                                            "Body.\n",
                                            "Body, no line end",
                                            "\n\n  text  \n\n\n",
                                            "\xFF\xC3(\n",
                                            "---\na: b\n---\nx\n",
                                            "one\r\ntwo\r\n",
                                            "```\n---\n```\n",
                                            std::string("nul \0 here\n", 11)};

class generator {
public:
  explicit generator(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t limit) { return random_() % limit; }
  template <class Container>
  const auto& any(const Container& from) {
    return from[below(from.size())];
  }

private:
  std::mt19937 random_;
};

std::string with_line_ends(const std::string& text, const std::string& line_end) {
  std::string result;
  for (const char byte : text) {
    result += byte == '\n' ? line_end : std::string(1, byte);
  }
  return result;
}

/// A file and what it must be after `capsule: New words.` was written on 2026-12-01.
struct expectation {
  std::string before;
  std::string after;
};

expectation make(generator& random) {
  const std::string line_end = random.below(3) == 0 ? "\r\n" : "\n";
  const std::string mark = random.below(5) == 0 ? "\xEF\xBB\xBF" : "";
  const std::string& body = random.any(bodies);
  std::string block;
  std::string foreign_with_empty_scope;
  std::string foreign;
  std::string scope;
  const std::string leading = random.below(8) == 0 ? "  - stray\n" : "";
  for (std::size_t count = 1 + random.below(8); count > 0; --count) {
    const piece& part = random.any(pieces);
    block += part.raw;
    foreign += part.what == piece::kind::foreign ? part.raw : "";
    foreign_with_empty_scope +=
        part.what == piece::kind::foreign || part.what == piece::kind::empty_scope ? part.raw : "";
    if (part.what == piece::kind::scope) {
      scope = part.raw;
    }
  }
  const std::string fence = "---\n";
  return {mark + with_line_ends(fence + leading + block + fence, line_end) + body,
          mark
              + with_line_ends(fence + leading + "capsule: New words.\nupdated: 2026-12-01\n"
                                   + scope + (scope.empty() ? foreign_with_empty_scope : foreign)
                                   + fence,
                               line_end)
              + (body.empty() ? line_end : body)};
}

std::string write_capsule(const std::string& file) {
  return compose_article(
      apply_change(parse_article(file), {"New words.", std::nullopt, std::nullopt}, "2026-12-01"));
}

} // namespace

TEST_CASE("10,000 hostile articles change only what a write changes") {
  generator random(20261130);
  std::size_t wrong = 0;
  for (int count = 0; count < 10'000 && wrong < 3; ++count) {
    const expectation each = make(random);
    const std::string written = write_capsule(each.before);
    if (written != each.after || write_capsule(written) != written) {
      ++wrong;
      CAPTURE(each.before);
      CHECK(written == each.after);
      CHECK(write_capsule(written) == written);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("any bytes are an article, and writing twice is writing once") {
  generator random(7);
  const std::vector<std::string> parts = {
      "---\n", "---\r\n",      "\n", "\r", "\r\n", "---", "capsule: ",    "updated: x\n", "scope:",
      "  ",    "- ",           "\"", "'",  "|\n",  ">\n", "# ",           "a: b\n",       ": ",
      "\xFF",  "\xEF\xBB\xBF", "\t", "[",  "]",    "x",   "\xE2\x80\xA8", "capsule:\n",
  };
  std::size_t wrong = 0;
  for (int count = 0; count < 30'000 && wrong < 3; ++count) {
    std::string file = random.below(2) == 0 ? "---\n" : "";
    for (std::size_t length = random.below(14); length > 0; --length) {
      file += random.any(parts);
    }
    if (random.below(2) == 0) {
      file += "\n---\nbody";
    }
    const article before = parse_article(file);
    const std::string written = write_capsule(file);
    const article after = parse_article(written);
    const bool holds = after.capsule.value == "New words." && after.updated.value == "2026-12-01"
                       && after.scope.value == before.scope.value && after.text() == before.text()
                       && write_capsule(written) == written
                       && after.byte_order_mark == before.byte_order_mark;
    if (!holds) {
      ++wrong;
      CAPTURE(file);
      CAPTURE(written);
      CHECK(holds);
    }
  }
  CHECK(wrong == 0);
}
