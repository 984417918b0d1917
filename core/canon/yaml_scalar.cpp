#include "core/canon/yaml_scalar.hpp"

#include "core/support/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace resilient::canon {

namespace {

/// Words that YAML 1.1 or 1.2 resolves to null, a boolean, a merge key or the default value.
constexpr std::array<std::string_view, 36> resolved_words = {
    "~",   "null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE", "yes", "Yes",
    "YES", "no",   "No",   "NO",   "on",   "On",   "ON",   "off",   "Off",   "OFF",   "y",   "Y",
    "n",   "N",    "<<",   "=",    ".nan", ".NaN", ".NAN", ".inf",  ".Inf",  ".INF",  "-",   "?"};

bool is_any(std::string_view set, char byte) noexcept {
  return set.find(byte) != std::string_view::npos;
}

/// Takes the bytes that are digits of a base, `_` included, and says how many they were.
std::size_t take(std::string_view& rest, std::string_view set) noexcept {
  const std::size_t count = std::min(rest.find_first_not_of(set), rest.size());
  rest.remove_prefix(count);
  return count;
}

constexpr std::string_view decimal = "0123456789_";

bool is_integer(std::string_view digits) noexcept {
  if (starts_with(digits, "0x")) {
    digits.remove_prefix(2);
    return take(digits, "0123456789abcdefABCDEF_") > 0 && digits.empty();
  }
  if (starts_with(digits, "0b")) {
    digits.remove_prefix(2);
    return take(digits, "01_") > 0 && digits.empty();
  }
  if (starts_with(digits, "0o")) {
    digits.remove_prefix(2);
    return take(digits, "01234567") > 0 && digits.empty();
  }
  return !digits.empty() && is_ascii_digit(digits.front()) && take(digits, decimal) > 0
         && digits.empty();
}

bool is_fraction(std::string_view digits) noexcept {
  if (digits.empty()
      || (!is_ascii_digit(digits.front()) && digits.front() != '.' && digits.front() != 'e'
          && digits.front() != 'E')) {
    return false;
  }
  take(digits, decimal);
  bool any = false;
  if (!digits.empty() && digits.front() == '.') {
    any = true;
    digits.remove_prefix(1);
    take(digits, decimal);
  }
  if (!digits.empty() && is_any("eE", digits.front())) {
    digits.remove_prefix(1);
    if (!digits.empty() && is_any("+-", digits.front())) {
      digits.remove_prefix(1);
    }
    any = take(digits, "0123456789") > 0;
  }
  return any && digits.empty();
}

bool is_number(std::string_view value) noexcept {
  if (!value.empty() && is_any("+-", value.front())) {
    value.remove_prefix(1);
    if (value == ".inf" || value == ".Inf" || value == ".INF") {
      return true;
    }
  }
  return is_integer(value) || is_fraction(value);
}

/// `2026-01-02`; with a time there is a colon, which is quoted anyway.
bool is_date(std::string_view value) noexcept {
  const auto part = [&value](std::size_t least, std::size_t most) {
    const std::size_t count = take(value, "0123456789");
    return count >= least && count <= most;
  };
  const auto dash = [&value] {
    const bool found = !value.empty() && value.front() == '-';
    value.remove_prefix(found ? 1 : 0);
    return found;
  };
  return part(4, 4) && dash() && part(1, 2) && dash() && part(1, 2) && value.empty();
}

/// What YAML takes for a line end or does not allow in a plain value.
bool must_be_escaped(char32_t code_point) noexcept {
  return (code_point < 0x20 && code_point != '\t') || (code_point >= 0x7F && code_point <= 0x9F)
         || code_point == 0x2028 || code_point == 0x2029 || code_point == 0xFEFF
         || code_point == 0xFFFE || code_point == 0xFFFF;
}

std::string quote(std::string_view value) {
  std::string quoted = "\"";
  while (!value.empty()) {
    const char32_t code_point = take_code_point(value);
    if (const char escape = short_json_escape(code_point); escape != 0) {
      quoted += {'\\', escape};
    } else if (must_be_escaped(code_point)) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(code_point));
    } else {
      append_code_point(quoted, code_point);
    }
  }
  return quoted + "\"";
}

} // namespace

bool needs_quotes(std::string_view value) {
  constexpr std::string_view special = ":#[]{}\"'`,&*!|>%@\\";
  if (value.empty() || value.find_first_of(special) != std::string_view::npos
      || trim(value).size() != value.size() || starts_with(value, "- ") || starts_with(value, "? ")
      || starts_with(value, "-\t") || starts_with(value, "?\t")) {
    return true;
  }
  if (std::find(resolved_words.begin(), resolved_words.end(), value) != resolved_words.end()
      || is_number(value) || is_date(value)) {
    return true;
  }
  for (std::string_view rest = value; !rest.empty();) {
    if (must_be_escaped(take_code_point(rest))) {
      return true;
    }
  }
  return false;
}

std::string quote_if_needed(std::string_view value) {
  return needs_quotes(value) ? quote(value) : std::string(value);
}

std::string unquote(std::string_view written) {
  if (written.size() >= 2 && written.front() == '"' && written.back() == '"') {
    const auto parsed = nlohmann::json::parse(to_valid_utf8(written), nullptr, false);
    return parsed.is_string() ? parsed.get<std::string>() : std::string(written);
  }
  if (written.size() >= 2 && written.front() == '\'' && written.back() == '\'') {
    std::string plain;
    const std::string_view inner = written.substr(1, written.size() - 2);
    for (std::size_t index = 0; index < inner.size(); ++index) {
      plain.push_back(inner[index]);
      if (inner[index] == '\'') {
        if (index + 1 >= inner.size() || inner[index + 1] != '\'') {
          return std::string(written); // a quote in the middle: not one quoted string
        }
        ++index;
      }
    }
    return plain;
  }
  return std::string(written);
}

std::vector<std::string> read_flow_list(std::string_view written) {
  std::vector<std::string> items;
  std::string_view rest = trim(written);
  if (rest.empty() || rest.front() != '[') {
    return items;
  }
  rest.remove_prefix(1);
  std::string item;
  char quote_mark = 0;
  const auto finish = [&] {
    const std::string_view trimmed = trim(item);
    if (!trimmed.empty()) {
      items.push_back(unquote(trimmed));
    }
    item.clear();
  };
  for (std::size_t index = 0; index < rest.size(); ++index) {
    const char byte = rest[index];
    if (quote_mark != 0) {
      item.push_back(byte);
      if (byte == '\\' && quote_mark == '"' && index + 1 < rest.size()) {
        item.push_back(rest[++index]);
      } else if (byte == quote_mark) {
        quote_mark = 0;
      }
    } else if (byte == ',') {
      finish();
    } else if (byte == ']') {
      break;
    } else {
      if (is_any("\"'", byte) && trim(item).empty()) {
        quote_mark = byte;
      }
      item.push_back(byte);
    }
  }
  finish();
  return items;
}

} // namespace resilient::canon
