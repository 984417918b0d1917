#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace resilient {

/// What a byte sequence that is not UTF-8 reads as.
inline constexpr char32_t replacement_character = 0xFFFD;

/// Takes the first code point off `rest`, which must not be empty. Bytes that are not UTF-8 read as
/// U+FFFD, one for each maximal part of a sequence, as browsers and Node decode.
[[nodiscard]] char32_t take_code_point(std::string_view& rest) noexcept;

/// Adds a code point as UTF-8; surrogates and values beyond U+10FFFF are added as U+FFFD.
void append_code_point(std::string& text, char32_t code_point);

/// How many bytes at the beginning are ASCII.
[[nodiscard]] std::size_t ascii_prefix(std::string_view text) noexcept;

/// The letter behind the backslash by which JSON writes this character shortly (`n` for a line
/// feed); 0 when there is none.
[[nodiscard]] char short_json_escape(char32_t code_point) noexcept;

[[nodiscard]] bool is_valid_utf8(std::string_view text) noexcept;

/// The text with every part that is not UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string to_valid_utf8(std::string_view text);

/// The length in UTF-16 code units, which is what JavaScript calls the length of a string.
[[nodiscard]] std::size_t utf16_length(std::string_view text) noexcept;

/// The longest beginning of at most `units` UTF-16 code units that ends between two code points.
[[nodiscard]] std::string_view utf16_prefix(std::string_view text, std::size_t units) noexcept;

/// Whether JavaScript's `trim` removes it: blanks and line ends of every script, and U+FEFF.
[[nodiscard]] bool is_white_space(char32_t code_point) noexcept;

/// Without white space (see above) at both ends, or at the end alone.
[[nodiscard]] std::string_view trim(std::string_view text) noexcept;
[[nodiscard]] std::string_view trim_end(std::string_view text) noexcept;

/// "1 article", "2 articles".
[[nodiscard]] std::string counted(std::size_t count, std::string_view one, std::string_view more);

/// A to Z in lower case; every other byte as it is.
[[nodiscard]] std::string ascii_lower(std::string_view text);

[[nodiscard]] constexpr bool is_ascii_digit(char byte) noexcept {
  return byte >= '0' && byte <= '9';
}
[[nodiscard]] constexpr bool is_ascii_lower(char byte) noexcept {
  return byte >= 'a' && byte <= 'z';
}
[[nodiscard]] constexpr bool is_ascii_upper(char byte) noexcept {
  return byte >= 'A' && byte <= 'Z';
}
[[nodiscard]] constexpr bool is_ascii_letter(char byte) noexcept {
  return is_ascii_lower(byte) || is_ascii_upper(byte);
}

[[nodiscard]] constexpr bool starts_with(std::string_view text, std::string_view prefix) noexcept {
  return text.substr(0, prefix.size()) == prefix;
}
[[nodiscard]] constexpr bool ends_with(std::string_view text, std::string_view suffix) noexcept {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

} // namespace resilient
