#pragma once

#include "core/canon/journal.hpp"
#include "core/support/descriptor.hpp"
#include "core/support/positioned_file.hpp"
#include "core/support/time.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace resilient::canon {

/// A state of a journal's folder: it is another one after an entry came or went.
struct journal_state {
  std::uint64_t device = 0;
  std::uint64_t inode = 0; ///< 0: no state that a folder can have
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;

  [[nodiscard]] bool operator==(const journal_state&) const = default;
};

/// By what an entry is known again.
struct entry_trace {
  std::uint64_t name = 0;    ///< `content_hash` of its name
  std::uint64_t inode = 0;   ///< as the folder lists it
  std::uint64_t content = 0; ///< of its size and times, for a check that examines every entry

  [[nodiscard]] bool operator==(const entry_trace&) const = default;
};

/// The entries that name a subject, oldest first, for each subject.
using mentions_by_subject = std::map<std::string, std::vector<dated_name>>;

/// All mentions of one journal at one moment.
struct all_mentions {
  std::uint64_t store = 0; ///< `content_hash` of the path of the journal's store
  journal_state as_of;
  wall_time checked;                ///< when every entry was last examined
  std::vector<entry_trace> entries; ///< all of them, in any order
  mentions_by_subject by_subject;
};

/// `all_mentions` as bytes in which a question reads a few blocks, however many they are. Damage is
/// noticed where it matters: then there is no answer.
class mention_table {
public:
  [[nodiscard]] static std::string compose(all_mentions all);

  /// Nothing when it is no table of this store's journal.
  [[nodiscard]] static std::optional<mention_table>
  open(std::variant<positioned_file, std::string> bytes, std::uint64_t store);

  /// What tells this table from others.
  [[nodiscard]] std::uint64_t id() const noexcept { return head_.id; }
  [[nodiscard]] const journal_state& as_of() const noexcept { return head_.as_of; }
  [[nodiscard]] wall_time checked() const noexcept {
    return wall_time{std::chrono::milliseconds{head_.checked_ms}};
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return head_.entries; }

  /// All of it when it was opened from memory, else nothing.
  [[nodiscard]] std::string_view bytes() const noexcept {
    const auto* text = std::get_if<std::string>(&bytes_);
    return text == nullptr ? std::string_view() : *text;
  }

  /// The entries that name a subject; nothing when the table is damaged.
  [[nodiscard]] std::optional<std::vector<dated_name>> find(const std::string& subject) const;
  /// Every entry by the hash of its name; nothing when the table is damaged.
  [[nodiscard]] std::optional<std::vector<entry_trace>> entries() const;
  [[nodiscard]] std::optional<mentions_by_subject> everything() const;

private:
  struct head {
    std::uint64_t magic = 0;
    std::uint64_t store = 0;
    std::uint64_t id = 0;
    journal_state as_of;
    std::int64_t checked_ms = 0;
    std::uint64_t places = 0; ///< a power of two
    std::uint64_t entries = 0;
    std::uint64_t size = 0; ///< of the whole, in bytes
    std::uint64_t check = 0;
  };
  /// Where the record of a subject is.
  struct place {
    std::uint64_t hash = 0;
    std::uint64_t offset = 0; ///< from the start; 0 is empty
    std::uint64_t length = 0;
    std::uint64_t check = 0; ///< also of an empty one: a block that got lost is not empty
  };

  mention_table(std::variant<positioned_file, std::string> bytes, const head& top)
      : bytes_(std::move(bytes)), head_(top) {}

  [[nodiscard]] static std::uint64_t check_of(const place& one) noexcept;
  [[nodiscard]] static std::uint64_t check_of(const head& top) noexcept;
  [[nodiscard]] static std::optional<std::string>
  read(const std::variant<positioned_file, std::string>& bytes, std::uint64_t offset,
       std::uint64_t length);
  [[nodiscard]] bool is_possible() const noexcept;
  [[nodiscard]] bool is_possible(const place& one) const noexcept;
  [[nodiscard]] std::uint64_t entries_at() const noexcept;
  [[nodiscard]] std::uint64_t records_at() const noexcept;

  std::variant<positioned_file, std::string> bytes_;
  head head_;
};

} // namespace resilient::canon
