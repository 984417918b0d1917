#include "core/canary/keyword.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace resilient::canary {

namespace {

struct accepted {
  std::string argument;
  command expected;
};

struct refused {
  std::string argument;
  std::string named; ///< what the message must say
};

} // namespace

TEST_CASE("on and off in any case are the only reserved words, everything else is the keyword") {
  const std::vector<accepted> table = {
      {"", show_state{}},
      {" \t\u3000 ", show_state{}},
      {"\u2028", show_state{}},
      {"on", turn_on{}},
      {"ON", turn_on{}},
      {"  oN\t", turn_on{}},
      {"off", turn_off{}},
      {"Off", turn_off{}},
      {"\u00a0OFF\u3000", turn_off{}},
      {"chirp", use_keyword{"chirp"}},
      {"  Blue  Canary ", use_keyword{"Blue  Canary"}},
      {"status", use_keyword{"status"}},
      {"on off", use_keyword{"on off"}},
      {"onn", use_keyword{"onn"}},
      {"o", use_keyword{"o"}},
      {"\u00d6N", use_keyword{"\u00d6N"}},
      {"\uff4f\uff4e", use_keyword{"\uff4f\uff4e"}},
      {"a:b", use_keyword{"a:b"}},
      {"chirp:", use_keyword{"chirp:"}},
      {"\"chirp\"", use_keyword{"\"chirp\""}},
      {"back\\slash", use_keyword{"back\\slash"}},
      {"\U0001F426", use_keyword{"\U0001F426"}},
      {"\ufeffchirp\ufeff", use_keyword{"chirp"}},
      {"\nchirp\r\n", use_keyword{"chirp"}},
      {"\u200bzero", use_keyword{"\u200bzero"}},
      {"\u00a0a\u00a0b\u00a0", use_keyword{"a\u00a0b"}},
      {"CHIRP", use_keyword{"CHIRP"}},
  };
  for (const accepted& row : table) {
    CAPTURE(row.argument);
    const auto got = parse_command(row.argument);
    REQUIRE(got);
    CHECK(*got == row.expected);
  }
}

TEST_CASE("a keyword that is empty, of several lines, with controls or broken is refused by name") {
  const std::vector<refused> table = {
      {"", "empty"},
      {" \t\u3000 ", "empty"},
      {"\u2028", "empty"},
      {"a\nb", "line break (U+000A)"},
      {"a\rb", "line break (U+000D)"},
      {"a\u2028b", "line break (U+2028)"},
      {"a\u2029b", "line break (U+2029)"},
      {"a\u0085b", "line break (U+0085)"},
      {"\u0085", "line break (U+0085)"},
      {std::string{"a\0b", 3}, "control character U+0000"},
      {"a\tb", "control character U+0009"},
      {"a\x1b[31m", "control character U+001B"},
      {"a\x7f", "control character U+007F"},
      {"\u0080", "control character U+0080"},
      {"a\u009f", "control character U+009F"},
      {"a\xff", "not valid UTF-8 at byte 1"},
      {"\xc0\xaf", "not valid UTF-8 at byte 0"},
      {"\xed\xa0\x80", "not valid UTF-8 at byte 0"},
      {"ab\xe2\x82", "not valid UTF-8 at byte 2"},
      {"\xf4\x90\x80\x80", "not valid UTF-8 at byte 0"},
      {"\x80", "not valid UTF-8 at byte 0"},
  };
  for (const refused& row : table) {
    CAPTURE(row.argument);
    const auto got = check_keyword(row.argument);
    REQUIRE_FALSE(got);
    CHECK(got.error().kind == error_kind::usage);
    CHECK(got.error().message.find(row.named) != std::string::npos);
    if (row.named != "empty") {
      const auto typed = parse_command(row.argument);
      REQUIRE_FALSE(typed);
      CHECK(typed.error().message == got.error().message);
    }
  }
}

TEST_CASE("every C0 and C1 control inside a keyword is refused, and no other character below 256") {
  for (char32_t code = 0; code < 0x100; ++code) {
    std::string text = "a";
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else {
      text += static_cast<char>(0xC0U | (code >> 6U));
      text += static_cast<char>(0x80U | (code & 0x3FU));
    }
    text += "b";
    const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
    CAPTURE(static_cast<unsigned>(code));
    CHECK(check_keyword(text).has_value() == !control);
  }
}

} // namespace resilient::canary
