#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace resilient::goal {

/// How the lines of a text that a terminal wrapped are put together again.
enum class line_joint {
  blank,   ///< the terminal wrapped between words
  nothing, ///< the terminal wrapped inside words
};

/// At most this much of a text is read; provider errors are far shorter.
inline constexpr std::size_t readable_bytes = std::size_t{16} * 1024;

/// The text without terminal sequences and frames, on one line: every run of blanks is one blank,
/// an empty line becomes `\n`, typographic blanks, dashes and apostrophes become plain ones, full
/// width digits and punctuation become ASCII. Any bytes are accepted.
[[nodiscard]] std::string unfold_text(std::string_view text, line_joint joint);

/// ASCII letters in lower case; the length stays.
[[nodiscard]] std::string lower_ascii(std::string_view text);

/// The text with every web address replaced by one blank: addresses hold words that say nothing
/// about the error.
[[nodiscard]] std::string without_addresses(std::string_view text);

/// Whether this is a web page rather than a message.
[[nodiscard]] bool is_html(std::string_view lower);

/// The visible words of a web page.
[[nodiscard]] std::string html_words(std::string_view text);

/// What follows `at`; nothing if `at` lies behind the end.
[[nodiscard]] constexpr std::string_view tail(std::string_view text, std::size_t at) noexcept {
  text.remove_prefix(std::min(at, text.size()));
  return text;
}
/// Whether `word` stands at `at`.
[[nodiscard]] constexpr bool starts_at(std::string_view text, std::size_t at,
                                       std::string_view word) noexcept {
  return tail(text, at).starts_with(word);
}
/// The first position from `at` on that holds no blank.
[[nodiscard]] constexpr std::size_t skip_blanks(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && text[at] == ' ') {
    ++at;
  }
  return at;
}

[[nodiscard]] constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
[[nodiscard]] constexpr bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
/// The characters that words and identifiers are made of.
[[nodiscard]] constexpr bool is_word(char c) noexcept {
  return is_digit(c) || is_letter(c) || c == '_';
}

} // namespace resilient::goal
