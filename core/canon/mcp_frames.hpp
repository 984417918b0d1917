#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace resilient::canon {

/// Cuts a byte stream into the messages of the stdio transport of MCP: one a line, ended by LF or
/// CRLF. Blank lines are no messages. Messages may arrive in pieces of any size.
class mcp_frames {
public:
  /// One message without its line end. When it was longer than the limit, `text` is empty and
  /// `too_long` says so; the rest of that line is skipped.
  struct frame {
    std::string text;
    bool too_long = false;
  };

  /// `longest` is the number of bytes that a message may have.
  explicit mcp_frames(std::size_t longest) : longest_(longest) {}

  /// Takes the next bytes of the stream.
  void append(std::string_view bytes);

  /// The stream has ended: what stands after the last line end is a message too.
  void finish();

  /// The next complete message, or nothing until more bytes arrive.
  [[nodiscard]] std::optional<frame> next();

private:
  [[nodiscard]] std::optional<std::string_view> next_line();

  std::size_t longest_;
  std::string buffer_;
  std::size_t begin_ = 0;   ///< start of the line that is being read
  std::size_t scanned_ = 0; ///< no line end stands between `begin_` and here
  bool skipping_ = false;   ///< inside a line that was too long
  bool finished_ = false;
};

} // namespace resilient::canon
