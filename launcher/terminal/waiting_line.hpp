#pragma once

#include "launcher/io/loop.hpp"
#include "launcher/terminal/output.hpp"

#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace resilient::launcher {

/// A line as it fits into one row of so many columns: what is too much is cut out before its end.
/// 0 columns: unknown, the line stays as it is.
[[nodiscard]] std::string fitted(std::string_view line, std::size_t columns);

/// What the launcher says to a person on stderr: lines that stay, and, while no Pi has the
/// terminal, one line that is replaced by the next. In that time Enter is read from the terminal,
/// which stays in its usual line mode, so that Ctrl+C and Ctrl+Z remain signals.
class waiting_line {
public:
  waiting_line(io_loop& loop, int input, output& errors, std::function<void()> enter_pressed);
  waiting_line(const waiting_line&) = delete;
  waiting_line& operator=(const waiting_line&) = delete;
  ~waiting_line();

  /// Replaces the line; an empty one removes it. Where stderr is no terminal each line is written
  /// once below the other.
  void show(std::string line, bool keys);
  /// Writes a line that stays. While a Pi has the terminal it is kept until `terminal_is_free`.
  void say(std::string line);
  /// Draws the line again, after the terminal was somebody else's.
  void redraw();

  /// Pi draws on the terminal from now on.
  void terminal_is_taken();
  void terminal_is_free();

private:
  void read_keys();
  void stop_reading_keys();
  void look_again();

  io_loop& loop_;
  int input_;
  output& errors_;
  std::function<void()> enter_pressed_;
  std::string shown_;
  bool takes_keys_ = false; ///< the line that is shown wants Enter
  bool taken_ = false;
  std::deque<std::string> kept_;
  std::unique_ptr<asio::posix::stream_descriptor> keys_;
  asio::steady_timer keys_again_; ///< while the keys belong to another program
};

} // namespace resilient::launcher
