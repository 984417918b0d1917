#include "core/support/json_text.hpp"

#include <doctest/doctest.h>

#include <string>

namespace resilient {

namespace {

std::string lists(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

} // namespace

TEST_CASE("JSON that nests too deep to be copied is not read") {
  CHECK(parse_json(lists(most_json_nesting)).is_array());
  CHECK(parse_json(lists(most_json_nesting + 1)).is_discarded());
  CHECK(parse_json(lists(1'000'000)).is_discarded());
  CHECK(parse_json(R"({"a":)" + lists(most_json_nesting) + "}").is_discarded());
}

TEST_CASE("Brackets in strings, and beside each other, are no nesting") {
  CHECK(parse_json('"' + lists(1000) + '"').is_string());
  CHECK(parse_json(R"(["\")" + std::string(1000, '{') + R"("])").is_array());
  std::string flat = "[0";
  for (int count = 0; count < 1000; ++count) {
    flat += ",[{}]";
  }
  CHECK(parse_json(flat + "]").is_array());
}

TEST_CASE("Text that is no JSON is discarded") {
  for (const char* text : {"", "]", "\xff", "{\"a\":", "\"\\"}) {
    CAPTURE(text);
    CHECK(parse_json(text).is_discarded());
  }
}

} // namespace resilient
