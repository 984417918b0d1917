#include "core/canon/shell_words.hpp"

#include "core/support/text.hpp"

#include <algorithm>
#include <utility>

namespace resilient::canon {

namespace {

using piece_kind = shell_piece::kind_type;
using redirection_kind = shell_redirection::kind_type;
using step_kind = shell_step::kind_type;

constexpr int deepest_nesting = 24;

bool is_name_byte(char byte) noexcept {
  return is_ascii_letter(byte) || is_ascii_digit(byte) || byte == '_';
}

bool is_blank(char byte) noexcept {
  return byte == ' ' || byte == '\t' || byte == '\r';
}

/// The text of a word without its quotes, as the delimiter of a here-document is compared.
std::string plain_text(const shell_word& word) {
  std::string text;
  for (const shell_piece& piece : word) {
    text += piece.text;
  }
  return text;
}

class parser {
public:
  parser(std::string_view text, shell_script& script, int depth)
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

  static void add(shell_word& word, piece_kind kind, std::string_view text);
  static void add_byte(shell_word& word, piece_kind kind, char byte);
  static void end_word(pending& now);
  void end_command(pending& now, bool is_piped = false);
  void mark(step_kind kind);

  void read_word_part(pending& now);
  void read_single_quotes(shell_word& word);
  void read_double_quotes(shell_word& word);
  void read_dollar(shell_word& word);
  void read_braced(shell_word& word);
  void read_substitution(shell_word& word);
  void read_backticks(shell_word& word);
  void skip_arithmetic(shell_word& word);
  void read_parenthesis(pending& now);
  void begin_array(pending& now);
  void read_redirection(pending& now);
  shell_word read_target();
  void read_here_texts();
  void skip_comment();

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

void parser::add(shell_word& word, piece_kind kind, std::string_view text) {
  if (!word.empty() && word.back().kind == kind
      && (kind == piece_kind::plain || kind == piece_kind::quoted)) {
    word.back().text += text;
  } else {
    word.push_back({kind, std::string(text)});
  }
}

void parser::add_byte(shell_word& word, piece_kind kind, char byte) {
  add(word, kind, std::string_view(&byte, 1));
}

void parser::end_word(pending& now) {
  if (now.has_word) {
    now.step.words.push_back(std::move(now.word));
    now.word.clear();
    now.has_word = false;
  }
}

void parser::end_command(pending& now, bool is_piped) {
  end_word(now);
  if (!now.step.words.empty() || !now.step.redirections.empty()) {
    now.step.pipeline = pipeline_;
    script_.steps.push_back(std::move(now.step));
  }
  now.step = {};
  if (!is_piped) {
    pipeline_ = script_.steps.size();
  }
}

void parser::mark(step_kind kind) {
  shell_step step;
  step.kind = kind;
  step.pipeline = pipeline_;
  script_.steps.push_back(std::move(step));
}

void parser::skip_comment() {
  at_ = std::min(text_.find('\n', at_), text_.size());
}

void parser::read_list(bool is_nested) {
  pending now;
  pipeline_ = script_.steps.size();
  while (!at_end()) {
    const char byte = here();
    if (byte == '\n' && now.in_array) {
      end_word(now);
      ++at_;
    } else if (byte == '\n') {
      end_command(now);
      ++at_;
      read_here_texts();
    } else if (is_blank(byte)) {
      end_word(now);
      ++at_;
    } else if (byte == '#' && !now.has_word) {
      skip_comment();
    } else if (byte == ';') {
      end_command(now);
      ++at_;
    } else if (byte == '&' && here(1) == '>') {
      end_word(now);
      ++at_;
      read_redirection(now);
    } else if (byte == '&' || byte == '|') {
      const bool is_pipe = byte == '|' && here(1) != '|';
      end_command(now, is_pipe);
      at_ += here(1) == byte || (is_pipe && here(1) == '&') ? 2 : 1;
    } else if (byte == '(') {
      read_parenthesis(now);
    } else if (byte == ')') {
      ++at_;
      if (now.in_array) {
        end_command(now);
      } else if (parentheses_ > 0) {
        end_command(now);
        --parentheses_;
        mark(step_kind::leave);
      } else if (is_nested) {
        end_command(now);
        return;
      } else {
        now = {}; // a pattern of `case`
      }
    } else if (byte == '<' || byte == '>') {
      read_redirection(now);
    } else {
      read_word_part(now);
    }
  }
  end_command(now);
  read_here_texts();
  for (; parentheses_ > 0; --parentheses_) {
    mark(step_kind::leave);
  }
}

void parser::read_parenthesis(pending& now) {
  if (now.step.words.empty() && !now.has_word && here(1) == '(') {
    shell_word ignored;
    at_ += 2;
    skip_arithmetic(ignored);
    return;
  }
  // `name()` and `name=(a b)` are no subshells.
  if (here(1) == ')') {
    end_command(now);
    at_ += 2;
    return;
  }
  if (now.has_word && now.word.size() == 1 && ends_with(now.word.front().text, "=")) {
    begin_array(now);
    return;
  }
  end_command(now);
  ++at_;
  ++parentheses_;
  mark(step_kind::enter);
}

/// A list of words is what a loop over them would give its variable.
void parser::begin_array(pending& now) {
  std::string name = std::move(now.word.front().text);
  name.pop_back();
  if (ends_with(name, "+")) {
    name.pop_back();
  }
  now = {};
  for (const std::string& word : {std::string("for"), name, std::string("in")}) {
    now.step.words.push_back({{piece_kind::plain, word}});
  }
  now.in_array = true;
  ++at_;
}

void parser::read_word_part(pending& now) {
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

void parser::read_single_quotes(shell_word& word) {
  const std::size_t end = std::min(text_.find('\'', at_ + 1), text_.size());
  add(word, piece_kind::quoted, text_.substr(at_ + 1, end - at_ - 1));
  at_ = end + 1;
}

void parser::read_double_quotes(shell_word& word) {
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

void parser::read_dollar(shell_word& word) {
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

void parser::read_braced(shell_word& word) {
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

void parser::skip_arithmetic(shell_word& word) {
  int open = 2;
  while (!at_end() && open > 0) {
    open += here() == '(' ? 1 : here() == ')' ? -1 : 0;
    ++at_;
  }
  word.push_back({piece_kind::output, ""});
}

void parser::read_substitution(shell_word& word) {
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

void parser::read_backticks(shell_word& word) {
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
    parser(inside, script_, depth_ + 1).read_list(false);
    mark(step_kind::leave);
  }
  word.push_back({piece_kind::output, std::string(trim(inside.substr(0, 64)))});
}

void parser::read_redirection(pending& now) {
  // `2>file`: the number is no word.
  if (now.has_word) {
    const bool is_number =
        now.word.size() == 1 && now.word.front().kind == piece_kind::plain
        && std::all_of(now.word.front().text.begin(), now.word.front().text.end(), is_ascii_digit);
    if (is_number) {
      now.word.clear();
      now.has_word = false;
    } else {
      end_word(now);
    }
  }
  const bool writes = here() == '>' || here(1) == '>';
  if (here(1) == '(') { // `<(command)`
    shell_word target;
    read_substitution(target);
    now.step.words.push_back(std::move(target));
    return;
  }
  if (here() == '<' && here(1) == '<') {
    at_ += 2;
    if (here() == '<') {
      ++at_;
      now.step.redirections.push_back({redirection_kind::here_word, read_target(), 0});
      return;
    }
    const bool strips_tabs = here() == '-';
    at_ += strips_tabs ? 1 : 0;
    awaited_.push_back({script_.texts.size(), plain_text(read_target()), strips_tabs});
    now.step.redirections.push_back({redirection_kind::here_text, {}, script_.texts.size()});
    script_.texts.emplace_back();
    return;
  }
  ++at_;
  if (here() == '>' || here() == '|') {
    ++at_;
  }
  if (here() == '&') {
    ++at_;
    // `>&2` and `>&-` name no file, `>& file` does.
    if (is_ascii_digit(here()) || here() == '-') {
      while (is_ascii_digit(here()) || here() == '-') {
        ++at_;
      }
      return;
    }
  }
  now.step.redirections.push_back(
      {writes ? redirection_kind::write : redirection_kind::read, read_target(), 0});
}

shell_word parser::read_target() {
  while (!at_end() && is_blank(here())) {
    ++at_;
  }
  pending now;
  while (!at_end() && std::string_view(" \t\r\n;&|()<>").find(here()) == std::string_view::npos) {
    read_word_part(now);
  }
  return std::move(now.word);
}

void parser::read_here_texts() {
  for (const here_document& awaited : std::exchange(awaited_, {})) {
    std::string& text = script_.texts[awaited.text];
    while (!at_end()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, end - at_);
      at_ = std::min(end + 1, text_.size());
      if (awaited.strips_tabs) {
        line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
      }
      if (trim_end(line) == awaited.delimiter) {
        break;
      }
      text += line;
      text += '\n';
    }
  }
}

} // namespace

shell_script parse_shell(std::string_view text) {
  shell_script script;
  parser(text, script, 0).read_list(false);
  return script;
}

} // namespace resilient::canon
