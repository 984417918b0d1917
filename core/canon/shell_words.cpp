#include "core/canon/shell_parser.hpp"
#include "core/support/text.hpp"

#include <algorithm>
#include <utility>

// Words: quotes, variables, and commands whose output is put in their place.

namespace resilient::canon {

namespace {

using piece_kind = shell_piece::kind_type;
using step_kind = shell_step::kind_type;

constexpr int deepest_nesting = 24;

bool is_name_byte(char byte) noexcept {
  return is_ascii_letter(byte) || is_ascii_digit(byte) || byte == '_';
}

} // namespace

void shell_parser::add(shell_word& word, piece_kind kind, std::string_view text) {
  if (!word.empty() && word.back().kind == kind
      && (kind == piece_kind::plain || kind == piece_kind::quoted)) {
    word.back().text += text;
  } else {
    word.push_back({kind, std::string(text)});
  }
}

void shell_parser::add_byte(shell_word& word, piece_kind kind, char byte) {
  add(word, kind, std::string_view(&byte, 1));
}

void shell_parser::read_word_part(pending& now) {
  now.has_word = true;
  const char byte = here();
  if (byte == '\\') {
    if (here(1) == '\n') {
      now.has_word = !now.word.empty();
    } else if (at_ + 1 < text_.size()) {
      add_byte(now.word, piece_kind::quoted, here(1));
    }
    at_ += 2;
  } else if (byte == '\'') {
    read_single_quotes(now.word);
  } else if (byte == '"') {
    read_double_quotes(now.word);
  } else if (byte == '`') {
    read_backticks(now.word);
  } else if (byte == '$') {
    read_dollar(now.word);
  } else {
    const std::size_t end =
        std::min(text_.find_first_of(" \t\r\n;&|()<>\\'\"`$", at_), text_.size());
    add(now.word, piece_kind::plain, text_.substr(at_, end - at_));
    at_ = end;
  }
}

void shell_parser::read_single_quotes(shell_word& word) {
  const std::size_t end = std::min(text_.find('\'', at_ + 1), text_.size());
  add(word, piece_kind::quoted, text_.substr(at_ + 1, end - at_ - 1));
  at_ = end + 1;
}

void shell_parser::read_double_quotes(shell_word& word) {
  add(word, piece_kind::quoted, "");
  ++at_;
  while (!at_end() && here() != '"') {
    const char byte = here();
    if (byte == '\\') {
      const char next = here(1);
      if (next == '"' || next == '\\' || next == '$' || next == '`') {
        add_byte(word, piece_kind::quoted, next);
      } else if (next != '\n') {
        add(word, piece_kind::quoted, text_.substr(at_, 2));
      }
      at_ += 2;
    } else if (byte == '$') {
      read_dollar(word);
    } else if (byte == '`') {
      read_backticks(word);
    } else {
      const std::size_t end = std::min(text_.find_first_of("\"\\$`", at_), text_.size());
      add(word, piece_kind::quoted, text_.substr(at_, end - at_));
      at_ = end;
    }
  }
  ++at_;
}

void shell_parser::read_dollar(shell_word& word) {
  const char next = here(1);
  if (next == '(') {
    if (here(2) == '(') {
      at_ += 3;
      skip_arithmetic(word);
    } else {
      read_substitution(word);
    }
  } else if (next == '{') {
    read_braced(word);
  } else if (next == '\'') {
    ++at_;
    const std::size_t begin = at_ + 1;
    std::size_t end = begin;
    while (end < text_.size() && text_[end] != '\'') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    end = std::min(end, text_.size());
    add(word, piece_kind::quoted, text_.substr(begin, end - begin));
    at_ = end + 1;
  } else if (is_ascii_letter(next) || next == '_') {
    std::size_t end = at_ + 1;
    while (end < text_.size() && is_name_byte(text_[end])) {
      ++end;
    }
    word.push_back({piece_kind::variable, std::string(text_.substr(at_ + 1, end - at_ - 1))});
    at_ = end;
  } else if (is_ascii_digit(next)
             || (next != '\0'
                 && std::string_view("@*#?$!-").find(next) != std::string_view::npos)) {
    word.push_back({piece_kind::variable, std::string(1, next)});
    at_ += 2;
  } else {
    add(word, piece_kind::quoted, "$");
    ++at_;
  }
}

void shell_parser::read_braced(shell_word& word) {
  const std::size_t begin = at_ + 2;
  std::size_t end = begin;
  while (end < text_.size() && is_name_byte(text_[end])) {
    ++end;
  }
  const std::string_view behind = text_.substr(std::min(end, text_.size()), 4);
  if (end > begin && (behind == "[@]}" || behind == "[*]}")) {
    word.push_back({piece_kind::variable, std::string(text_.substr(begin, end - begin))});
    at_ = end + 4;
    return;
  }
  if (end < text_.size() && text_[end] == '}') {
    word.push_back({piece_kind::variable, std::string(text_.substr(begin, end - begin))});
    at_ = end + 1;
    return;
  }
  // `${name:-other}` and the like: unknown, and only braces are counted.
  int open = 1;
  while (end < text_.size() && open > 0) {
    const char byte = text_[end];
    open += byte == '{' ? 1 : byte == '}' ? -1 : 0;
    end += byte == '\\' ? 2 : 1;
  }
  word.push_back({piece_kind::output, ""});
  at_ = std::min(end, text_.size());
}

void shell_parser::skip_arithmetic(shell_word& word) {
  int open = 2;
  while (!at_end() && open > 0) {
    open += here() == '(' ? 1 : here() == ')' ? -1 : 0;
    ++at_;
  }
  word.push_back({piece_kind::output, ""});
}

void shell_parser::read_substitution(shell_word& word) {
  if (depth_ >= deepest_nesting) {
    add(word, piece_kind::quoted, "$(");
    at_ += 2;
    return;
  }
  at_ += 2;
  const std::size_t begin = at_;
  const std::size_t outer_pipeline = pipeline_;
  const int outer_parentheses = std::exchange(parentheses_, 0);
  ++depth_;
  mark(step_kind::enter);
  read_list(true);
  mark(step_kind::leave);
  --depth_;
  parentheses_ = outer_parentheses;
  pipeline_ = outer_pipeline;
  const std::size_t end =
      at_ > begin && text_[std::min(at_, text_.size()) - 1] == ')' ? at_ - 1 : at_;
  // Only short ones are ever looked at, such as `pwd`.
  const std::string_view inside = text_.substr(begin, end - begin);
  word.push_back({piece_kind::output, std::string(trim(inside.substr(0, 64)))});
}

void shell_parser::read_backticks(shell_word& word) {
  std::string inside;
  ++at_;
  while (!at_end() && here() != '`') {
    if (here() == '\\' && at_ + 1 < text_.size()) {
      ++at_;
    }
    inside += here();
    ++at_;
  }
  ++at_;
  if (depth_ < deepest_nesting) {
    mark(step_kind::enter);
    shell_parser(inside, script_, depth_ + 1).read_list(false);
    mark(step_kind::leave);
  }
  word.push_back({piece_kind::output, std::string(trim(inside.substr(0, 64)))});
}

} // namespace resilient::canon
