#include "core/canary/prefix.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace resilient::canary {

namespace {

struct row {
  std::string keyword;
  std::string text;
  prefix_check expected;
};

constexpr auto kept = prefix_check::kept;
constexpr auto missed = prefix_check::missed;
constexpr auto nothing = prefix_check::nothing_visible;

} // namespace

TEST_CASE("the prefix is compared byte by byte at the very start of the visible text") {
  const std::vector<row> table = {
      {"chirp", "chirp: hello", kept},
      {"chirp", "chirp: ", kept},
      {"chirp", "chirp: \nhello", kept},
      {"chirp", "chirp:  two spaces", kept},
      {"chirp", "chirp:hello", missed},
      {"chirp", "chirp:", missed},
      {"chirp", "chirp:\u00a0hello", missed},
      {"chirp", "chirp :hello", missed},
      {"chirp", "chirp\uff1a hello", missed},
      {"chirp", "Chirp: hello", missed},
      {"chirp", "CHIRP: hello", missed},
      {"chirp", " chirp: hello", missed},
      {"chirp", "\nchirp: hello", missed},
      {"chirp", "\ufeffchirp: hello", missed},
      {"chirp", "**chirp: ** hello", missed},
      {"chirp", "hello\nchirp: hello", missed},
      {"chirp", "chirpy: hello", missed},
      {"chirp", "chi", missed},
      {"chirp", "", nothing},
      {"chirp", "\n\n", nothing},
      {"chirp", " \t\u3000", nothing},
      {"Blue Canary", "Blue Canary: x", kept},
      {"Blue Canary", "Blue  Canary: x", missed},
      {"a:b", "a:b: x", kept},
      {"a:b", "a: b: x", missed},
      {"a:", "a:: x", kept},
      {"a:", "a: x", missed},
      {"\u00e9", "\u00e9: x", kept},
      {"\u00e9", "e\u0301: x", missed},
      {"\U0001F426", "\U0001F426: x", kept},
      {"chirp", "chirp\xff: x", missed},
  };
  for (const row& one : table) {
    CAPTURE(one.keyword);
    CAPTURE(one.text);
    CHECK(check_prefix(one.text, one.keyword) == one.expected);
  }
}

TEST_CASE("a message of several text blocks is judged as a person sees it") {
  CHECK(visible_text({}).empty());
  CHECK(visible_text({"", ""}).empty());
  CHECK(visible_text({"chirp: a", "b"}) == "chirp: a\nb");
  CHECK(visible_text({"", "chirp: a"}) == "chirp: a");

  CHECK(check_prefix(visible_text({"chirp: a", "no prefix here"}), "chirp") == kept);
  CHECK(check_prefix(visible_text({"", "chirp: a"}), "chirp") == kept);
  CHECK(check_prefix(visible_text({"first", "chirp: a"}), "chirp") == missed);
  CHECK(check_prefix(visible_text({"\n", "chirp: a"}), "chirp") == missed);
  CHECK(check_prefix(visible_text({"\n", " "}), "chirp") == nothing);
}

} // namespace resilient::canary
