#include "core/canon/front_matter.hpp"

#include "core/canon/yaml_scalar.hpp"
#include "core/support/text.hpp"

namespace resilient::canon {

namespace {

bool is_key_byte(char byte) noexcept {
  return is_ascii_letter(byte) || is_ascii_digit(byte) || byte == '_' || byte == '-';
}

std::string_view left_trimmed(std::string_view line) noexcept {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

/// `|` or `>` with indentation and chomping marks, perhaps a comment.
bool is_block_scalar_header(std::string_view value) noexcept {
  if (value.empty() || (value.front() != '|' && value.front() != '>')) {
    return false;
  }
  const std::size_t end = value.find_first_not_of("+-0123456789", 1);
  if (end == std::string_view::npos) {
    return true;
  }
  const std::string_view rest = left_trimmed(value.substr(end));
  return rest.empty() || (rest.front() == '#' && rest.size() < value.size() - end);
}

std::string_view list_item(std::string_view line) noexcept {
  const std::string_view item = left_trimmed(without_line_end(line));
  if (item == "-") {
    return item.substr(1);
  }
  return starts_with(item, "- ") ? trim(item.substr(2)) : std::string_view();
}

/// An item without a comment that follows it.
std::string_view without_comment(std::string_view item) noexcept {
  if (!item.empty() && (item.front() == '"' || item.front() == '\'')) {
    return item;
  }
  return trim(item.substr(0, item.find(" #")));
}

} // namespace

std::optional<front_matter> split_front_matter(std::string_view file) {
  constexpr std::string_view fence = "---";
  if (!starts_with(file, fence)) {
    return std::nullopt;
  }
  front_matter found;
  if (starts_with(file.substr(fence.size()), "\r\n")) {
    found.line_end = file.substr(fence.size(), 2);
  } else if (starts_with(file.substr(fence.size()), "\n")) {
    found.line_end = file.substr(fence.size(), 1);
  } else {
    return std::nullopt;
  }
  const std::size_t begin = fence.size() + found.line_end.size();
  const std::string_view first_line = file.substr(begin, file.find('\n', begin) - begin);
  if (first_line == fence || first_line == "---\r") {
    return std::nullopt; // nothing is between these fences, and what follows them is body
  }
  for (std::size_t at = file.find('\n', begin); at != std::string_view::npos;
       at = file.find('\n', at + 1)) {
    const std::string_view next = file.substr(at + 1);
    if (!starts_with(next, fence)) {
      continue;
    }
    const std::string_view after = next.substr(fence.size());
    if (after.empty() || starts_with(after, "\n") || starts_with(after, "\r\n")) {
      found.block = file.substr(begin, at + 1 - begin);
      found.body = after.substr(after.empty() ? 0 : after.find('\n') + 1);
      return found;
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> split_lines(std::string_view block) {
  std::vector<std::string_view> lines;
  while (!block.empty()) {
    const std::size_t end = block.find('\n');
    const std::size_t length = end == std::string_view::npos ? block.size() : end + 1;
    lines.push_back(block.substr(0, length));
    block.remove_prefix(length);
  }
  return lines;
}

std::string_view without_line_end(std::string_view line) noexcept {
  if (ends_with(line, "\n")) {
    line.remove_suffix(1);
    if (ends_with(line, "\r")) {
      line.remove_suffix(1);
    }
  }
  return line;
}

std::optional<front_matter_pair> parse_pair(std::string_view line) {
  line = without_line_end(line);
  if (line.empty() || !is_ascii_letter(line.front())) {
    return std::nullopt;
  }
  std::size_t end = 1;
  while (end < line.size() && is_key_byte(line[end])) {
    ++end;
  }
  if (end >= line.size() || line[end] != ':') {
    return std::nullopt;
  }
  return front_matter_pair{line.substr(0, end), trim(line.substr(end + 1))};
}

bool is_blank(std::string_view line) noexcept {
  return trim(line).empty();
}

bool is_indented(std::string_view line) noexcept {
  return !line.empty() && (line.front() == ' ' || line.front() == '\t') && !is_blank(line);
}

scalar_value read_scalar(const std::vector<std::string_view>& lines, std::size_t first) {
  const auto pair = parse_pair(lines[first]);
  if (!pair) {
    return {first + 1, ""};
  }
  std::string joined(pair->value);
  const bool block = is_block_scalar_header(pair->value);
  if (block) {
    joined.clear();
  } else if (pair->value.empty()) {
    return {first + 1, ""};
  }
  std::size_t end = first + 1;
  for (std::size_t next = end; next < lines.size(); ++next) {
    if (is_blank(lines[next])) {
      continue; // belongs to the value only when more of it follows
    }
    // A `#` begins a comment everywhere but in a block scalar.
    if (!is_indented(lines[next]) || (!block && left_trimmed(lines[next]).front() == '#')) {
      break;
    }
    joined += joined.empty() ? "" : " ";
    joined += trim(lines[next]);
    end = next + 1;
  }
  return {end, block ? joined : unquote(joined)};
}

std::vector<std::string> read_list(const std::vector<std::string_view>& lines, std::size_t first) {
  const auto pair = parse_pair(lines[first]);
  std::vector<std::string> items;
  if (!pair) {
    return items;
  }
  if (!pair->value.empty() && pair->value.front() != '#') {
    std::string written(pair->value);
    for (std::size_t next = first + 1; next < lines.size() && is_indented(lines[next]); ++next) {
      written += " ";
      written += trim(lines[next]);
    }
    return read_flow_list(written);
  }
  for (std::size_t next = first + 1; next < lines.size(); ++next) {
    const std::string_view start = left_trimmed(without_line_end(lines[next]));
    if (start.empty() || start.front() == '#') {
      continue;
    }
    if (!starts_with(start, "- ") && start != "-") {
      break;
    }
    const std::string item = unquote(without_comment(list_item(lines[next])));
    if (!item.empty()) {
      items.push_back(item);
    }
  }
  return items;
}

} // namespace resilient::canon
