#include "core/canon/journal_look.hpp"

#include "core/canon/article.hpp"
#include "core/canon/cache_bytes.hpp"
#include "core/canon/journal.hpp"
#include "core/support/text.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

namespace resilient::canon {

namespace {

constexpr std::string_view extension = ".md";

[[nodiscard]] std::uint64_t content_of(const file_status& status) {
  std::string bytes;
  append_number(bytes, status.size);
  append_number(bytes, static_cast<std::uint64_t>(status.modified_ns));
  append_number(bytes, static_cast<std::uint64_t>(status.changed_ns));
  append_number(bytes, status.inode);
  return damage_check(bytes);
}

[[nodiscard]] bool is_entry(const shown_entry& shown) {
  return shown.kind != file_kind::folder && ends_with(shown.name, extension)
         && shown.name.size() > extension.size();
}

/// A new entry of a journal, and whether a further change of it would be noticed.
struct read_entry {
  mentioning_entry entry;
  bool is_settled = false;
};

[[nodiscard]] result<read_entry> read_new(const folder& journal, const shown_entry& shown,
                                          std::uint64_t name_hash, wall_time now) {
  file_status status;
  const std::string name(shown.name);
  const auto bytes = journal.read(name, longest_file, &status);
  if (!bytes) {
    return tl::unexpected(bytes.error());
  }
  journal_entry parsed = parse_entry(name, *bytes);
  read_entry read;
  read.is_settled = is_settled(status, now);
  // Without a number that a folder can list it is read again at the next look.
  const std::uint64_t inode = read.is_settled ? shown.inode : 0;
  read.entry = {{std::move(parsed.logged), std::move(parsed.name)},
                {name_hash, inode, content_of(status)},
                std::move(parsed.subjects)};
  return read;
}

} // namespace

bool is_settled(const file_status& status, wall_time now) {
  using namespace std::chrono_literals;
  const std::chrono::nanoseconds changed{status.changed_ns};
  const std::chrono::nanoseconds doubtful = changed % 1s == 0ns ? 2100ms : 100ms;
  return now.time_since_epoch() - changed > doubtful;
}

trace_finder::trace_finder(const std::vector<entry_trace>& sorted) : sorted_(sorted) {
  while (bits_ < 32 && (std::uint64_t{1} << bits_) < sorted.size()) {
    ++bits_;
  }
  first_.resize((std::size_t{1} << bits_) + 1);
  for (const entry_trace& one : sorted) {
    ++first_[bucket_of(one.name) + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
}

std::optional<std::size_t> trace_finder::find(std::uint64_t name) const {
  const std::size_t bucket = bucket_of(name);
  for (std::size_t at = first_[bucket]; at < first_[bucket + 1]; ++at) {
    if (sorted_[at].name == name) {
      return at;
    }
  }
  return std::nullopt;
}

journal_look::journal_look(const folder& journal, const std::vector<entry_trace>& entries,
                           const mention_changes& before, bool is_full_check, wall_time now)
    : journal_(journal), entries_(entries), finder_(entries), still_(entries.size()),
      before_(before), is_full_check_(is_full_check), now_(now) {
  for (const mentioning_entry& one : before.came) {
    came_before_.emplace(one.trace.name, &one);
  }
}

void journal_look::show(const shown_entry& shown) {
  if (!is_entry(shown)) {
    return;
  }
  const std::uint64_t name = content_hash(shown.name);
  // A number that became free may be given to another file: what went once stays gone.
  if (const auto at = finder_.find(name);
      at && !before_.has_gone(name) && is_same(entries_[*at], shown)) {
    still_[*at] = true;
    return;
  }
  if (const auto known = came_before_.find(name);
      known != came_before_.end() && is_same(known->second->trace, shown)) {
    came_.push_back(*known->second);
    return;
  }
  if (auto read = read_new(journal_, shown, name, now_)) {
    is_settled_ = is_settled_ && read->is_settled;
    came_.push_back(std::move(read->entry));
  } else if (read.error().kind == error_kind::io || read.error().kind == error_kind::system) {
    is_settled_ = false; // it may be readable the next time
  }
}

mention_changes journal_look::changes() && {
  mention_changes found;
  for (std::size_t i = 0; i < still_.size(); ++i) {
    if (!still_[i]) {
      found.gone.push_back(entries_[i].name);
    }
  }
  found.came = std::move(came_);
  std::sort(found.came.begin(), found.came.end(),
            [](const mentioning_entry& left, const mentioning_entry& right) {
              return left.named.name < right.named.name;
            });
  return found;
}

bool journal_look::is_same(const entry_trace& known, const shown_entry& shown) const {
  if (known.inode != shown.inode || !is_full_check_) {
    return known.inode == shown.inode;
  }
  const auto status = journal_.status(std::string(shown.name));
  return status && *status && content_of(**status) == known.content;
}

} // namespace resilient::canon
