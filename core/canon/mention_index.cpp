#include "core/canon/mention_index.hpp"

#include "core/canon/article.hpp"
#include "core/support/text.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace resilient::canon {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view extension = ".md";
constexpr std::chrono::minutes between_full_checks{1};

/// Whether the time of a file or folder is old enough to tell a change after it. A second change
/// within one tick of the file system's clock does not move the time again.
[[nodiscard]] bool is_settled(const std::optional<file_status>& status, wall_time now) {
  constexpr std::chrono::nanoseconds doubtful = 100ms;
  const std::chrono::nanoseconds modified{status ? status->modified_ns : 0};
  return now.time_since_epoch() - modified > doubtful;
}

} // namespace

std::vector<std::string> mention_index::of(const std::string& subject, const journal& asked,
                                           wall_time now) {
  if (cache_ && !as_of_ && asked.status && is_settled(asked.status, now)) {
    // the first question of this process, perhaps the only one
    if (auto names = cache_->find(asked.root, *asked.status, now, subject)) {
      return std::move(*names);
    }
  }
  refresh(asked, now);
  const auto found = by_subject_.find(subject);
  return found == by_subject_.end() ? std::vector<std::string>() : found->second;
}

void mention_index::refresh(const journal& asked, wall_time now) {
  const bool check_is_due = !checked_ || now < *checked_ || now - *checked_ >= between_full_checks;
  if (!check_is_due && settled_ && asked.status && as_of_ == asked.status) {
    return;
  }
  as_of_ = asked.status;
  settled_ = is_settled(asked.status, now);
  known_entries found;
  bool same = true;
  if (const auto opened = asked.open()) {
    same = check_is_due ? check_all(*opened, found, now) : look_for_names(*opened, found, now);
  }
  if (check_is_due) {
    checked_ = now;
  }
  same = same && entries_.empty(); // what is left there vanished
  entries_ = std::move(found);
  if (same) {
    return;
  }
  arrange();
  constexpr std::size_t quickly_read = 100; // so few entries are not worth a file
  if (cache_ && settled_ && as_of_ && entries_.size() > quickly_read) {
    cache_->remember(asked.root, *as_of_, *checked_, by_subject_);
  }
}

/// Moves known entries to `found` and reads those with new names. False when there were such.
bool mention_index::look_for_names(const folder& opened, known_entries& found, wall_time now) {
  bool same = true;
  const auto names = opened.list();
  for (const folder_entry& one : names.value_or(std::vector<folder_entry>())) {
    if (one.kind == file_kind::folder || !ends_with(one.name, extension)
        || one.name.size() == extension.size()) {
      continue;
    }
    if (auto known = entries_.extract(one.name)) {
      found.insert(std::move(known));
      continue;
    }
    file_status status;
    if (const auto bytes = opened.read(one.name, longest_file, &status)) {
      journal_entry entry = parse_entry(one.name, *bytes);
      entry.body.clear();
      found.emplace(one.name, known_entry{std::move(entry), status, !is_settled(status, now)});
      same = false;
    }
  }
  return same;
}

/// The same, but reads every entry again that changed in any way.
bool mention_index::check_all(const folder& opened, known_entries& found, wall_time now) {
  bool same = true;
  opened.walk(
      extension,
      [&](const folder::walked_file& file) {
        if (file.name.find('/') != std::string::npos || file.name.size() == extension.size()) {
          return;
        }
        auto known = entries_.extract(file.name);
        if (known && !known.mapped().unsure && known.mapped().status == file.status) {
          found.insert(std::move(known));
          return;
        }
        if (const auto bytes = file.read(longest_file)) {
          journal_entry entry = parse_entry(file.name, *bytes);
          entry.body.clear();
          found.emplace(file.name,
                        known_entry{std::move(entry), file.status, !is_settled(file.status, now)});
          same = false;
        }
      },
      [](const error&) {
        // nop: `canon check` names what cannot be read
      });
  return same;
}

void mention_index::arrange() {
  std::vector<const journal_entry*> ordered;
  ordered.reserve(entries_.size());
  for (const auto& [name, known] : entries_) {
    ordered.push_back(&known.content);
  }
  std::sort(ordered.begin(), ordered.end(),
            [](const journal_entry* left, const journal_entry* right) {
              return written_before(*left, *right);
            });
  by_subject_.clear();
  for (const journal_entry* entry : ordered) {
    for (const std::string& subject : entry->subjects) {
      std::vector<std::string>& names = by_subject_[subject];
      if (names.empty() || names.back() != entry->name) {
        names.push_back(entry->name);
      }
    }
  }
}

} // namespace resilient::canon
