#include "core/canon/words.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_set>

namespace resilient::canon {

namespace {

constexpr std::size_t shortest_ranking_word = 4;
constexpr std::size_t shortest_search_word = 2;

constexpr std::array stop_words = std::to_array<std::string_view>({
    "about",   "after",  "again",  "against", "because", "been",   "before", "being", "between",
    "both",    "cannot", "could",  "does",    "doing",   "down",   "during", "each",  "from",
    "further", "have",   "having", "here",    "into",    "itself", "just",   "more",  "most",
    "once",    "only",   "other",  "over",    "same",    "should", "some",   "such",  "than",
    "that",    "their",  "them",   "then",    "there",   "these",  "they",   "this",  "those",
    "through", "under",  "until",  "very",    "were",    "what",   "when",   "where", "which",
    "while",   "will",   "with",   "would",   "your",
});

constexpr std::array short_common_words = std::to_array<std::string_view>({
    "an",  "and", "any", "are", "as",  "at",  "be",  "but", "by",  "can", "did", "do",
    "for", "had", "has", "he",  "her", "him", "his", "how", "if",  "in",  "is",  "it",
    "its", "me",  "my",  "no",  "nor", "not", "of",  "on",  "or",  "our", "out", "she",
    "so",  "the", "to",  "too", "up",  "us",  "was", "we",  "who", "why", "you",
});

/// A fixed table with open addressing: most words of a text are not in it and are turned away at
/// an empty place, without a comparison.
class stop_word_table {
public:
  constexpr stop_word_table() {
    for (const std::string_view word : stop_words) {
      std::size_t place = place_of(word);
      while (!places_[place].empty()) {
        place = (place + 1) % places_.size();
      }
      places_[place] = word;
    }
  }

  [[nodiscard]] constexpr bool contains(std::string_view word) const {
    if (word.size() < shortest_ranking_word || word.size() > 7) {
      return false;
    }
    for (std::size_t place = place_of(word); !places_[place].empty();
         place = (place + 1) % places_.size()) {
      if (places_[place] == word) {
        return true;
      }
    }
    return false;
  }

private:
  [[nodiscard]] static constexpr std::size_t place_of(std::string_view word) {
    const auto byte = [](char c) {
      return static_cast<std::size_t>(static_cast<unsigned char>(c));
    };
    return (byte(word[0]) * 37 + byte(word[1]) * 101 + byte(word[2]) * 7 + byte(word.back()) * 3
            + word.size())
           % 512;
  }

  std::array<std::string_view, 512> places_{};
};

constexpr stop_word_table stop_table;

/// For each byte: the lower-case form if it belongs to an ASCII word, else 0.
constexpr std::array<char, 256> ascii_word_bytes = [] {
  std::array<char, 256> table{};
  for (const char c : std::string_view{"abcdefghijklmnopqrstuvwxyz0123456789_"}) {
    table[static_cast<unsigned char>(c)] = c;
  }
  constexpr std::size_t case_distance = 'a' - 'A';
  for (std::size_t c = 'a'; c <= 'z'; ++c) {
    table[c - case_distance] = table[c];
  }
  return table;
}();

[[nodiscard]] char ascii_word_byte(char c) {
  return ascii_word_bytes[static_cast<unsigned char>(c)];
}

[[nodiscard]] bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

[[nodiscard]] std::string_view without_outer_underscores(std::string_view word) {
  while (!word.empty() && word.front() == '_') {
    word.remove_prefix(1);
  }
  while (!word.empty() && word.back() == '_') {
    word.remove_suffix(1);
  }
  return word;
}

struct code_point {
  std::int32_t value = -1; ///< -1 when the bytes are not UTF-8
  std::size_t length = 1;  ///< in bytes; 1 when the bytes are not UTF-8
};

[[nodiscard]] code_point code_point_at(std::string_view text, std::size_t at) {
  code_point point;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at);
  const auto length = utf8proc_iterate(
      bytes, static_cast<utf8proc_ssize_t>(std::min<std::size_t>(text.size() - at, 4)),
      &point.value);
  if (length < 1) {
    return {};
  }
  point.length = static_cast<std::size_t>(length);
  return point;
}

enum class kind : std::uint8_t { separator, letter, mark, joiner };

[[nodiscard]] kind kind_of(std::int32_t point) {
  if (point == 0xAD || point == 0x200C || point == 0x200D || point == 0xFEFF) {
    return kind::joiner; // soft hyphen, (non-)joiners, BOM: invisible, they do not end a word
  }
  switch (utf8proc_category(point)) {
  case UTF8PROC_CATEGORY_LU:
  case UTF8PROC_CATEGORY_LL:
  case UTF8PROC_CATEGORY_LT:
  case UTF8PROC_CATEGORY_LM:
  case UTF8PROC_CATEGORY_LO:
  case UTF8PROC_CATEGORY_ND:
  case UTF8PROC_CATEGORY_NL:
  case UTF8PROC_CATEGORY_NO:
    return kind::letter;
  case UTF8PROC_CATEGORY_MN:
  case UTF8PROC_CATEGORY_MC:
  case UTF8PROC_CATEGORY_ME:
    return kind::mark;
  default:
    return kind::separator;
  }
}

struct range {
  std::int32_t first;
  std::int32_t last;
};

constexpr std::array pair_scripts = std::to_array<range>({
    {0x1100, 0x11FF},   // Hangul letters
    {0x3005, 0x3007},   // Han iteration marks and zero
    {0x3040, 0x30FF},   // kana
    {0x3130, 0x318F},   // Hangul letters
    {0x31F0, 0x31FF},   // kana
    {0x3400, 0x4DBF},   // Han
    {0x4E00, 0x9FFF},   // Han
    {0xAC00, 0xD7AF},   // Hangul syllables
    {0xF900, 0xFAFF},   // Han
    {0xFF66, 0xFFDC},   // half-width kana and Hangul
    {0x1B000, 0x1B16F}, // kana
    {0x20000, 0x3FFFF}, // Han
});

[[nodiscard]] bool counts_by_pairs(std::int32_t point) {
  return point >= pair_scripts.front().first
         && std::any_of(pair_scripts.begin(), pair_scripts.end(), [point](const range& script) {
              return point >= script.first && point <= script.last;
            });
}

/// The code points of `word` as they compare: composed, without case, compatibility forms
/// resolved, invisible characters removed.
[[nodiscard]] std::vector<std::int32_t> folded(std::string_view word) {
  const auto options = static_cast<utf8proc_option_t>(
      UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(word.data());
  const auto size = static_cast<utf8proc_ssize_t>(word.size());
  std::vector<std::int32_t> points(word.size() + 8);
  auto count = utf8proc_decompose(bytes, size, points.data(),
                                  static_cast<utf8proc_ssize_t>(points.size()), options);
  if (count > static_cast<utf8proc_ssize_t>(points.size())) {
    points.resize(static_cast<std::size_t>(count));
    count = utf8proc_decompose(bytes, size, points.data(), count, options);
  }
  if (count > 0) {
    count = utf8proc_normalize_utf32(points.data(), count, options);
  }
  points.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return points;
}

void append(std::string& text, std::int32_t point) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto length = utf8proc_encode_char(point, bytes.data());
  text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length));
}

} // namespace

std::string_view word_stream::next() {
  return choice_ == word_choice::ranking ? next_ranking_word() : next_search_word();
}

/// Leaves the ASCII word that begins here, perhaps an empty one, in `word_`.
void word_stream::read_ascii_word() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && ascii_word_byte(text_[at_]) != 0) {
    ++at_;
  }
  word_.resize(at_ - begin);
  std::transform(text_.begin() + static_cast<std::ptrdiff_t>(begin),
                 text_.begin() + static_cast<std::ptrdiff_t>(at_), word_.begin(), ascii_word_byte);
}

std::string_view word_stream::next_ranking_word() {
  while (at_ < text_.size()) {
    while (at_ < text_.size() && ascii_word_byte(text_[at_]) == 0) {
      ++at_;
    }
    read_ascii_word();
    const std::string_view word = without_outer_underscores(word_);
    if (word.size() >= shortest_ranking_word && !stop_table.contains(word)) {
      return word;
    }
  }
  return {};
}

std::string_view word_stream::next_search_word() {
  for (;;) {
    if (!run_.empty()) {
      if (const std::string_view pair = next_pair(); !pair.empty()) {
        return pair;
      }
    }
    while (at_ < text_.size() && is_ascii(text_[at_]) && ascii_word_byte(text_[at_]) == 0) {
      ++at_;
    }
    if (at_ >= text_.size()) {
      return {};
    }
    const std::size_t begin = at_;
    read_ascii_word();
    if (at_ < text_.size() && !is_ascii(text_[at_])) {
      at_ = begin;
      read_wide_run();
    }
    const std::string_view word = without_outer_underscores(word_);
    if (word.size() >= shortest_search_word && !stop_table.contains(word)) {
      return word;
    }
  }
}

/// Reads one run that holds something beyond ASCII: leaves either a word in `word_` or code points
/// in `run_`, or nothing when there is only a separator. Advances by at least one byte.
void word_stream::read_wide_run() {
  word_.clear();
  run_.clear();
  pair_ = 0;
  std::string raw;
  bool has_letter = false;
  bool by_pairs = false;
  bool plain = true;
  while (at_ < text_.size()) {
    if (is_ascii(text_[at_])) {
      if (ascii_word_byte(text_[at_]) == 0 || by_pairs) {
        break;
      }
      has_letter = true;
      raw.push_back(text_[at_]);
      ++at_;
      continue;
    }
    const code_point point = code_point_at(text_, at_);
    const kind what = point.value < 0 ? kind::separator : kind_of(point.value);
    if (what == kind::separator) {
      if (raw.empty()) {
        at_ += point.length;
      }
      break;
    }
    if (what == kind::letter) {
      const bool pairs = counts_by_pairs(point.value);
      if (has_letter && pairs != by_pairs) {
        break; // the script changes here: "API配置" is a word and a pair
      }
      by_pairs = pairs;
      has_letter = true;
    }
    raw.append(text_, at_, point.length);
    at_ += point.length;
    plain = false;
  }
  if (!has_letter) {
    return; // only marks or invisible characters, such as the tail of an emoji
  }
  if (plain) { // an ASCII word before a dash or a curly quote
    std::transform(raw.begin(), raw.end(), std::back_inserter(word_), ascii_word_byte);
    return;
  }
  std::vector<std::int32_t> points = folded(raw);
  if (by_pairs) {
    run_ = std::move(points);
    return;
  }
  if (points.size() < shortest_search_word) {
    return;
  }
  for (const std::int32_t point : points) {
    append(word_, point);
  }
}

std::string_view word_stream::next_pair() {
  if (pair_ >= run_.size() || (pair_ + 1 == run_.size() && pair_ > 0)) {
    run_.clear();
    return {};
  }
  word_.clear();
  append(word_, run_[pair_]);
  if (pair_ + 1 < run_.size()) {
    append(word_, run_[pair_ + 1]);
  }
  ++pair_;
  return word_;
}

std::vector<std::string> words_of(std::string_view text, word_choice choice) {
  std::vector<std::string> words;
  word_stream stream{text, choice};
  for (std::string_view word = stream.next(); !word.empty(); word = stream.next()) {
    words.emplace_back(word);
  }
  return words;
}

std::vector<std::string> question_words(std::string_view question, word_choice choice) {
  std::vector<std::string> words;
  std::unordered_set<std::string> known;
  for (std::string& word : words_of(question, choice)) {
    if (known.insert(word).second) {
      words.push_back(std::move(word));
    }
  }
  if (choice == word_choice::ranking) {
    return words;
  }
  std::vector<std::string> telling;
  std::copy_if(words.begin(), words.end(), std::back_inserter(telling),
               [](const std::string& word) {
                 return std::find(short_common_words.begin(), short_common_words.end(), word)
                        == short_common_words.end();
               });
  return telling.empty() ? words : telling;
}

} // namespace resilient::canon
