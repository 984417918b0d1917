#include "core/settings/json_tokens.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

namespace resilient::settings {

namespace {

/// The failure's text, or nothing when the whole text is read.
std::string failure_of(std::string_view text) {
  json_tokens tokens{text, "FILE"};
  for (;;) {
    const auto read = tokens.next();
    if (!read) {
      CHECK(read.error().kind == error_kind::data);
      return read.error().message;
    }
    if (read->kind == token_kind::end_of_text) {
      return {};
    }
  }
}

} // namespace

TEST_CASE("what JSON.parse accepts is accepted") {
  for (const std::string text : {"{}",
                                 "[]",
                                 " \t\r\n{ } \n",
                                 "null",
                                 "true",
                                 "false",
                                 "0",
                                 "-0",
                                 "1.0",
                                 "1e400",
                                 "-1.5E+3",
                                 "12345678901234567890123456789",
                                 "\"\"",
                                 "\"\\ud800\"",
                                 "\"\\u00e9\\n\\/\"",
                                 "[1,[2,[3]]]",
                                 "{\"a\":{\"a\":[]},\"a\":1}",
                                 "\"\x7f\"",
                                 "\"\xff\xfe\"",
                                 "\xEF\xBB\xBF{}",
                                 "\"\u2028\"",
                                 "{\"\":0}"}) {
    CAPTURE(text);
    CHECK(failure_of(text).empty());
  }
}

TEST_CASE("what JSON.parse refuses is refused, with the place") {
  struct row {
    std::string text;
    std::string place;
  };
  for (const row& one : std::vector<row>{
           {"", "line 1, column 1"},
           {" ", "line 1, column 2"},
           {"\xEF\xBB\xBF", "line 1, column 1"},
           {"\xEF\xBB\xBF\xEF\xBB\xBF{}", "line 1, column 1"},
           {"{", "line 1, column 2"},
           {"{\"a\":1,}", "line 1, column 8"},
           {"{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 3"},
           {"{'a':1}", "line 1, column 2"},
           {"{a:1}", "line 1, column 2"},
           {"[1,]", "line 1, column 4"},
           {"[1 2]", "line 1, column 4"},
           {"{} {}", "line 1, column 4"},
           {"{}x", "line 1, column 3"},
           {"// c\n{}", "line 1, column 1"},
           {"{\"a\"}", "line 1, column 5"},
           {"{\"a\":}", "line 1, column 6"},
           {"01", "line 1, column 2"},
           {"+1", "line 1, column 1"},
           {".5", "line 1, column 1"},
           {"1.", "line 1, column 3"},
           {"1e", "line 1, column 3"},
           {"-", "line 1, column 2"},
           {"NaN", "line 1, column 1"},
           {"nul", "line 1, column 1"},
           {"truex", "line 1, column 5"},
           {"\"a", "line 1, column 3"},
           {"\"a\nb\"", "line 1, column 3"},
           {"\"\\x\"", "line 1, column 3"},
           {"\"\\u12g4\"", "line 1, column 6"},
           {"\"\\", "line 1, column 3"},
           {"\"\u00e9\u00e9\" \"", "line 1, column 6"},
           {"{\"\u20ac\": ?}", "line 1, column 7"},
           {"{\u00a0}", "line 1, column 2"},
           {"[}", "line 1, column 2"},
           {"{]", "line 1, column 2"},
           {"]", "line 1, column 1"},
           {std::string{"{\0}", 3}, "line 1, column 2"},
           {std::string{"{}\0", 3}, "line 1, column 3"},
           {std::string{"\"a\0\"", 4}, "line 1, column 3"},
       }) {
    CAPTURE(one.text);
    const std::string message = failure_of(one.text);
    CHECK(message.find("FILE is not valid JSON: " + one.place + ":") == 0);
  }
}

TEST_CASE("strings are decoded as JavaScript decodes them and written as it writes them") {
  CHECK(decode_string(R"("")").empty());
  CHECK(decode_string(R"("canary")") == "canary");
  CHECK(decode_string(R"("\u0063an\u0061ry")") == "canary");
  CHECK(decode_string(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
  CHECK(decode_string(R"("\ud83d\udc26")") == "\U0001F426");
  CHECK(decode_string(R"("\ud83d")") == "\ufffd");
  CHECK(decode_string(R"("\ud83dx")") == "\ufffdx");
  CHECK(decode_string(R"("\udc26\ud83d")") == "\ufffd\ufffd");
  CHECK(decode_string("\"\xff\"") == "\ufffd");

  CHECK(encode_string("Blue \"Canary\" \\ \U0001F426 / \u2028")
        == "\"Blue \\\"Canary\\\" \\\\ \U0001F426 / \u2028\"");
  CHECK(encode_string(std::string{"\0\x01\x1f\b\f\n\r\t\x7f", 9})
        == "\"\\u0000\\u0001\\u001f\\b\\f\\n\\r\\t\x7f\"");
}

TEST_CASE("any bytes are read to an end without harm") {
  std::mt19937 random{20261130};
  const std::string alphabet = "{}[]:,\"\\ut0e1.-+nrfalse \n\xEF\xBB\xBF\xff";
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::size_t length = random() % 24; length > 0; --length) {
      text += alphabet[random() % alphabet.size()];
    }
    static_cast<void>(failure_of(text));
  }
  CHECK_FALSE(failure_of(std::string(1000000, '[')).empty());
}

} // namespace resilient::settings
