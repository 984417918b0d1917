#include "core/canon/needle.hpp"

#include "core/support/files.hpp"
#include "core/support/text.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

using namespace resilient;
using namespace resilient::canon;

namespace {

std::string repeat(const std::string& text, int times) {
  std::string all;
  for (int count = 0; count < times; ++count) {
    all += text;
  }
  return all;
}

} // namespace

TEST_CASE("white space is normalised as the extension does it") {
  const auto text = posix_files{}.read(NEEDLE_VECTORS, 1U << 20U);
  REQUIRE(text);
  const nlohmann::json vectors = nlohmann::json::parse(*text, nullptr, false);
  REQUIRE(vectors.is_object());
  const auto& rows = vectors.at("normalise");
  CHECK(rows.size() > 10);
  for (const auto& row : rows) {
    CAPTURE(row.dump());
    CHECK(normalise_white_space(row.at("text").get<std::string>())
          == row.at("becomes").get<std::string>());
  }
}

TEST_CASE("a text of 24 letters and digits can be looked for, a shorter one cannot") {
  struct row {
    const char* what;
    std::string key;
    std::string text;
    bool can;
  };
  const std::vector<row> table{
      {"a line with address and day", "src/cache", "src/cache (updated 2026-11-30): Cache.", true},
      {"a line with an address of one letter", "a", "a (updated 2026-11-30): x", false},
      {"24 letters", "a", repeat("x", 24), true},
      {"23 letters", "a", repeat("x", 23), false},
      {"12 letters with 11 dots between", "a", repeat("x.", 11) + "x", false},
      {"13 letters with 12 dots between", "a", repeat("x.", 12) + "x", true},
      {"runs between count one", "a", repeat("x -- ", 11) + "x", false},
      {"what stands at the ends does not count", "a", "....." + repeat("x", 23) + ".....", false},
      {"letters of any script", "a", repeat("配", 24), true},
      {"23 of them", "a", repeat("配", 23), false},
      {"marks count as letters do", "a", repeat("e\u0301", 12), true},
      {"12 letters beyond the first plane", "a", repeat("\U00020000", 12), true},
      {"11 of them", "a", repeat("\U00020000", 11), false},
      {"emoji are no letters", "a", repeat("😀", 40), false},
      {"nothing", "a", "", false},
      {"a blank key", " ", repeat("x", 40), false},
      {"bytes that are no text", "a", repeat("\xff", 40), false},
  };
  for (const row& line : table) {
    CAPTURE(line.what);
    CHECK(make_needle(line.key, line.text).has_value() == line.can);
  }
}

TEST_CASE("a needle is the key and the last 120 characters of the text") {
  const auto made = make_needle("src/core", "begin " + repeat("word ", 40) + "end\r\n");
  REQUIRE(made);
  CHECK(made->key == "src/core");
  CHECK(made->id == "src/core");
  CHECK(made->tail == "d " + repeat("word ", 23) + "end");
  CHECK(utf16_length(made->tail) <= 120);

  const auto wide = make_needle("a", repeat("\U00020000", 70));
  REQUIRE(wide);
  CHECK(wide->tail == repeat("\U00020000", 60));

  const auto odd = make_needle("a", "x" + repeat("\U00020000", 59) + "xy" + "\U00020000");
  REQUIRE(odd);
  CHECK(utf16_length(odd->tail) <= 120);
  CHECK(is_valid_utf8(odd->tail));
}

TEST_CASE("a needle is found in the message that its line was sent in") {
  const std::string line = "src/größe (updated 2026-11-30): Größe ist  in\u00a0Byte; 配置は別.";
  const auto made = make_needle("src/größe", line);
  REQUIRE(made);
  const std::string message = normalise_white_space("[canon] header\n" + line + "\nother: line");
  CHECK(message.find(made->tail) != std::string::npos);
  CHECK(message.find(made->id) != std::string::npos);
}
