#include "launcher/canon/terminal.hpp"

#include "core/support/text.hpp"

#include <unistd.h>

#include <cstdlib>

namespace resilient::canon {

namespace {

/// U+2400 to U+241F are pictures of the control characters 0 to 31.
constexpr char32_t first_control_picture = 0x2400;
constexpr char32_t delete_picture = 0x2421;

[[nodiscard]] bool turns_direction(char32_t c) {
  return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F
         || c == 0x061C;
}

[[nodiscard]] char32_t visible(char32_t c) {
  if (c == '\n' || c == '\t') {
    return c;
  }
  if (c < 0x20) {
    return first_control_picture + c;
  }
  if (c == 0x7F) {
    return delete_picture;
  }
  if ((c >= 0x80 && c < 0xA0) || turns_direction(c)) {
    return replacement_character;
  }
  return c;
}

[[nodiscard]] bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

} // namespace

std::string harmless(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    if (text.substr(0, 2) == "\r\n") {
      text.remove_prefix(1);
    }
    append_code_point(safe, visible(take_code_point(text)));
  }
  return safe;
}

terminal terminal::of(int descriptor) {
  const bool is_terminal = ::isatty(descriptor) == 1;
  const char* kind = std::getenv("TERM");
  const bool dumb = kind == nullptr || std::string_view{kind} == "dumb";
  return {is_terminal, is_terminal && !dumb && !is_set("NO_COLOR")};
}

std::string terminal::shown(std::string_view text) const {
  return is_terminal_ ? harmless(text) : std::string{text};
}

std::string terminal::shown(std::string_view text, style how) const {
  std::string safe = shown(text);
  if (!has_colours_ || how == style::plain) {
    return safe;
  }
  const char* start = how == style::strong  ? "\x1b[1m"
                      : how == style::faint ? "\x1b[2m"
                                            : "\x1b[33m";
  return start + safe + "\x1b[0m";
}

} // namespace resilient::canon
