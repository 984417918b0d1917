#include "core/canon/article.hpp"

#include "core/canon/front_matter.hpp"
#include "core/canon/yaml_scalar.hpp"
#include "core/support/text.hpp"

#include <algorithm>

namespace resilient::canon {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

owned_value* owned_by_key(article& value, std::string_view key) {
  if (key == "capsule") {
    return &value.capsule;
  }
  if (key == "updated") {
    return &value.updated;
  }
  return key == "scope" ? &value.scope : nullptr;
}

std::string joined(const std::vector<std::string_view>& lines, std::size_t begin, std::size_t end) {
  std::string raw;
  for (std::size_t index = begin; index < end; ++index) {
    raw += lines[index];
  }
  return raw;
}

/// Indented lines at the top belong to no key. Below another key they would be read as its value,
/// so they stay at the top.
std::size_t end_of_leading(const std::vector<std::string_view>& lines) {
  std::size_t end = 0;
  for (std::size_t index = 0; index < lines.size(); ++index) {
    if (is_indented(lines[index])) {
      end = index + 1;
    } else if (!is_blank(lines[index])) {
      break;
    }
  }
  return end;
}

/// The lines of an empty key: list items, indented lines, and blank ones and comments among them.
std::size_t end_of_empty_key(const std::vector<std::string_view>& lines, std::size_t first) {
  std::size_t end = first + 1;
  for (std::size_t index = end; index < lines.size(); ++index) {
    const std::string_view line = without_line_end(lines[index]);
    if (is_indented(line) || starts_with(line, "- ") || line == "-") {
      end = index + 1;
    } else if (!is_blank(line)) {
      break;
    }
  }
  return end;
}

void parse_block(article& value, const std::vector<std::string_view>& lines) {
  std::size_t index = end_of_leading(lines);
  value.leading = joined(lines, 0, index);
  const auto keep = [&](std::size_t end) {
    if (value.foreign.empty() || !value.foreign.back().stands_for.empty()) {
      value.foreign.emplace_back();
    }
    value.foreign.back().raw += joined(lines, index, end);
    index = end;
  };
  while (index < lines.size()) {
    const auto pair = parse_pair(lines[index]);
    owned_value* owned = pair ? owned_by_key(value, pair->key) : nullptr;
    if (owned == nullptr) {
      keep(index + 1);
      continue;
    }
    const scalar_value scalar = read_scalar(lines, index);
    const std::string read = fold_capsule(scalar.value);
    if (read.empty()) {
      const std::size_t end = std::max(scalar.end, end_of_empty_key(lines, index));
      value.foreign.push_back({joined(lines, index, end), std::string(pair->key)});
      index = end;
      continue;
    }
    *owned = {read, read, joined(lines, index, scalar.end)};
    index = scalar.end;
  }
}

void add_owned(std::string& file, std::string_view key, const owned_value& owned,
               const std::string& line_end) {
  if (!owned.kept_lines.empty() && owned.value == owned.kept_value) {
    file += owned.kept_lines;
  } else if (!owned.value.empty()) {
    file += key;
    file += ": ";
    // The day is plain everywhere, although YAML 1.1 calls it a date.
    file += key == "updated" ? owned.value : quote_if_needed(owned.value);
    file += line_end;
  }
}

const owned_value* owned_by_key(const article& value, std::string_view key) {
  return owned_by_key(const_cast<article&>(value), key); // NOLINT: the same lookup, read only
}

} // namespace

std::string_view article::text() const {
  return trim_end(body);
}

std::string article::title() const {
  for (const std::string_view line : split_lines(body)) {
    const std::string_view trimmed = trim(line);
    if (trimmed.empty()) {
      continue;
    }
    const bool heading =
        trimmed.size() > 2 && trimmed[0] == '#' && (trimmed[1] == ' ' || trimmed[1] == '\t');
    return heading ? std::string(trim(trimmed.substr(2))) : std::string();
  }
  return {};
}

article parse_article(std::string_view bytes) {
  article value;
  if (starts_with(bytes, byte_order_mark)) {
    value.byte_order_mark = true;
    bytes.remove_prefix(byte_order_mark.size());
  }
  const auto split = split_front_matter(bytes);
  if (!split) {
    value.body = std::string(bytes);
    const std::size_t end = bytes.find('\n');
    value.line_end =
        end != std::string_view::npos && end > 0 && bytes[end - 1] == '\r' ? "\r\n" : "\n";
    return value;
  }
  value.body = std::string(split->body);
  value.line_end = std::string(split->line_end);
  parse_block(value, split_lines(split->block));
  return value;
}

std::optional<std::string> capsule_of(std::string_view bytes) {
  if (starts_with(bytes, byte_order_mark)) {
    bytes.remove_prefix(byte_order_mark.size());
  }
  const auto split = split_front_matter(bytes);
  if (!split) {
    return std::nullopt;
  }
  article value;
  parse_block(value, split_lines(split->block));
  return std::move(value.capsule.value);
}

std::string compose_article(const article& value) {
  std::string file(value.byte_order_mark ? byte_order_mark : std::string_view());
  file += "---" + value.line_end + value.leading;
  add_owned(file, "capsule", value.capsule, value.line_end);
  add_owned(file, "updated", value.updated, value.line_end);
  add_owned(file, "scope", value.scope, value.line_end);
  for (const foreign_lines& lines : value.foreign) {
    const owned_value* owned = owned_by_key(value, lines.stands_for);
    if (owned == nullptr || owned->value.empty()) {
      file += lines.raw;
    }
  }
  file += "---" + value.line_end;
  return file + value.body;
}

article apply_change(const std::optional<article>& stored, const article_change& change,
                     const std::string& today) {
  article value = stored.value_or(article());
  if (change.capsule) {
    value.capsule.value = fold_capsule(*change.capsule);
  }
  if (change.scope) {
    value.scope.value = *change.scope == "asset" ? std::string() : *change.scope;
  }
  if (change.body) {
    value.body = std::string(trim_end(*change.body)) + value.line_end;
  } else if (value.body.empty()) {
    value.body = value.line_end;
  }
  value.updated.value = today;
  return value;
}

bool same_content(const article& left, const article& right) {
  return left.capsule.value == right.capsule.value && left.scope.value == right.scope.value
         && left.text() == right.text();
}

std::string fold_capsule(std::string_view text) {
  std::string folded;
  std::string blanks;
  bool breaks = false;
  text = trim(text);
  if (std::all_of(text.begin(), text.end(), [](char byte) { return byte >= ' ' && byte <= '~'; })) {
    return std::string(text);
  }
  while (!text.empty()) {
    std::string_view rest = text;
    const char32_t code_point = take_code_point(rest);
    const std::string_view bytes = text.substr(0, text.size() - rest.size());
    text = rest;
    if (is_white_space(code_point)) {
      blanks += bytes;
      breaks = breaks || (code_point >= 0x0A && code_point <= 0x0D) || code_point == 0x2028
               || code_point == 0x2029;
      continue;
    }
    folded += breaks ? " " : blanks;
    folded += bytes;
    blanks.clear();
    breaks = false;
  }
  return folded;
}

std::string_view without_pasted_front_matter(std::string_view body) {
  if (starts_with(body, byte_order_mark)) {
    body.remove_prefix(byte_order_mark.size());
  }
  const auto split = split_front_matter(body);
  if (!split) {
    return body;
  }
  for (const std::string_view line : split_lines(split->block)) {
    const std::string_view text = without_line_end(line);
    if (is_blank(text)) {
      continue;
    }
    std::size_t end = 0;
    while (end < text.size()
           && (is_ascii_letter(text[end]) || is_ascii_digit(text[end]) || text[end] == '_'
               || text[end] == '-')) {
      ++end;
    }
    if (end == 0 || end + 1 >= text.size() || text[end] != ':'
        || (text[end + 1] != ' ' && text[end + 1] != '\t')) {
      return body;
    }
  }
  std::string_view rest = split->body;
  while (!rest.empty()) {
    std::string_view next = rest;
    if (!is_white_space(take_code_point(next))) {
      break;
    }
    rest = next;
  }
  return rest;
}

std::uint64_t content_hash(std::string_view bytes) noexcept {
  // FNV-1a: it has to notice a change, not to withstand an attacker.
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : bytes) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x100000001b3U;
  }
  return hash;
}

} // namespace resilient::canon
