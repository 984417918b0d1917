#include "core/canon/shell_parser.hpp"
#include "core/support/text.hpp"

#include <algorithm>
#include <utility>

// Redirections, and the here-documents that some of them announce.

namespace resilient::canon {

namespace {

using piece_kind = shell_piece::kind_type;
using redirection_kind = shell_redirection::kind_type;

/// The text of a word without its quotes, as the delimiter of a here-document is compared.
std::string plain_text(const shell_word& word) {
  std::string text;
  for (const shell_piece& piece : word) {
    text += piece.text;
  }
  return text;
}

} // namespace

void shell_parser::read_redirection(pending& now) {
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

shell_word shell_parser::read_target() {
  while (!at_end() && is_shell_blank(here())) {
    ++at_;
  }
  pending now;
  while (!at_end() && std::string_view(" \t\r\n;&|()<>").find(here()) == std::string_view::npos) {
    read_word_part(now);
  }
  return std::move(now.word);
}

void shell_parser::read_here_texts() {
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

} // namespace resilient::canon
