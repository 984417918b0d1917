#include "launcher/canon/terminal.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace resilient::canon;

TEST_CASE("a terminal gets nothing that it would obey") {
  struct row {
    const char* what;
    std::string text;
    std::string shown;
  };
  const std::vector<row> table{
      {"plain text", "Körper\tdes\nTextes 日本 😀", "Körper\tdes\nTextes 日本 😀"},
      {"a colour", "\x1b[31mred", "␛[31mred"},
      {"a window title", "\x1b]0;owned\x07", "␛]0;owned␇"},
      {"the eight-bit form of an escape", "\u009b31m", "\uFFFD31m"},
      {"a backspace", "a\bb", "a␈b"},
      {"NUL and DEL", std::string("\0\x7f", 2), "␀␡"},
      {"CRLF is a line end", "a\r\nb", "a\nb"},
      {"a lone CR would overwrite the line", "a\rb", "a␍b"},
      {"another writing direction", "a\u202Eb\u2066c\u200F", "a\uFFFDb\uFFFDc\uFFFD"},
      {"bytes that are no UTF-8", "a\xff\x9b", "a\uFFFD\uFFFD"},
      {"nothing", "", ""},
  };
  for (const row& line : table) {
    CAPTURE(line.what);
    CHECK(harmless(line.text) == line.shown);
  }
}

TEST_CASE("only a terminal with colours gets colours, and other readers get the bytes") {
  const std::string text = "\x1b[2J";
  CHECK(terminal(false, false).shown(text) == text);
  CHECK(terminal(false, false).shown(text, terminal::style::strong) == text);
  CHECK(terminal(true, false).shown(text, terminal::style::strong) == "␛[2J");
  CHECK(terminal(true, true).shown(text, terminal::style::strong) == "\x1b[1m␛[2J\x1b[0m");
  CHECK(terminal(true, true).shown(text, terminal::style::plain) == "␛[2J");
}
