#include "core/support/text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

namespace resilient {

namespace {

constexpr unsigned byte_at(std::string_view text, std::size_t index) noexcept {
  return static_cast<unsigned char>(text[index]);
}

/// Where the last code point of a text that is not empty begins. Bytes that continue nothing are
/// taken one by one.
std::size_t last_code_point(std::string_view text) noexcept {
  constexpr std::size_t longest_sequence = 4;
  for (std::size_t length = 1; length <= longest_sequence && length <= text.size(); ++length) {
    const std::size_t begin = text.size() - length;
    if ((byte_at(text, begin) & 0xC0U) != 0x80U) {
      std::string_view rest = text.substr(begin);
      const char32_t ignored = take_code_point(rest);
      static_cast<void>(ignored);
      return rest.empty() ? begin : text.size() - 1;
    }
  }
  return text.size() - 1;
}

} // namespace

char32_t take_code_point(std::string_view& rest) noexcept {
  const unsigned lead = byte_at(rest, 0);
  if (lead < 0x80) {
    rest.remove_prefix(1);
    return lead;
  }
  std::size_t more = 0;
  char32_t code_point = 0;
  // The first continuation byte has narrower limits after some leads: they exclude overlong forms,
  // surrogates and values beyond Unicode.
  unsigned lowest = 0x80;
  unsigned highest = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    more = 1;
    code_point = lead & 0x1FU;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    more = 2;
    code_point = lead & 0x0FU;
    lowest = lead == 0xE0 ? 0xA0 : lowest;
    highest = lead == 0xED ? 0x9F : highest;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    more = 3;
    code_point = lead & 0x07U;
    lowest = lead == 0xF0 ? 0x90 : lowest;
    highest = lead == 0xF4 ? 0x8F : highest;
  } else {
    rest.remove_prefix(1);
    return replacement_character;
  }
  std::size_t taken = 1;
  for (; taken <= more; ++taken) {
    if (taken >= rest.size() || byte_at(rest, taken) < lowest || byte_at(rest, taken) > highest) {
      rest.remove_prefix(taken);
      return replacement_character;
    }
    code_point = (code_point << 6U) | (byte_at(rest, taken) & 0x3FU);
    lowest = 0x80;
    highest = 0xBF;
  }
  rest.remove_prefix(taken);
  return code_point;
}

void append_code_point(std::string& text, char32_t code_point) {
  const auto add = [&text](unsigned byte) { text.push_back(static_cast<char>(byte)); };
  std::uint32_t value = code_point;
  if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    value = replacement_character;
  }
  if (value < 0x80) {
    add(value);
  } else if (value < 0x800) {
    add(0xC0U | (value >> 6U));
    add(0x80U | (value & 0x3FU));
  } else if (value < 0x10000) {
    add(0xE0U | (value >> 12U));
    add(0x80U | ((value >> 6U) & 0x3FU));
    add(0x80U | (value & 0x3FU));
  } else {
    add(0xF0U | (value >> 18U));
    add(0x80U | ((value >> 12U) & 0x3FU));
    add(0x80U | ((value >> 6U) & 0x3FU));
    add(0x80U | (value & 0x3FU));
  }
}

std::size_t ascii_prefix(std::string_view text) noexcept {
  constexpr std::uint64_t high_bits = 0x8080808080808080U;
  std::size_t length = 0;
  for (std::uint64_t bytes = 0; length + sizeof bytes <= text.size(); length += sizeof bytes) {
    std::memcpy(&bytes, text.data() + length, sizeof bytes);
    if ((bytes & high_bits) != 0) {
      break;
    }
  }
  while (length < text.size() && static_cast<unsigned char>(text[length]) < 0x80) {
    ++length;
  }
  return length;
}

char short_json_escape(char32_t code_point) noexcept {
  switch (code_point) {
  case '"':
  case '\\':
    return static_cast<char>(code_point);
  case '\b':
    return 'b';
  case '\f':
    return 'f';
  case '\n':
    return 'n';
  case '\r':
    return 'r';
  case '\t':
    return 't';
  default:
    return 0;
  }
}

bool is_valid_utf8(std::string_view text) noexcept {
  for (text.remove_prefix(ascii_prefix(text)); !text.empty();
       text.remove_prefix(ascii_prefix(text))) {
    const bool literal = starts_with(text, "\xEF\xBF\xBD");
    if (take_code_point(text) == replacement_character && !literal) {
      return false;
    }
  }
  return true;
}

std::string to_valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    if (const std::size_t plain = ascii_prefix(text); plain > 0) {
      valid += text.substr(0, plain);
      text.remove_prefix(plain);
    } else {
      append_code_point(valid, take_code_point(text));
    }
  }
  return valid;
}

std::size_t utf16_length(std::string_view text) noexcept {
  std::size_t units = 0;
  while (!text.empty()) {
    if (const std::size_t plain = ascii_prefix(text); plain > 0) {
      units += plain;
      text.remove_prefix(plain);
      continue;
    }
    units += take_code_point(text) > 0xFFFF ? 2 : 1;
  }
  return units;
}

std::string_view utf16_prefix(std::string_view text, std::size_t units) noexcept {
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view next = rest;
    const std::size_t width = take_code_point(next) > 0xFFFF ? 2 : 1;
    if (width > units) {
      break;
    }
    units -= width;
    rest = next;
  }
  return text.substr(0, text.size() - rest.size());
}

bool is_white_space(char32_t code_point) noexcept {
  switch (code_point) {
  case 0x20:
  case 0xA0:
  case 0x1680:
  case 0x2028:
  case 0x2029:
  case 0x202F:
  case 0x205F:
  case 0x3000:
  case 0xFEFF:
    return true;
  default:
    return (code_point >= 0x09 && code_point <= 0x0D)
           || (code_point >= 0x2000 && code_point <= 0x200A);
  }
}

std::string_view trim_end(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t begin = last_code_point(text);
    std::string_view last = text.substr(begin);
    if (!is_white_space(take_code_point(last))) {
      break;
    }
    text = text.substr(0, begin);
  }
  return text;
}

std::string_view trim(std::string_view text) noexcept {
  while (!text.empty()) {
    std::string_view rest = text;
    if (!is_white_space(take_code_point(rest))) {
      break;
    }
    text = rest;
  }
  return trim_end(text);
}

std::string counted(std::size_t count, std::string_view one, std::string_view more) {
  return fmt::format("{} {}", count, count == 1 ? one : more);
}

std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& byte : lower) {
    if (is_ascii_upper(byte)) {
      byte = static_cast<char>(byte - 'A' + 'a');
    }
  }
  return lower;
}

} // namespace resilient
