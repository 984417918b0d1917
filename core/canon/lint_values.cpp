#include "core/canon/lint.hpp"
#include "core/support/text.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace resilient::canon {

namespace {

constexpr std::size_t most_values = 6;
constexpr std::size_t longest_quoted = 60;

bool is_alphanumeric(char byte) noexcept {
  return is_ascii_letter(byte) || is_ascii_digit(byte);
}
bool is_word_byte(char byte) noexcept {
  return is_alphanumeric(byte) || byte == '_';
}

/// Walks over the entry and collects what looks like a value.
class value_finder {
public:
  explicit value_finder(std::string_view text) : text_(text) {}

  std::vector<std::string> find() {
    quoted('`');
    quoted('"');
    at_each_word([this](std::size_t begin) { return hyphenated(begin); });
    at_each_word([this](std::size_t begin) { return underscored(begin); });
    at_each_word([this](std::size_t begin) { return dotted(begin); });
    at_each_word([this](std::size_t begin) { return number(begin); });
    at_each_word([this](std::size_t begin) { return counted(begin); });
    return std::move(values_);
  }

private:
  [[nodiscard]] char at(std::size_t index) const noexcept {
    return index < text_.size() ? text_[index] : '\0';
  }
  template <class Predicate>
  [[nodiscard]] std::size_t run(std::size_t begin, Predicate belongs) const {
    while (begin < text_.size() && belongs(text_[begin])) {
      ++begin;
    }
    return begin;
  }

  /// Tries a shape wherever a word begins; a match is taken and skipped.
  template <class Shape>
  void at_each_word(Shape shape) {
    for (std::size_t begin = 0; begin < text_.size();) {
      if (!is_word_byte(text_[begin]) || (begin > 0 && is_word_byte(text_[begin - 1]))) {
        ++begin;
        continue;
      }
      const std::size_t end = shape(begin);
      if (end > begin) {
        add(text_.substr(begin, end - begin));
      }
      begin = std::max(end, begin + 1);
    }
  }

  void quoted(char mark) {
    for (std::size_t begin = text_.find(mark); begin != std::string_view::npos;
         begin = text_.find(mark, begin)) {
      const std::size_t end = text_.find(mark, begin + 1);
      if (end == std::string_view::npos) {
        return;
      }
      const std::string_view inner = text_.substr(begin + 1, end - begin - 1);
      const std::size_t length = utf16_length(inner);
      const bool fits =
          length >= 2 && length <= longest_quoted && inner.find('\n') == std::string_view::npos;
      if (fits) {
        add(inner);
      }
      begin = fits ? end + 1 : end; // the mark that ends nothing may begin the next one
    }
  }

  [[nodiscard]] std::size_t hyphenated(std::size_t begin) const {
    if (!is_ascii_letter(at(begin))) {
      return begin;
    }
    std::size_t end = run(begin, is_alphanumeric);
    const std::size_t first = end;
    while (at(end) == '-' && is_alphanumeric(at(end + 1))) {
      end = run(end + 1, is_alphanumeric);
    }
    return end > first ? end : begin;
  }

  [[nodiscard]] std::size_t underscored(std::size_t begin) const {
    const std::size_t end = run(begin, is_word_byte);
    const std::string_view word = text_.substr(begin, end - begin);
    const bool shouted = std::none_of(word.begin(), word.end(), is_ascii_lower);
    return shouted && word.find('_') != std::string_view::npos && word.front() != '_'
                   && word.back() != '_'
               ? end
               : begin;
  }

  [[nodiscard]] std::size_t dotted(std::size_t begin) const {
    if (begin > 1 && at(begin - 1) == '.' && is_word_byte(at(begin - 2))) {
      return begin;
    }
    const std::size_t dot = run(begin, is_ascii_lower);
    const std::size_t end = run(dot + 1, is_ascii_lower);
    const bool found = dot > begin && at(dot) == '.' && end >= dot + 3 && !is_word_byte(at(end));
    return found ? end : begin;
  }

  /// A number with groups and decimals. Parts of days, times and versions are none.
  [[nodiscard]] std::size_t number(std::size_t begin) const {
    const auto joins = [](char byte) { return byte == '.' || byte == '-' || byte == ':'; };
    if (!is_ascii_digit(at(begin))
        || (begin > 1 && joins(at(begin - 1)) && is_word_byte(at(begin - 2)))) {
      return begin;
    }
    std::size_t end = run(begin, is_ascii_digit);
    constexpr std::size_t group = 3;
    while (at(end) == ',' && run(end + 1, is_ascii_digit) == end + 1 + group) {
      end += 1 + group;
    }
    if (at(end) == '.' && is_ascii_digit(at(end + 1))) {
      end = run(end + 1, is_ascii_digit);
    }
    if (is_word_byte(at(end)) || (joins(at(end)) && is_ascii_digit(at(end + 1)))) {
      return begin;
    }
    return at(end) == '%' && !is_word_byte(at(end + 1)) ? end + 1 : end;
  }

  /// `three retries`
  [[nodiscard]] std::size_t counted(std::size_t begin) const {
    constexpr std::array<std::string_view, 31> cardinals = {
        "one",      "two",     "three",     "four",     "five",     "six",      "seven",
        "eight",    "nine",    "ten",       "eleven",   "twelve",   "thirteen", "fourteen",
        "fifteen",  "sixteen", "seventeen", "eighteen", "nineteen", "twenty",   "thirty",
        "forty",    "fifty",   "sixty",     "seventy",  "eighty",   "ninety",   "hundred",
        "thousand", "million", "billion"};
    if (begin > 0 && at(begin - 1) == '-') {
      return begin;
    }
    const std::size_t end = run(begin, is_ascii_letter);
    const std::string word = ascii_lower(text_.substr(begin, end - begin));
    if (std::find(cardinals.begin(), cardinals.end(), word) == cardinals.end() || at(end) != ' ') {
      return begin;
    }
    const std::size_t last = run(end + 1, is_ascii_letter);
    return last >= end + 4 && !is_word_byte(at(last)) ? last : begin;
  }

  void add(std::string_view value) {
    value = trim(value);
    const bool is_day = value.size() == 10 && value[4] == '-' && value[7] == '-'
                        && value.find_first_not_of("0123456789-") == std::string_view::npos;
    if (utf16_length(value) >= 2 && !is_day && known_.insert(ascii_lower(value)).second) {
      values_.emplace_back(value);
    }
  }

  std::string_view text_;
  std::vector<std::string> values_;
  std::set<std::string> known_;
};

std::string collapsed(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const char32_t code_point = take_code_point(text);
    if (!is_white_space(code_point)) {
      append_code_point(result, code_point);
    } else if (!result.empty() && result.back() != ' ') {
      result.push_back(' ');
    }
  }
  return ascii_lower(result);
}

bool holds(std::string_view text, std::string_view value) {
  for (std::size_t begin = text.find(value); begin != std::string_view::npos;
       begin = text.find(value, begin + 1)) {
    const std::size_t end = begin + value.size();
    if ((begin == 0 || !is_alphanumeric(text[begin - 1]))
        && (end == text.size() || !is_alphanumeric(text[end]))) {
      return true;
    }
  }
  return false;
}

} // namespace

std::vector<std::string> missing_values(std::string_view entry, std::string_view article_text) {
  const std::string text = collapsed(article_text);
  std::vector<std::string> missing;
  for (std::string& value : value_finder(entry).find()) {
    if (!holds(text, collapsed(value))) {
      missing.push_back(std::move(value));
    }
  }
  std::stable_sort(missing.begin(), missing.end(),
                   [](const std::string& left, const std::string& right) {
                     return utf16_length(left) > utf16_length(right);
                   });
  missing.resize(std::min(missing.size(), most_values));
  return missing;
}

} // namespace resilient::canon
