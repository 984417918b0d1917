#pragma once

#include "core/canon/searcher.hpp"
#include "core/canon/word_index.hpp"
#include "core/support/time.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace resilient::canon {

/// The action `search` over word indexes that live as long as this object. Before each answer every
/// article file is asked for its status, and those that changed are read again, so an answer is
/// that of the files as they are. Entries of the journal never change: they are looked for when
/// the journal's folder changed, and an entry that somebody edited all the same is noticed within
/// a minute.
class index_searcher final : public searcher {
public:
  /// `now` tells which files changed so recently that a further change might leave no trace in
  /// their status; those are read again the next time.
  /// `how_to_ask` is how the caller asks for the journal, for the hint that it was not searched.
  explicit index_searcher(std::function<wall_time()> now,
                          std::string how_to_ask = "pass journal true");

  [[nodiscard]] result<std::string> search(const place& where, const std::string& query,
                                           bool journal) override;

private:
  /// What was indexed, and of which state of its file.
  struct indexed {
    std::int64_t modified_ns = 0;
    std::uint64_t size = 0;
    std::uint64_t inode = 0;
    word_index::document number = 0;
    std::uint32_t seen = 0; ///< the last look at the store that showed it
    bool unsure = false;    ///< may have changed without a trace
  };
  struct indexed_files {
    std::unordered_map<std::string, indexed> by_name;
    /// What the last look at the store showed, in that order: the next look shows nearly the same.
    std::vector<std::pair<const std::string, indexed>*> in_order;
    std::vector<std::pair<const std::string, indexed>*> shown; ///< by the present look, so far
    std::uint32_t looks = 0;

    void begin_look();
    [[nodiscard]] std::pair<const std::string, indexed>* find(const std::string& name);
  };

  /// Which document is which file.
  struct document_key {
    const std::string* name = nullptr; ///< the key in one of the maps; null once it is removed
    word_index::group kind = word_index::group::articles;
  };

  struct store_index {
    word_index words{word_choice::search};
    indexed_files articles;
    indexed_files entries;
    std::vector<document_key> documents; ///< by number
    std::vector<std::string> problems;   ///< sentences: what could not be read in the present look

    std::optional<file_status> journal_as_of;
    bool journal_unsure = true;
    bool has_entries = false;
    std::optional<wall_time> entries_checked;

    /// Whether the file is indexed as it is now; if so, notes that it still exists.
    [[nodiscard]] static bool is_current(indexed_files& files, const std::string& name,
                                         const file_status& status);
    void put(indexed_files& files, const std::string& name, const file_status& status,
             word_index::group kind, const std::vector<std::string_view>& parts, bool unsure);
    /// Drops the files that the present look did not show, and ends it.
    void forget_unseen(indexed_files& files);
  };

  void refresh_articles(store_index& index, const store& knowledge) const;
  void refresh_journal(store_index& index, const store& knowledge) const;
  void look_for_entries(store_index& index, const store& knowledge) const;
  [[nodiscard]] std::string answer(const store_index& index, const place& where,
                                   const std::string& query, bool journal) const;
  [[nodiscard]] bool changed_just_now(const file_status& status) const;

  std::function<wall_time()> now_;
  std::string how_to_ask_;
  std::map<std::string, store_index> stores_; ///< by the store's root
};

} // namespace resilient::canon
