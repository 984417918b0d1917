#pragma once

#include "core/canon/shell_script.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

// How a script is read; `parse_shell` is what others call.

[[nodiscard]] constexpr bool is_shell_blank(char byte) noexcept {
  return byte == ' ' || byte == '\t' || byte == '\r';
}

/// Reads one text, and the commands inside of its words, into a script.
class shell_parser {
public:
  shell_parser(std::string_view text, shell_script& script, int depth)
      : text_(text), script_(script), depth_(depth) {}

  /// Reads until the text ends or, when `is_nested`, until the parenthesis that closes it.
  void read_list(bool is_nested);

private:
  /// A command that is being read.
  struct pending {
    shell_step step;
    shell_word word;
    bool has_word = false; ///< also when it is empty: `''`
    bool in_array = false; ///< in `name=(a b)`
  };

  [[nodiscard]] bool at_end() const noexcept { return at_ >= text_.size(); }
  [[nodiscard]] char here(std::size_t ahead = 0) const noexcept {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  // shell_parser.cpp
  static void end_word(pending& now);
  void end_command(pending& now, bool is_piped = false);
  void mark(shell_step::kind_type kind);
  void read_parenthesis(pending& now);
  void begin_array(pending& now);
  void skip_comment();

  // shell_words.cpp
  static void add(shell_word& word, shell_piece::kind_type kind, std::string_view text);
  static void add_byte(shell_word& word, shell_piece::kind_type kind, char byte);
  void read_word_part(pending& now);
  void read_single_quotes(shell_word& word);
  void read_double_quotes(shell_word& word);
  void read_dollar(shell_word& word);
  void read_braced(shell_word& word);
  void skip_arithmetic(shell_word& word);
  void read_substitution(shell_word& word);
  void read_backticks(shell_word& word);

  // shell_redirections.cpp
  void read_redirection(pending& now);
  shell_word read_target();
  void read_here_texts();

  std::string_view text_;
  std::size_t at_ = 0;
  shell_script& script_;
  int depth_;
  int parentheses_ = 0;
  std::size_t pipeline_ = 0;

  struct here_document {
    std::size_t text = 0;
    std::string delimiter;
    bool strips_tabs = false;
  };
  std::vector<here_document> awaited_;
};

} // namespace resilient::canon
