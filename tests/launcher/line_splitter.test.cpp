#include "launcher/bridge/line_splitter.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using resilient::launcher::line_splitter;
using namespace std::string_literals;

namespace {

std::vector<std::string> all(line_splitter& lines) {
  std::vector<std::string> found;
  while (auto line = lines.next()) {
    found.push_back(*line);
  }
  return found;
}

} // namespace

TEST_CASE("lines come out the same however the bytes are cut") {
  const std::string stream = "one\n\n\r\n  \ntwo\r\nth\rree\n\xff\x00z\nfour"s;
  const std::vector<std::string> expected = [&] {
    line_splitter lines{100};
    lines.add(stream);
    return all(lines);
  }();
  REQUIRE(expected.size() >= 4);
  CHECK(expected[0] == "one");
  CHECK(expected[1] == "two");
  CHECK(expected[2] == "th\rree");
  for (std::size_t size = 1; size < stream.size(); ++size) {
    line_splitter lines{100};
    std::vector<std::string> found;
    for (std::size_t at = 0; at < stream.size(); at += size) {
      lines.add(std::string_view{stream}.substr(at, size));
      for (auto& line : all(lines)) {
        found.push_back(line);
      }
    }
    CHECK(found == expected);
    CHECK_FALSE(lines.is_too_long());
  }
}

TEST_CASE("the limit counts the newline, to the byte") {
  for (const bool with_newline : {true, false}) {
    for (std::size_t length = 6; length <= 11; ++length) {
      line_splitter lines{9};
      lines.add("ab\n" + std::string(length, 'x') + (with_newline ? "\n" : ""));
      CAPTURE(with_newline);
      CAPTURE(length);
      const auto found = all(lines);
      const bool fits = length + 1 <= 9;
      CHECK(found.size() == (fits && with_newline ? 2U : 1U));
      CHECK(lines.is_too_long() == !fits);
    }
  }
}

TEST_CASE("many lines leave no growing buffer behind") {
  line_splitter lines{1000};
  std::size_t count = 0;
  for (int round = 0; round < 10'000; ++round) {
    lines.add("0123456789\n0123");
    count += all(lines).size();
    lines.add("456789\n");
    count += all(lines).size();
  }
  CHECK(count == 20'000);
}
