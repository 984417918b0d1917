#include "core/canon/needle.hpp"

#include "core/support/text.hpp"

#include <utf8proc.h>

#include <cstddef>

namespace resilient::canon {

namespace {

constexpr std::size_t shortest_text = 24;
constexpr std::size_t tail_units = 120;

/// The characters of the protocol's list. Unlike JavaScript's `trim` it has U+0085 and no U+FEFF.
bool folds(char32_t point) {
  constexpr char32_t next_line = 0x85;
  constexpr char32_t byte_order_mark = 0xFEFF;
  return point == next_line || (point != byte_order_mark && is_white_space(point));
}

bool is_letter_or_digit(char32_t point) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(point))) {
  case UTF8PROC_CATEGORY_LU:
  case UTF8PROC_CATEGORY_LL:
  case UTF8PROC_CATEGORY_LT:
  case UTF8PROC_CATEGORY_LM:
  case UTF8PROC_CATEGORY_LO:
  case UTF8PROC_CATEGORY_MN:
  case UTF8PROC_CATEGORY_MC:
  case UTF8PROC_CATEGORY_ME:
  case UTF8PROC_CATEGORY_ND:
  case UTF8PROC_CATEGORY_NL:
  case UTF8PROC_CATEGORY_NO:
    return true;
  default:
    return false;
  }
}

std::size_t units_of(char32_t point) {
  constexpr char32_t last_of_one_unit = 0xFFFF;
  return point > last_of_one_unit ? 2 : 1;
}

/// Letters and digits, each run of anything else between them as one.
std::size_t telling_length(std::string_view text) {
  std::size_t length = 0;
  bool between = false;
  while (!text.empty()) {
    const char32_t point = take_code_point(text);
    if (!is_letter_or_digit(point)) {
      between = length > 0;
      continue;
    }
    length += (between ? 1 : 0) + units_of(point);
    between = false;
  }
  return length;
}

std::string_view last_units(std::string_view text, std::size_t units) {
  std::size_t surplus = utf16_length(text);
  while (surplus > units) {
    surplus -= units_of(take_code_point(text));
  }
  return text;
}

} // namespace

std::string normalise_white_space(std::string_view text) {
  std::string normal;
  normal.reserve(text.size());
  bool pending = false;
  while (!text.empty()) {
    const std::string_view before = text;
    if (folds(take_code_point(text))) {
      pending = !normal.empty();
      continue;
    }
    if (pending) {
      normal += ' ';
      pending = false;
    }
    normal += before.substr(0, before.size() - text.size());
  }
  return normal;
}

std::optional<needle> make_needle(const std::string& key, std::string_view text) {
  needle made{key, normalise_white_space(to_valid_utf8(key)), {}};
  if (made.id.empty() || telling_length(text) < shortest_text) {
    return std::nullopt;
  }
  made.tail =
      normalise_white_space(last_units(normalise_white_space(to_valid_utf8(text)), tail_units));
  return made;
}

} // namespace resilient::canon
