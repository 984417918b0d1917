#pragma once

#include "core/canon/journal.hpp"
#include "core/canon/mention_cache.hpp"
#include "core/canon/mention_changes.hpp"
#include "core/canon/mention_table.hpp"
#include "core/support/error.hpp"
#include "core/support/folder.hpp"
#include "core/support/folder_watch.hpp"
#include "core/support/time.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace resilient::canon {

/// Which entries of one journal name which subject.
///
/// An entry that comes or goes is noticed at once, by the status of the journal's folder; then its
/// names are listed, and only new entries are read. An entry that we write to a long journal is
/// added to what is known, if nothing else came or went meanwhile. Entries are not meant to be
/// edited; one that was, or was replaced by a file to which the file system gave its number, is
/// noticed at the next full check, which looks at the status of every entry. Listing a few hundred
/// is one.
class mention_index {
public:
  /// The journal as it is now.
  struct journal {
    const std::string& root;           ///< of its store, which names it in the cache
    std::optional<file_status> status; ///< of its folder; nothing when there is none
    std::function<result<folder>()> open;
  };

  /// Lets a process use what earlier ones found.
  void use_cache(mention_cache cache) { cache_ = std::move(cache); }

  /// The names of the entries whose subjects hold exactly this address, oldest first. The first
  /// question of a process never makes a full check: it may be the only one, and is to be cheap. A
  /// later one does when the last check was made a minute ago.
  [[nodiscard]] std::vector<std::string> of(const std::string& subject, const journal& asked,
                                            wall_time now);

  /// To be called before an entry is written to the folder of a long journal, and `has_come` after
  /// it, so that the next question need not list the journal for it. Nothing when it must anyway.
  [[nodiscard]] std::optional<folder_watch> expect(const journal& asked, const folder& opened);
  void has_come(const journal& asked, const folder& opened, folder_watch watch,
                const journal_entry& entry);

  /// Makes a full check.
  void check(const journal& asked, wall_time now);

private:
  struct known_mentions {
    mention_table table;
    mention_changes changes;
  };

  void load(const journal& asked);
  void look(const journal& asked, wall_time now, bool is_full_check);
  void start_anew(const journal& asked, wall_time now);
  [[nodiscard]] bool has_many_changes() const;
  [[nodiscard]] bool rebuild(const journal& asked);
  void keep(const journal& asked, bool with_table);

  std::optional<mention_cache> cache_;
  std::optional<known_mentions> known_;
  bool is_only_here_ = false; ///< what is known is not in the cache
  bool was_asked_ = false;
};

} // namespace resilient::canon
