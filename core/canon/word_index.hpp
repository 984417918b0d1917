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
  /// Counts of one word: a chain of slices in `pages_`, each twice as long as the one before, that
  /// hold pairs of (distance to the previous document, occurrences) as variable-length numbers.
  struct term {
    std::uint32_t text = 0; ///< where the word stands in `letters_`
    std::uint32_t text_length = 0;
    std::uint32_t first_slice = 0;
    std::uint32_t write_at = 0;  ///< next free byte
    std::uint32_t write_end = 0; ///< end of the slice being written, where its link stands
    document last = 0;           ///< the last document that holds the word, plus 1
    std::uint32_t pending = 0;   ///< occurrences in the document that is being added
    std::uint8_t slice_class = 0;
  };

  struct table_place {
    std::uint32_t hash = 0;
    std::uint32_t term = 0; ///< place in `terms_` plus 1; 0 is empty
  };

  /// Calls `each(document, occurrences)` for each document that holds the word, removed or not.
  template <class Each>
  void each_occurrence(const term& entry, Each each) const;

  [[nodiscard]] std::uint32_t term_of(std::string_view word);
  [[nodiscard]] const term* find(std::string_view word) const;
  [[nodiscard]] std::string_view text_of(const term& entry) const;
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

  std::vector<term> terms_;
  std::vector<table_place> table_;     ///< open addressing, a power of two long
  std::vector<std::uint32_t> touched_; ///< terms of the document that is being added
  std::string letters_;
  std::vector<std::unique_ptr<std::uint8_t[]>> pages_;
  std::uint32_t page_used_ = 0;
};

} // namespace resilient::canon
