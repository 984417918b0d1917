#pragma once

#include "core/canon/mention_changes.hpp"
#include "core/canon/mention_table.hpp"
#include "core/support/files.hpp"
#include "core/support/folder.hpp"
#include "core/support/time.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace resilient::canon {

/// Whether the time of a file or folder is old enough to tell a change after it. A second change
/// within one tick of the file system's clock does not move the time again, and some file systems
/// know full seconds only, or even ones.
[[nodiscard]] bool is_settled(const file_status& status, wall_time now);

/// Finds traces by the hash of a name, in a list that is sorted by it and outlives this.
class trace_finder {
public:
  explicit trace_finder(const std::vector<entry_trace>& sorted);

  /// Its position; nothing when there is none.
  [[nodiscard]] std::optional<std::size_t> find(std::uint64_t name) const;

private:
  [[nodiscard]] std::size_t bucket_of(std::uint64_t name) const noexcept {
    return static_cast<std::size_t>(name >> (64U - bits_));
  }

  const std::vector<entry_trace>& sorted_;
  unsigned bits_ = 1;
  std::vector<std::uint32_t> first_; ///< of each bucket; the beginnings of the hashes are even
};

/// Compares what a journal holds with what was known of it, and reads what is new. All that it is
/// given outlives it.
class journal_look {
public:
  /// `entries` are the table's, `before` what changed since. A full check looks at the status of
  /// every entry, any other at its name and its number in the folder.
  journal_look(const folder& journal, const std::vector<entry_trace>& entries,
               const mention_changes& before, bool is_full_check, wall_time now);

  /// To be called with each name of the journal.
  void show(const shown_entry& shown);

  /// Whether a further change would be noticed by the status of the folder.
  [[nodiscard]] bool is_settled() const noexcept { return is_settled_; }

  /// What came and went, without the rest of its members.
  [[nodiscard]] mention_changes changes() &&;

private:
  [[nodiscard]] bool is_same(const entry_trace& known, const shown_entry& shown) const;

  const folder& journal_;
  const std::vector<entry_trace>& entries_;
  trace_finder finder_;
  std::vector<bool> still_;
  const mention_changes& before_;
  std::map<std::uint64_t, const mentioning_entry*> came_before_;
  std::vector<mentioning_entry> came_;
  bool is_full_check_;
  bool is_settled_ = true;
  wall_time now_;
};

} // namespace resilient::canon
