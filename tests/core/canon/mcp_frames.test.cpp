#include "core/canon/mcp_frames.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace resilient::canon;

namespace {

/// Everything that comes out, a frame that was too long as "TOO LONG".
std::vector<std::string> drained(mcp_frames& frames) {
  std::vector<std::string> texts;
  while (const auto frame = frames.next()) {
    texts.push_back(frame->too_long ? "TOO LONG" : frame->text);
  }
  return texts;
}

using texts = std::vector<std::string>;

} // namespace

TEST_CASE("messages are lines, however the bytes arrive") {
  struct row {
    const char* what;
    std::string stream;
    texts messages;
  };
  const std::vector<row> table{
      {"two lines", "{1}\n{2}\n", {"{1}", "{2}"}},
      {"CRLF", "{1}\r\n{2}\r\n", {"{1}", "{2}"}},
      {"blank lines", "\n\r\n  \t\n{1}\n\n\n", {"{1}"}},
      {"blanks around a message", "  {1} \t\n", {"{1}"}},
      {"the last line needs no end", "{1}\n{2}", {"{1}", "{2}"}},
      {"nothing", "", {}},
      {"a lone CR is no line end", "{1}\r{2}\n", {"{1}\r{2}"}},
      {"a message of the greatest length", "1234567890\n", {"1234567890"}},
      {"one byte too many", "12345678901\n{1}\n", {"TOO LONG", "{1}"}},
      {"far too long", std::string(1000, 'x') + "\n{1}\n", {"TOO LONG", "{1}"}},
      {"too long and never ended", "{1}\n" + std::string(1000, 'x'), {"{1}", "TOO LONG"}},
  };
  for (const row& line : table) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{4096}}) {
      CAPTURE(line.what);
      CAPTURE(piece);
      mcp_frames frames{10};
      texts messages;
      for (std::size_t at = 0; at < line.stream.size(); at += piece) {
        frames.append(std::string_view{line.stream}.substr(at, piece));
        for (std::string& text : drained(frames)) {
          messages.push_back(std::move(text));
        }
      }
      frames.finish();
      for (std::string& text : drained(frames)) {
        messages.push_back(std::move(text));
      }
      CHECK(messages == line.messages);
    }
  }
}
