#pragma once

#include "launcher/terminal/output.hpp"

#include <termios.h>

#include <optional>
#include <string_view>

namespace resilient::launcher {

/// What ends every mode that a Pi which was killed may have left on: synchronised output, mouse,
/// focus and colour scheme reports, no wrapping, bracketed paste, the keyboard protocols, an open
/// link, colours, a hidden cursor, the alternate screen. ESC 7 before the last makes that harmless
/// where there was no alternate screen. Then the rest of a dead main screen is erased.
inline constexpr std::string_view leave_all_modes =
    "\x1b[?2026l\x1b[?1006l\x1b[?1004l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?2031l\x1b[?7h"
    "\x1b[?2004l\x1b[<u\x1b[>4;0m\x1b]8;;\x07\x1b[0m\x1b[?25h\x1b"
    "7\x1b[?1049l\r\x1b[J";

/// The terminal as it was before the first start of Pi. Nothing happens where there is none; a
/// terminal that is gone is no failure.
class saved_terminal {
public:
  /// Reads the modes of `input` when it is a terminal. `screen` gets the bytes when it is one.
  saved_terminal(int input, output& screen);

  [[nodiscard]] bool is_terminal() const { return modes_.has_value(); }

  /// After the end of a child: line modes, screen modes, and typed bytes that nobody reads.
  void restore();

  /// Before a start: only the line modes, since Pi takes over what it finds.
  void restore_line_modes();

private:
  int input_;
  output& screen_;
  std::optional<termios> modes_;
};

} // namespace resilient::launcher
