#include "core/canon/mention_changes.hpp"

#include "core/canon/article.hpp"
#include "core/canon/cache_bytes.hpp"

#include <algorithm>

namespace resilient::canon {

namespace {

constexpr std::uint64_t magic_number = 0x3163686D6E6F6E61; // "anonmhc1"

} // namespace

bool mention_changes::has_gone(std::uint64_t name) const {
  return std::binary_search(gone.begin(), gone.end(), name);
}

std::vector<dated_name> mention_changes::applied_to(std::vector<dated_name> names,
                                                    const std::string& subject) const {
  if (!gone.empty()) {
    names.erase(
        std::remove_if(names.begin(), names.end(),
                       [this](const dated_name& one) { return has_gone(content_hash(one.name)); }),
        names.end());
  }
  const std::size_t before = names.size();
  for (const mentioning_entry& one : came) {
    if (std::find(one.subjects.begin(), one.subjects.end(), subject) != one.subjects.end()) {
      names.push_back(one.named);
    }
  }
  if (names.size() > before) {
    std::sort(names.begin(), names.end(), written_before);
  }
  return names;
}

std::string compose_changes(const mention_changes& changes) {
  std::string bytes;
  append_number(bytes, magic_number);
  append_number(bytes, changes.table);
  append_number(bytes, changes.as_of.device);
  append_number(bytes, changes.as_of.inode);
  append_number(bytes, static_cast<std::uint64_t>(changes.as_of.modified_ns));
  append_number(bytes, static_cast<std::uint64_t>(changes.as_of.changed_ns));
  append_number(bytes, static_cast<std::uint64_t>(changes.checked.time_since_epoch().count()));
  append_number(bytes, changes.gone.size());
  for (const std::uint64_t name : changes.gone) {
    append_number(bytes, name);
  }
  append_number(bytes, changes.came.size());
  for (const mentioning_entry& one : changes.came) {
    append_text(bytes, one.named.logged);
    append_text(bytes, one.named.name);
    append_number(bytes, one.trace.name);
    append_number(bytes, one.trace.inode);
    append_number(bytes, one.trace.content);
    append_number(bytes, one.subjects.size());
    for (const std::string& subject : one.subjects) {
      append_text(bytes, subject);
    }
  }
  return with_check(std::move(bytes));
}

std::optional<mention_changes> parse_changes(std::string_view bytes) {
  const auto content = without_check(bytes);
  if (!content) {
    return std::nullopt;
  }
  byte_reader from(*content);
  if (from.number() != magic_number) {
    return std::nullopt;
  }
  mention_changes changes;
  changes.table = from.number();
  changes.as_of.device = from.number();
  changes.as_of.inode = from.number();
  changes.as_of.modified_ns = static_cast<std::int64_t>(from.number());
  changes.as_of.changed_ns = static_cast<std::int64_t>(from.number());
  changes.checked = wall_time{std::chrono::milliseconds{static_cast<std::int64_t>(from.number())}};
  for (std::uint64_t left = from.number(); left > 0 && !from.failed(); --left) {
    changes.gone.push_back(from.number());
  }
  for (std::uint64_t left = from.number(); left > 0 && !from.failed(); --left) {
    mentioning_entry& one = changes.came.emplace_back();
    one.named.logged = from.text();
    one.named.name = from.text();
    one.trace.name = from.number();
    one.trace.inode = from.number();
    one.trace.content = from.number();
    for (std::uint64_t subjects = from.number(); subjects > 0 && !from.failed(); --subjects) {
      one.subjects.push_back(from.text());
    }
  }
  return from.failed() ? std::nullopt : std::optional<mention_changes>(std::move(changes));
}

} // namespace resilient::canon
