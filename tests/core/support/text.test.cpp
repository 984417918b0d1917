#include "core/support/text.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace resilient;

TEST_CASE("bytes that are not UTF-8 read as one replacement for each maximal part") {
  struct row {
    std::string bytes;
    std::string valid;
  };
  for (const row& each : std::vector<row>{
           {"plain", "plain"},
           {"gr\xC3\xB6\xC3\x9F", "gr\xC3\xB6\xC3\x9F"},
           {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
           {"\xFF", "\xEF\xBF\xBD"},
           {"\xC3(", "\xEF\xBF\xBD("},
           {"\xE2\x82", "\xEF\xBF\xBD"},
           {"\xE2\x82\xE2\x82\xAC", "\xEF\xBF\xBD\xE2\x82\xAC"},
           {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
           {"\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD"},
           {"\xF5\x80", "\xEF\xBF\xBD\xEF\xBF\xBD"},
       }) {
    CAPTURE(each.bytes);
    CHECK(to_valid_utf8(each.bytes) == each.valid);
    CHECK(is_valid_utf8(each.bytes) == (each.bytes == each.valid));
  }
  CHECK(is_valid_utf8("\xEF\xBF\xBD"));
}

TEST_CASE("lengths are counted as JavaScript counts them") {
  CHECK(utf16_length("") == 0);
  CHECK(utf16_length("abc") == 3);
  CHECK(utf16_length("\xC3\xB6") == 1);
  CHECK(utf16_length("\xF0\x9F\x98\x80") == 2);
  CHECK(utf16_length("\xFF\xFE") == 2);
  CHECK(utf16_prefix("abcdef", 3) == "abc");
  CHECK(utf16_prefix("ab", 3) == "ab");
  CHECK(utf16_prefix("a\xF0\x9F\x98\x80z", 2) == "a");
  CHECK(utf16_prefix("a\xF0\x9F\x98\x80z", 3) == "a\xF0\x9F\x98\x80");
}

TEST_CASE("trimming removes the white space of every script") {
  CHECK(trim(" \t\r\n\v\f x y \xC2\xA0\xEF\xBB\xBF") == "x y");
  CHECK(trim("\xE2\x80\xA8\xE3\x80\x80") == "");
  CHECK(trim("\xE2\x80\x8B") == "\xE2\x80\x8B");
  CHECK(trim_end("  a \n") == "  a");
  CHECK(trim_end("a\xA0") == "a\xA0");
  CHECK(trim_end("\xFF \x80") == "\xFF \x80");
  CHECK(ascii_lower("AbZ\xC3\x84") == "abz\xC3\x84");
}

TEST_CASE("the ASCII beginning of a text is as long as it is") {
  for (std::size_t plain = 0; plain < 40; ++plain) {
    for (std::size_t behind = 0; behind < 10; ++behind) {
      CAPTURE(plain);
      CAPTURE(behind);
      const std::string text = std::string(plain, '\x7F') + "\xC3\xA9" + std::string(behind, 'x');
      CHECK(ascii_prefix(text) == plain);
      CHECK(utf16_length(text) == plain + 1 + behind);
      CHECK(is_valid_utf8(text));
      CHECK(to_valid_utf8(text) == text);
      const std::string broken = std::string(plain, 'a') + "\xC3" + std::string(behind, 'x');
      CHECK_FALSE(is_valid_utf8(broken));
      CHECK(to_valid_utf8(broken)
            == std::string(plain, 'a') + "\xEF\xBF\xBD" + std::string(behind, 'x'));
    }
    CHECK(ascii_prefix(std::string(plain, 'a')) == plain);
  }
}
