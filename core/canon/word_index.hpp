#pragma once

#include "core/canon/words.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

/// Ranks documents against a question by BM25 (k1 = 1.5, b = 0.75), and keeps doing so while
/// documents come and go. Holds word counts only, never the texts.
///
/// The score of a document is divided by the highest that any document could reach for the same
/// question, so it lies between 0 and 1. Words that the question repeats count once, words that no
/// document holds count nothing.
class word_index {
public:
  /// Names a document within one index; numbers are never used twice.
  using document = std::uint32_t;

  /// Documents of several kinds may share an index. A ranking over one kind is exactly the ranking
  /// of an index that holds nothing else.
  enum class group : std::uint8_t { articles, journal };
  enum class scope : std::uint8_t { articles, everything };

  struct hit {
    document which = 0;
    double score = 0.0; ///< above 0, at most 1
  };

  explicit word_index(word_choice choice) : choice_(choice) {}

  /// Adds a document whose text is the parts, one after another, blanks between.
  document add(const std::vector<std::string_view>& parts, group kind = group::articles);

  /// Forgets a document. The space that it took is only given back by starting anew.
  void remove(document which);

  /// Every document that scores above 0, in the order in which they were added.
  [[nodiscard]] std::vector<hit> rank(std::string_view question,
                                      scope within = scope::articles) const;

  /// The number of documents that are not removed.
  [[nodiscard]] std::size_t size() const noexcept {
    return living_[0].documents + living_[1].documents;
  }

  /// Whether so many documents were removed that a new index would be markedly smaller.
  [[nodiscard]] bool worn() const noexcept;

private:
  /// A word in a form that is quick to compare: its first 16 bytes as numbers, and what is beyond.
  struct word_key {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::string_view beyond;
    std::uint32_t length = 0;
    std::uint32_t hash = 0;
  };

  /// Counts of one word: a chain of slices in `pages_`, each twice as long as the one before, that
  /// hold pairs of (distance to the previous document, occurrences) as variable-length numbers.
  struct term {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::uint32_t beyond = 0; ///< where the rest of a word of more than 16 bytes is in `letters_`
    std::uint32_t length = 0; ///< of the word, in bytes
    std::uint32_t first_slice = 0;
    std::uint32_t write_at = 0;    ///< next free byte
    std::uint32_t write_end = 0;   ///< end of the slice being written, where its link stands
    std::uint32_t next = 0;        ///< one past the last document that holds the word
    std::uint32_t pending : 24;    ///< occurrences in the document that is being added
    std::uint32_t slice_class : 8; ///< the slice being written has 8 << slice_class bytes
  };

  static constexpr std::uint32_t terms_per_block = 4096;

  struct table_place {
    std::uint32_t hash = 0;
    std::uint32_t term = 0; ///< place in `terms_` plus 1; 0 is empty
  };

  /// Calls `each(document, occurrences)` for each document that holds the word, removed or not.
  template <class Each>
  void each_occurrence(const term& entry, Each each) const;

  [[nodiscard]] static word_key key_of(std::string_view word);
  [[nodiscard]] bool is(const term& entry, const word_key& word) const;
  [[nodiscard]] term& term_at(std::uint32_t index) const;
  [[nodiscard]] std::uint32_t read_words(const std::vector<std::string_view>& parts);
  void count_words();
  /// Adds the term when it is new; the table has room.
  [[nodiscard]] std::uint32_t term_of(const word_key& word);
  [[nodiscard]] const term* find(std::string_view word) const;
  void grow_table();
  void append_byte(term& entry, std::uint8_t byte);
  void append_number(term& entry, std::uint32_t number);
  [[nodiscard]] std::uint32_t new_slice(std::uint32_t length);
  [[nodiscard]] std::uint8_t* bytes_at(std::uint32_t where) const;

  word_choice choice_;
  struct totals {
    std::size_t documents = 0;
    std::uint64_t words = 0;
  };

  std::vector<std::uint32_t> lengths_; ///< words of each document; `removed` once it is gone
  std::vector<group> groups_;
  std::array<totals, 2> living_; ///< by group

  std::vector<std::unique_ptr<term[]>> terms_; ///< in blocks, so that growth moves nothing
  std::uint32_t term_count_ = 0;
  std::vector<table_place> table_;     ///< open addressing, a power of two long
  std::vector<word_key> keys_;         ///< words that are not counted yet
  std::string beyond_;                 ///< what their `beyond` points into
  std::vector<std::uint32_t> touched_; ///< terms of the document that is being added
  std::string letters_;
  std::vector<std::unique_ptr<std::uint8_t[]>> pages_;
  std::uint32_t page_used_ = 0;
};

} // namespace resilient::canon
