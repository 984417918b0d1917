#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

/// A part of a word of a shell command.
struct shell_piece {
  enum class kind_type : std::uint8_t {
    plain,    ///< unquoted: blanks end it, wildcards and braces mean something
    quoted,   ///< as it stands
    variable, ///< `text` is the name of a variable, or of a parameter such as `1`
    output,   ///< what a command prints; `text` is the command. Also an unknown expansion.
  };
  kind_type kind = kind_type::plain;
  std::string text;
};
using shell_word = std::vector<shell_piece>;

struct shell_redirection {
  enum class kind_type : std::uint8_t {
    read,      ///< `<`
    write,     ///< `>`, `>>`, `>|`, `&>`, `<>`
    here_text, ///< `<<`: see `text`
    here_word, ///< `<<<`: `target` is the text itself
  };
  kind_type kind = kind_type::read;
  shell_word target;
  std::size_t text = 0; ///< index in `shell_script::texts`
};

/// One thing that a script does, in the order of its text.
struct shell_step {
  enum class kind_type : std::uint8_t {
    command, ///< a simple command; words such as `then`, `do` and `{` may stand before it
    enter,   ///< `(` or `$(`: what is changed until the matching `leave` is undone there
    leave,
  };
  kind_type kind = kind_type::command;
  std::vector<shell_word> words;
  std::vector<shell_redirection> redirections;
  /// Commands that are joined by `|` have the same number.
  std::size_t pipeline = 0;
};

struct shell_script {
  std::vector<shell_step> steps;
  std::vector<std::string> texts; ///< here-documents
};

/// Reads a script for bash or a POSIX shell far enough to tell commands, words and redirections.
/// Any bytes give a script: what is not closed ends with the text, and what is nested deeper than
/// any person writes is taken as it stands. Takes time linear in the text.
[[nodiscard]] shell_script parse_shell(std::string_view text);

} // namespace resilient::canon
