#include "core/canary/keyword.hpp"

#include "core/support/text.hpp"

#include <cstdint>

namespace resilient::canary {

namespace {

bool is_control(char32_t code) noexcept {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x2028 || code == 0x2029;
}

bool ends_line(char32_t code) noexcept {
  return (code >= 0x0A && code <= 0x0D) || code == 0x85 || code == 0x2028 || code == 0x2029;
}

} // namespace

result<std::string> check_keyword(std::string_view raw) {
  const std::string_view keyword = trim(raw);
  if (keyword.empty()) {
    return fail(error_kind::usage, "The canary keyword is empty. Use /canary WORD to set one; "
                                   "/canary on and /canary off switch the mode.");
  }
  for (std::string_view rest = keyword; !rest.empty();) {
    const std::string_view before = rest;
    const char32_t code = take_code_point(rest);
    const std::string_view bytes = before.substr(0, before.size() - rest.size());
    if (code == replacement_character && !is_valid_utf8(bytes)) {
      return fail(error_kind::usage,
                  "The canary keyword is not valid UTF-8 at byte {}. Use another keyword.",
                  keyword.size() - before.size());
    }
    if (ends_line(code)) {
      return fail(error_kind::usage,
                  "The canary keyword has a line break (U+{:04X}). Use a keyword of one line.",
                  static_cast<std::uint32_t>(code));
    }
    if (is_control(code)) {
      return fail(
          error_kind::usage,
          "The canary keyword has the control character U+{:04X}. Use a keyword without it.",
          static_cast<std::uint32_t>(code));
    }
  }
  return std::string{keyword};
}

result<command> parse_command(std::string_view argument) {
  const std::string_view word = trim(argument);
  if (word.empty()) {
    return command{show_state{}};
  }
  // Only ASCII letters have a case here: a full-width ON is a keyword.
  const std::string lower = ascii_lower(word);
  if (lower == "on") {
    return command{turn_on{}};
  }
  if (lower == "off") {
    return command{turn_off{}};
  }
  return check_keyword(word).map(
      [](std::string keyword) { return command{use_keyword{std::move(keyword)}}; });
}

} // namespace resilient::canary
