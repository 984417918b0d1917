#include "core/settings/json_tokens.hpp"

#include "core/support/text.hpp"

#include <algorithm>

namespace resilient::settings {

namespace {

bool is_hex(char digit) noexcept {
  return is_ascii_digit(digit) || (digit >= 'a' && digit <= 'f') || (digit >= 'A' && digit <= 'F');
}

/// The value of four hexadecimal digits.
char32_t hex_value(std::string_view digits) noexcept {
  char32_t value = 0;
  for (const char digit : digits) {
    const int nibble = is_ascii_digit(digit) ? digit - '0' : (digit | 0x20) - 'a' + 10;
    value = (value << 4U) | static_cast<char32_t>(nibble);
  }
  return value;
}

bool is_high_surrogate(char32_t code) noexcept {
  return code >= 0xD800 && code <= 0xDBFF;
}
bool is_low_surrogate(char32_t code) noexcept {
  return code >= 0xDC00 && code <= 0xDFFF;
}

char plain_escape(char letter) noexcept {
  switch (letter) {
  case 'b':
    return '\b';
  case 'f':
    return '\f';
  case 'n':
    return '\n';
  case 'r':
    return '\r';
  case 't':
    return '\t';
  default:
    return letter;
  }
}

std::string describe_byte(std::string_view text, std::size_t at) {
  if (at >= text.size()) {
    return "the text ends";
  }
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte > 0x20 && byte < 0x7F) {
    return fmt::format("\"{}\" stands", text[at]);
  }
  return fmt::format("the byte 0x{:02X} stands", static_cast<unsigned>(byte));
}

} // namespace

json_tokens::json_tokens(std::string_view text, std::string_view shown)
    : text_{text}, shown_{shown}, at_{starts_with(text, byte_order_mark) ? byte_order_mark.size()
                                                                         : 0} {}

result<token> json_tokens::next() {
  skip_space();
  switch (expects_) {
  case expects::value:
  case expects::value_or_array_end:
    return read_value();
  case expects::key:
  case expects::key_or_object_end:
    return read_key();
  case expects::comma_or_end:
    return read_after_value();
  case expects::nothing:
    break;
  }
  if (!at_end()) {
    return unexpected("the end of the text");
  }
  return token{token_kind::end_of_text, at_, at_, 0};
}

result<token> json_tokens::read_value() {
  switch (peek()) {
  case '{':
    return open(token_kind::object_begin);
  case '[':
    return open(token_kind::array_begin);
  case ']':
    if (expects_ == expects::value_or_array_end) {
      return close();
    }
    break;
  case '"':
    return read_string(token_kind::string);
  case 't':
    return read_word("true", token_kind::true_value);
  case 'f':
    return read_word("false", token_kind::false_value);
  case 'n':
    return read_word("null", token_kind::null_value);
  default:
    if (peek() == '-' || is_ascii_digit(peek())) {
      return read_number();
    }
  }
  return unexpected("a value");
}

result<token> json_tokens::read_key() {
  if (peek() == '}' && expects_ == expects::key_or_object_end) {
    return close();
  }
  if (peek() != '"') {
    return unexpected("a key in double quotes");
  }
  auto key = read_string(token_kind::key);
  if (!key) {
    return key;
  }
  skip_space();
  if (peek() != ':') {
    return unexpected("a colon");
  }
  ++at_;
  expects_ = expects::value;
  return key;
}

result<token> json_tokens::read_after_value() {
  const bool in_object = open_.back() == '{';
  if (peek() == ',') {
    ++at_;
    expects_ = in_object ? expects::key : expects::value;
    return next();
  }
  if (peek() == (in_object ? '}' : ']')) {
    return close();
  }
  return unexpected(in_object ? "a comma or \"}\"" : "a comma or \"]\"");
}

result<token> json_tokens::open(token_kind kind) {
  const token opened{kind, at_, at_ + 1, open_.size()};
  open_.push_back(text_[at_]);
  ++at_;
  expects_ =
      kind == token_kind::object_begin ? expects::key_or_object_end : expects::value_or_array_end;
  return opened;
}

result<token> json_tokens::close() {
  const token_kind kind = open_.back() == '{' ? token_kind::object_end : token_kind::array_end;
  open_.pop_back();
  const token closed{kind, at_, at_ + 1, open_.size()};
  ++at_;
  value_ended();
  return closed;
}

result<token> json_tokens::read_string(token_kind kind) {
  const std::size_t begin = at_;
  ++at_;
  for (; !at_end(); ++at_) {
    const char byte = text_[at_];
    if (byte == '"') {
      ++at_;
      value_ended();
      return token{kind, begin, at_, open_.size()};
    }
    if (static_cast<unsigned char>(byte) < 0x20) {
      return unexpected("a character of the string, or its closing quote,");
    }
    if (byte != '\\') {
      continue;
    }
    ++at_;
    if (peek() == 'u') {
      for (int digits = 0; digits < 4; ++digits) {
        ++at_;
        if (!is_hex(peek())) {
          return unexpected("four hexadecimal digits");
        }
      }
    } else if (at_end() || std::string_view{"\"\\/bfnrt"}.find(peek()) == std::string_view::npos) {
      return unexpected("an escape that JSON knows");
    }
  }
  return unexpected("the closing quote of a string");
}

result<token> json_tokens::read_number() {
  const std::size_t begin = at_;
  if (peek() == '-') {
    ++at_;
  }
  if (peek() == '0') {
    ++at_;
  } else if (!take_digits()) {
    return unexpected("a digit");
  }
  if (peek() == '.') {
    ++at_;
    if (!take_digits()) {
      return unexpected("a digit");
    }
  }
  if (peek() == 'e' || peek() == 'E') {
    ++at_;
    if (peek() == '+' || peek() == '-') {
      ++at_;
    }
    if (!take_digits()) {
      return unexpected("a digit");
    }
  }
  value_ended();
  return token{token_kind::number, begin, at_, open_.size()};
}

result<token> json_tokens::read_word(std::string_view word, token_kind kind) {
  if (!starts_with(text_.substr(at_), word)) {
    return unexpected("a value");
  }
  const token read{kind, at_, at_ + word.size(), open_.size()};
  at_ += word.size();
  value_ended();
  return read;
}

bool json_tokens::take_digits() noexcept {
  const std::size_t before = at_;
  while (is_ascii_digit(peek())) {
    ++at_;
  }
  return at_ > before;
}

void json_tokens::skip_space() noexcept {
  while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
    ++at_;
  }
}

void json_tokens::value_ended() noexcept {
  expects_ = open_.empty() ? expects::nothing : expects::comma_or_end;
}

tl::unexpected<error> json_tokens::unexpected(std::string_view wanted) const {
  const std::string_view before = text_.substr(0, at_);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_end = before.rfind('\n');
  std::string_view in_line =
      line_end == std::string_view::npos ? before : before.substr(line_end + 1);
  if (line_end == std::string_view::npos && starts_with(in_line, byte_order_mark)) {
    in_line.remove_prefix(byte_order_mark.size());
  }
  std::size_t column = 1;
  while (!in_line.empty()) {
    static_cast<void>(take_code_point(in_line));
    ++column;
  }
  return fail(error_kind::data,
              "{} is not valid JSON: line {}, column {}: {} was expected, but {} there. "
              "Correct the file; it was not changed.",
              shown_, line, column, wanted, describe_byte(text_, at_));
}

std::string decode_string(std::string_view quoted) {
  std::string_view rest = quoted.substr(1, quoted.size() - 2);
  std::string text;
  while (!rest.empty()) {
    if (rest.front() != '\\') {
      append_code_point(text, take_code_point(rest));
      continue;
    }
    if (rest[1] != 'u') {
      text += plain_escape(rest[1]);
      rest.remove_prefix(2);
      continue;
    }
    char32_t code = hex_value(rest.substr(2, 4));
    rest.remove_prefix(6);
    if (is_high_surrogate(code) && starts_with(rest, "\\u")) {
      const char32_t low = hex_value(rest.substr(2, 4));
      if (is_low_surrogate(low)) {
        code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
        rest.remove_prefix(6);
      }
    }
    append_code_point(text, code);
  }
  return text;
}

std::string encode_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    if (const char escape = short_json_escape(code); escape != 0) {
      quoted += {'\\', escape};
    } else if (code < 0x20) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
    } else {
      quoted += byte;
    }
  }
  quoted += '"';
  return quoted;
}

} // namespace resilient::settings
