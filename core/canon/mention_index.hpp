#pragma once

#include "core/canon/journal.hpp"
#include "core/canon/mention_cache.hpp"
#include "core/support/error.hpp"
#include "core/support/folder.hpp"
#include "core/support/time.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace resilient::canon {

/// Which entries of one journal name which subject. An entry that comes or goes is noticed at once,
/// by the status of the journal's folder. Entries are not meant to be edited in place; one that was
/// is noticed at the next full check, within a minute, or within ten of what another process left.
class mention_index {
public:
  /// The journal as it is now.
  struct journal {
    const std::string& root;           ///< of its store, which names it in the cache
    std::optional<file_status> status; ///< of its folder; nothing when there is none
    std::function<result<folder>()> open;
  };

  /// Lets a process that asks once use what earlier ones found.
  void use_cache(mention_cache cache) { cache_ = std::move(cache); }

  /// The names of the entries whose subjects hold exactly this address, oldest first.
  [[nodiscard]] std::vector<std::string> of(const std::string& subject, const journal& asked,
                                            wall_time now);

private:
  struct known_entry {
    journal_entry content; ///< without its body
    file_status status;
    bool unsure = false; ///< it changed so lately that a further change may leave no trace
  };
  using known_entries = std::map<std::string, known_entry>; ///< by name

  void refresh(const journal& asked, wall_time now);
  [[nodiscard]] bool look_for_names(const folder& opened, known_entries& found, wall_time now);
  [[nodiscard]] bool check_all(const folder& opened, known_entries& found, wall_time now);
  void arrange();

  std::optional<file_status> as_of_;
  bool settled_ = false; ///< the folder's time was old enough when it was listed
  std::optional<wall_time> checked_;
  known_entries entries_;
  std::map<std::string, std::vector<std::string>> by_subject_;
  std::optional<mention_cache> cache_;
};

} // namespace resilient::canon
