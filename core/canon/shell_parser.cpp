#include "core/canon/shell_parser.hpp"

#include "core/support/text.hpp"

#include <algorithm>
#include <utility>

// Commands: where each begins and ends, and what is nested in parentheses.

namespace resilient::canon {

namespace {

using piece_kind = shell_piece::kind_type;
using step_kind = shell_step::kind_type;

} // namespace

void shell_parser::end_word(pending& now) {
  if (now.has_word) {
    now.step.words.push_back(std::move(now.word));
    now.word.clear();
    now.has_word = false;
  }
}

void shell_parser::end_command(pending& now, bool is_piped) {
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

void shell_parser::mark(step_kind kind) {
  shell_step step;
  step.kind = kind;
  step.pipeline = pipeline_;
  script_.steps.push_back(std::move(step));
}

void shell_parser::skip_comment() {
  at_ = std::min(text_.find('\n', at_), text_.size());
}

void shell_parser::read_list(bool is_nested) {
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
    } else if (is_shell_blank(byte)) {
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

void shell_parser::read_parenthesis(pending& now) {
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
void shell_parser::begin_array(pending& now) {
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

shell_script parse_shell(std::string_view text) {
  shell_script script;
  shell_parser(text, script, 0).read_list(false);
  return script;
}

} // namespace resilient::canon
