#pragma once

#include <string>
#include <string_view>

namespace resilient::canon {

/// How text is shown to whoever reads an output of the program.
class terminal {
public:
  enum class style { plain, strong, faint, warning };

  /// For an open descriptor: escapes are made harmless only where a terminal would obey them, and
  /// colours are used only there, unless `NO_COLOR` is set or the terminal is a dumb one.
  [[nodiscard]] static terminal of(int descriptor);

  terminal(bool is_terminal, bool has_colours)
      : is_terminal_(is_terminal), has_colours_(has_colours) {}

  /// Text from a store, as it may be written to the output.
  [[nodiscard]] std::string shown(std::string_view text) const;

  /// The same, in a style.
  [[nodiscard]] std::string shown(std::string_view text, style how) const;

private:
  bool is_terminal_;
  bool has_colours_;
};

/// The text with every character that a terminal would obey (escape sequences, other control
/// characters, overrides of the writing direction) replaced by a visible sign, and bytes that are
/// not UTF-8 by U+FFFD. Line ends and tabs stay.
[[nodiscard]] std::string harmless(std::string_view text);

} // namespace resilient::canon
