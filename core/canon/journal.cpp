#include "core/canon/journal.hpp"

#include "core/canon/article.hpp"
#include "core/canon/front_matter.hpp"
#include "core/canon/yaml_scalar.hpp"
#include "core/support/text.hpp"

#include <fmt/format.h>

namespace resilient::canon {

namespace {

constexpr std::string_view extension = ".md";

} // namespace

journal_entry parse_entry(std::string name, std::string_view bytes) {
  journal_entry entry;
  entry.name = std::move(name);
  if (starts_with(bytes, "\xEF\xBB\xBF")) {
    bytes.remove_prefix(3);
  }
  const auto split = split_front_matter(bytes);
  entry.body = std::string(split ? split->body : bytes);
  const auto lines = split_lines(split ? split->block : std::string_view());
  for (std::size_t index = 0; index < lines.size(); ++index) {
    const auto pair = parse_pair(lines[index]);
    if (!pair) {
      continue;
    }
    if (pair->key == "subject") {
      entry.subjects = read_list(lines, index);
    } else if (pair->key == "logged") {
      entry.logged = read_scalar(lines, index).value;
    } else if (pair->key == "harness") {
      entry.harness = read_scalar(lines, index).value;
    } else if (pair->key == "session") {
      entry.session = read_scalar(lines, index).value;
    }
  }
  if (entry.logged.empty()) {
    constexpr std::size_t day_length = 10;
    entry.logged = entry.name.substr(0, day_length);
  }
  return entry;
}

std::string compose_entry(const journal_entry& entry) {
  std::string file = "---\n";
  if (!entry.subjects.empty()) {
    file += "subject: [";
    for (const std::string& subject : entry.subjects) {
      file += &subject == &entry.subjects.front() ? "" : ", ";
      file += quote_if_needed(subject);
    }
    file += "]\n";
  }
  file += "logged: " + entry.logged + "\n";
  if (!entry.harness.empty()) {
    file += "harness: " + quote_if_needed(fold_capsule(entry.harness)) + "\n";
  }
  if (!entry.session.empty()) {
    file += "session: " + quote_if_needed(fold_capsule(entry.session)) + "\n";
  }
  file += "---\n";
  file += trim_end(entry.body);
  return file + "\n";
}

std::string slug_from(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::string slug;
  for (const char byte : ascii_lower(text)) {
    if (is_ascii_lower(byte) || is_ascii_digit(byte)) {
      slug.push_back(byte);
    } else if (!slug.empty() && slug.back() != '-') {
      slug.push_back('-');
    }
  }
  slug.resize(std::min(slug.size(), longest));
  if (!slug.empty() && slug.back() == '-') {
    slug.pop_back();
  }
  return slug.empty() ? "entry" : slug;
}

std::string entry_name(const std::string& day, const std::string& slug, unsigned number) {
  return number < 2 ? fmt::format("{}-{}{}", day, slug, extension)
                    : fmt::format("{}-{}-{}{}", day, slug, number, extension);
}

unsigned long entry_number(std::string_view name) noexcept {
  if (ends_with(name, extension)) {
    name.remove_suffix(extension.size());
  }
  std::size_t begin = name.size();
  while (begin > 0 && is_ascii_digit(name[begin - 1])) {
    --begin;
  }
  constexpr std::size_t most_digits = 18;
  if (begin == name.size() || begin == 0 || name[begin - 1] != '-'
      || name.size() - begin > most_digits) {
    return 1;
  }
  unsigned long number = 0;
  for (const char digit : name.substr(begin)) {
    number = number * 10 + static_cast<unsigned long>(digit - '0');
  }
  return number;
}

bool written_before(const dated_name& first, const dated_name& second) {
  if (first.logged != second.logged) {
    return first.logged < second.logged;
  }
  const unsigned long left = entry_number(first.name);
  const unsigned long right = entry_number(second.name);
  return left != right ? left < right : first.name < second.name;
}

} // namespace resilient::canon
