#include "core/goal/loose_json.hpp"

#include "core/goal/plain_text.hpp"

namespace resilient::goal {

namespace {

constexpr std::size_t key_limit = 80;

/// A quote as it stands in the text: `"`, `'`, or with the backslashes of an outer string.
struct quote_mark {
  std::size_t backslashes = 0;
  char quote = 0;

  [[nodiscard]] std::size_t size() const { return backslashes + 1; }
};

std::optional<quote_mark> quote_at(std::string_view text, std::size_t at) {
  quote_mark mark;
  while (at < text.size() && text[at] == '\\' && mark.backslashes < 8) {
    ++mark.backslashes;
    ++at;
  }
  if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) {
    return std::nullopt;
  }
  mark.quote = text[at];
  return mark;
}

std::size_t skip_white(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\n')) {
    ++at;
  }
  return at;
}

void append_utf8(std::string& out, unsigned code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0U | (code >> 6U));
    out += static_cast<char>(0x80U | (code & 0x3fU));
  } else if (code < 0xd800 || code > 0xdfff) {
    out += static_cast<char>(0xe0U | (code >> 12U));
    out += static_cast<char>(0x80U | ((code >> 6U) & 0x3fU));
    out += static_cast<char>(0x80U | (code & 0x3fU));
  }
}

std::optional<unsigned> hex4(std::string_view digits) {
  if (digits.size() < 4) {
    return std::nullopt;
  }
  unsigned value = 0;
  for (const char c : digits.substr(0, 4)) {
    unsigned digit = 0;
    if (is_digit(c)) {
      digit = static_cast<unsigned>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<unsigned>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<unsigned>(c - 'A') + 10;
    } else {
      return std::nullopt;
    }
    value = value * 16 + digit;
  }
  return value;
}

std::string unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 >= text.size()) {
      out += text[at];
      continue;
    }
    ++at;
    switch (text[at]) {
    case 'n':
    case 'r':
      out += '\n';
      break;
    case 't':
      out += ' ';
      break;
    case 'u':
      if (const auto code = hex4(tail(text, at + 1))) {
        append_utf8(out, *code);
        at += 4;
      }
      break;
    default:
      out += text[at];
    }
  }
  return out;
}

/// Whether the single quote at `at` ends a string rather than being an apostrophe in it.
bool ends_string(std::string_view text, std::size_t after) {
  after = skip_white(text, after);
  return after >= text.size()
         || std::string_view{",}]:)"}.find(text[after]) != std::string_view::npos;
}

/// The position of the mark that closes a string, or the end of a text that was cut off.
std::size_t closing_mark(std::string_view text, std::size_t at, const quote_mark& mark) {
  std::size_t backslashes = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++backslashes;
      continue;
    }
    if (text[at] == mark.quote && backslashes <= mark.backslashes
        && (mark.backslashes != 0 || backslashes % 2 == 0)
        && (mark.quote == '"' || ends_string(text, at + 1))) {
      return at - backslashes;
    }
    backslashes = 0;
  }
  return text.size();
}

} // namespace

std::optional<loose_field> loose_field_at(std::string_view text, std::size_t at) {
  if (at >= text.size() || (text[at] != '"' && text[at] != '\'' && text[at] != '\\')) {
    return std::nullopt;
  }
  const auto mark = quote_at(text, at);
  if (!mark) {
    return std::nullopt;
  }
  at += mark->size();
  const auto key_from = at;
  while (at < text.size() && at - key_from < key_limit
         && (is_word(text[at]) || text[at] == '-' || text[at] == '@' || text[at] == '.')) {
    ++at;
  }
  const auto key_mark = quote_at(text, at);
  if (at == key_from || !key_mark || key_mark->quote != mark->quote) {
    return std::nullopt;
  }
  loose_field found;
  found.key = text.substr(key_from, at - key_from);
  at = skip_white(text, at + key_mark->size());
  if (at >= text.size() || text[at] != ':') {
    return std::nullopt;
  }
  at = skip_white(text, at + 1);
  if (at >= text.size() || text[at] == '{' || text[at] == '[') {
    found.container = true;
    found.end = at;
    return found;
  }
  if (const auto value_mark = quote_at(text, at)) {
    const auto from = at + value_mark->size();
    const auto until = closing_mark(text, from, *value_mark);
    found.value = unescape(text.substr(from, until - from));
    found.is_string = true;
    found.end = std::min(text.size(), until + value_mark->size());
    return found;
  }
  const auto from = at;
  while (at < text.size()
         && (is_word(text[at]) || text[at] == '.' || text[at] == '-' || text[at] == '+')) {
    ++at;
  }
  found.value = text.substr(from, at - from);
  if (found.value == "null" || found.value == "None") {
    found.value.clear();
  }
  found.end = std::max(at, from);
  return found;
}

} // namespace resilient::goal
