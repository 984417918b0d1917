#include "core/canon/front_matter.hpp"
#include "core/canon/lint.hpp"
#include "core/support/text.hpp"

#include <array>

namespace resilient::canon {

namespace {

constexpr std::size_t most_quotes = 2;
constexpr std::size_t longest_quote = 160;

bool is_word_byte(char byte) noexcept {
  return is_ascii_letter(byte) || is_ascii_digit(byte) || byte == '_';
}

/// Lower case, curly apostrophes straight, every run of white space one blank: two texts that say
/// the same look the same.
std::string evened(std::string_view text) {
  std::string even;
  while (!text.empty()) {
    const char32_t code_point = take_code_point(text);
    if (is_white_space(code_point)) {
      if (!even.empty() && even.back() != ' ') {
        even.push_back(' ');
      }
    } else if (code_point == 0x2019 || code_point == 0x02BC) {
      even.push_back('\'');
    } else if (code_point >= 'A' && code_point <= 'Z') {
      even.push_back(static_cast<char>(code_point - 'A' + 'a'));
    } else {
      append_code_point(even, code_point);
    }
  }
  if (!even.empty() && even.back() == ' ') {
    even.pop_back();
  }
  return even;
}

bool holds_word(std::string_view even, std::string_view word) {
  for (std::size_t at = even.find(word); at != std::string_view::npos;
       at = even.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_byte(even[at - 1]))
        && (end == even.size() || !is_word_byte(even[end]))) {
      return true;
    }
  }
  return false;
}

bool evened_speaks_of_constraint(std::string_view even) {
  constexpr std::array<std::string_view, 8> vocabulary = {
      "must", "never", "always", "require", "requires", "required", "do not", "don't"};
  for (const std::string_view word : vocabulary) {
    if (holds_word(even, word)) {
      return true;
    }
  }
  return false;
}

std::string_view without_bullet(std::string_view line) {
  const std::size_t begin = line.find_first_not_of("-* \t");
  return begin == std::string_view::npos ? std::string_view() : trim(line.substr(begin));
}

/// `3. ` or `3) ` at the beginning: items may be renumbered.
std::string_view without_number(std::string_view line) {
  std::size_t digits = 0;
  while (digits < line.size() && is_ascii_digit(line[digits])) {
    ++digits;
  }
  const bool numbered = digits > 0 && digits + 1 < line.size()
                        && (line[digits] == '.' || line[digits] == ')') && line[digits + 1] == ' ';
  return numbered ? trim(line.substr(digits + 1)) : line;
}

} // namespace

bool speaks_of_constraint(std::string_view text) {
  return evened_speaks_of_constraint(evened(text));
}

std::vector<std::string> dropped_constraints(std::string_view before, std::string_view after) {
  std::vector<std::string> quotes;
  const std::string kept = evened(after);
  for (const std::string_view raw : split_lines(before)) {
    const std::string_view line = without_bullet(trim(without_line_end(raw)));
    const std::string even = evened(line);
    if (!evened_speaks_of_constraint(even)
        || kept.find(without_number(even)) != std::string::npos) {
      continue;
    }
    quotes.emplace_back(utf16_prefix(line, longest_quote));
    if (quotes.size() == most_quotes) {
      break;
    }
  }
  return quotes;
}

} // namespace resilient::canon
