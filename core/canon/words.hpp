#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

/// Which words of a text count.
enum class word_choice : std::uint8_t {
  /// The words that the ranking weighs which surfaces unasked: runs of ASCII letters, digits and
  /// `_`, lower-cased, without `_` at either end, four characters or longer, no stop words.
  ranking,
  /// The words that somebody who asks may look for. For plain ASCII words of four characters and
  /// more the same as `ranking`; in addition words of two and three characters, and words of any
  /// script: runs of letters, marks and digits by their Unicode category, compared without case
  /// and in the composed compatibility form. Han, kana and Hangul have no usable blanks, so their
  /// runs count by overlapping pairs of characters.
  search,
};

/// Reads the words of a text one after another, in order, repetitions included. Bytes that are not
/// UTF-8 separate words. The text must outlive the stream.
class word_stream {
public:
  word_stream(std::string_view text, word_choice choice) : text_(text), choice_(choice) {}

  /// The next word, or an empty view at the end. Valid until the next call.
  [[nodiscard]] std::string_view next();

private:
  [[nodiscard]] std::string_view next_ranking_word();
  [[nodiscard]] std::string_view next_search_word();
  [[nodiscard]] std::string_view next_pair();
  void read_ascii_word();
  void read_wide_run();

  std::string_view text_;
  word_choice choice_;
  std::size_t at_ = 0;
  /// The word that was handed out last.
  std::string word_;
  /// Code points of a run that counts by pairs; `pair_` is the next one to hand out.
  std::vector<std::int32_t> run_;
  std::size_t pair_ = 0;
};

/// All words of a text, in order, repetitions included.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text, word_choice choice);

/// The distinct words of a question, in order of their first appearance. With
/// `word_choice::search`, short words that nearly every English text holds ("the", "is", "of") are
/// left out, unless the question has no other word.
[[nodiscard]] std::vector<std::string> question_words(std::string_view question,
                                                      word_choice choice);

} // namespace resilient::canon
