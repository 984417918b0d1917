#pragma once

#include "core/canon/mention_table.hpp"
#include "core/support/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

/// An entry as far as its mentions go.
struct mentioning_entry {
  dated_name named;
  entry_trace trace;
  std::vector<std::string> subjects;

  [[nodiscard]] bool operator==(const mentioning_entry&) const = default;
};

/// What came and went since a table was made. It says all of it, so that the last one that was
/// written is as good as any other.
struct mention_changes {
  std::uint64_t table = 0; ///< its id; with another one they mean nothing
  journal_state as_of;
  wall_time checked;
  std::vector<std::uint64_t> gone; ///< traces' names, ascending
  std::vector<mentioning_entry> came;

  [[nodiscard]] bool operator==(const mention_changes&) const = default;

  [[nodiscard]] bool has_gone(std::uint64_t name) const;
  /// What is left of `names`, and what came, oldest first.
  [[nodiscard]] std::vector<dated_name> applied_to(std::vector<dated_name> names,
                                                   const std::string& subject) const;
};

[[nodiscard]] std::string compose_changes(const mention_changes& changes);
/// Nothing when they are damaged.
[[nodiscard]] std::optional<mention_changes> parse_changes(std::string_view bytes);

} // namespace resilient::canon
