#include "core/canon/word_index.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace resilient::canon {

namespace {

constexpr double saturation = 1.5;     // k1
constexpr double length_weight = 0.75; // b

constexpr std::uint32_t removed = std::numeric_limits<std::uint32_t>::max();

constexpr std::uint32_t page_bits = 16;
constexpr std::uint32_t page_length = 1U << page_bits;
constexpr std::uint32_t link_length = 4;
constexpr std::uint32_t first_slice_length = 8;
constexpr std::uint8_t highest_slice_class = 8; // 2 KiB

[[nodiscard]] std::uint32_t slice_length(std::uint8_t slice_class) {
  return first_slice_length << slice_class;
}

constexpr std::uint32_t most_pending = (1U << 24U) - 1;

[[nodiscard]] std::uint64_t mixed(std::uint64_t value) {
  value *= 0x9E3779B97F4A7C15ULL;
  return value ^ (value >> 29U);
}

template <class Number>
[[nodiscard]] std::uint64_t number_at(const char* from) {
  Number number = 0;
  std::memcpy(&number, from, sizeof number);
  return number;
}

/// The first eight bytes as a number that no other ones have, given the length. Two overlapping
/// reads are quicker than a copy of varying length.
[[nodiscard]] std::uint64_t first_bytes(std::string_view word) {
  const char* const from = word.data();
  const std::size_t size = word.size();
  const auto with_end = [](std::uint64_t begin, std::uint64_t end, std::size_t bytes_between) {
    return begin ^ (end << (8 * bytes_between));
  };
  if (size >= 8) {
    return number_at<std::uint64_t>(from);
  }
  if (size >= 4) {
    return with_end(number_at<std::uint32_t>(from), number_at<std::uint32_t>(from + size - 4), 4);
  }
  if (size >= 2) {
    return with_end(number_at<std::uint16_t>(from), number_at<std::uint16_t>(from + size - 2), 2);
  }
  return size == 1 ? number_at<std::uint8_t>(from) : 0;
}

} // namespace

std::uint8_t* word_index::bytes_at(std::uint32_t where) const {
  return pages_[where >> page_bits].get() + (where & (page_length - 1));
}

std::uint32_t word_index::new_slice(std::uint32_t length) {
  if (pages_.empty() || page_used_ + length > page_length) {
    pages_.push_back(std::make_unique<std::uint8_t[]>(page_length));
    page_used_ = 0;
  }
  const auto where = static_cast<std::uint32_t>((pages_.size() - 1) << page_bits) + page_used_;
  page_used_ += length;
  return where;
}

void word_index::append_byte(term& entry, std::uint8_t byte) {
  if (entry.write_at == entry.write_end) {
    if (entry.slice_class < highest_slice_class) {
      ++entry.slice_class;
    }
    const std::uint32_t length = slice_length(static_cast<std::uint8_t>(entry.slice_class));
    const std::uint32_t next = new_slice(length);
    std::memcpy(bytes_at(entry.write_end), &next, link_length);
    entry.write_at = next;
    entry.write_end = next + length - link_length;
  }
  *bytes_at(entry.write_at) = byte;
  ++entry.write_at;
}

void word_index::append_number(term& entry, std::uint32_t number) {
  for (; number >= 0x80; number >>= 7U) {
    append_byte(entry, static_cast<std::uint8_t>(number | 0x80U));
  }
  append_byte(entry, static_cast<std::uint8_t>(number));
}

template <class Each>
void word_index::each_occurrence(const term& entry, Each each) const {
  std::uint32_t at = entry.first_slice;
  std::uint8_t slice_class = 0;
  const std::uint8_t* byte = bytes_at(at);
  std::uint32_t end = at + slice_length(0) - link_length;
  const auto next_number = [&] {
    std::uint32_t number = 0;
    for (std::uint32_t shift = 0;; shift += 7) {
      if (at == end) {
        std::memcpy(&at, byte, link_length);
        slice_class =
            std::min<std::uint8_t>(static_cast<std::uint8_t>(slice_class + 1), highest_slice_class);
        end = at + slice_length(slice_class) - link_length;
        byte = bytes_at(at);
      }
      const std::uint8_t part = *byte;
      ++byte;
      ++at;
      number |= static_cast<std::uint32_t>(part & 0x7FU) << shift;
      if (part < 0x80) {
        return number;
      }
    }
  };
  document next = 0; // one past the document read last
  while (at != entry.write_at) {
    const std::uint32_t step = next_number();
    next += (step >> 1U) + 1;
    const std::uint32_t occurrences = (step & 1U) != 0 ? 1 : next_number();
    each(next - 1, occurrences);
  }
}

// Words may be made to collide by whoever writes the texts; that costs time, never an answer.
word_index::word_key word_index::key_of(std::string_view word) {
  word_key key;
  key.length = static_cast<std::uint32_t>(word.size());
  key.first = first_bytes(word);
  if (word.size() > 8) {
    key.second = first_bytes(word.substr(8));
  }
  std::uint64_t hash = mixed(key.first + word.size());
  hash = mixed(hash ^ key.second);
  if (word.size() > 16) {
    key.beyond = word.substr(16);
    for (const char c : key.beyond) {
      hash = mixed(hash ^ static_cast<unsigned char>(c));
    }
  }
  key.hash = static_cast<std::uint32_t>(hash >> 32U);
  return key;
}

bool word_index::is(const term& entry, const word_key& word) const {
  return entry.first == word.first && entry.second == word.second && entry.length == word.length
         && (word.beyond.empty()
             || letters_.compare(entry.beyond, word.beyond.size(), word.beyond) == 0);
}

word_index::term& word_index::term_at(std::uint32_t index) const {
  return terms_[index / terms_per_block][index % terms_per_block];
}

const word_index::term* word_index::find(std::string_view word) const {
  if (table_.empty()) {
    return nullptr;
  }
  const word_key key = key_of(word);
  for (std::size_t at = key.hash & (table_.size() - 1); table_[at].term != 0;
       at = (at + 1) & (table_.size() - 1)) {
    const term& entry = term_at(table_[at].term - 1);
    if (table_[at].hash == key.hash && is(entry, key)) {
      return &entry;
    }
  }
  return nullptr;
}

void word_index::grow_table() {
  std::vector<table_place> larger(table_.empty() ? 1024 : table_.size() * 2);
  for (const table_place& old : table_) {
    if (old.term != 0) {
      std::size_t at = old.hash & (larger.size() - 1);
      while (larger[at].term != 0) {
        at = (at + 1) & (larger.size() - 1);
      }
      larger[at] = old;
    }
  }
  table_ = std::move(larger);
}

std::uint32_t word_index::term_of(const word_key& word) {
  std::size_t at = word.hash & (table_.size() - 1);
  for (; table_[at].term != 0; at = (at + 1) & (table_.size() - 1)) {
    if (table_[at].hash == word.hash && is(term_at(table_[at].term - 1), word)) {
      return table_[at].term - 1;
    }
  }
  const std::uint32_t index = term_count_;
  if (index % terms_per_block == 0) {
    terms_.push_back(std::make_unique<term[]>(terms_per_block));
  }
  ++term_count_;
  term& entry = term_at(index);
  entry.first = word.first;
  entry.second = word.second;
  entry.length = word.length;
  entry.pending = 0;
  entry.slice_class = 0;
  if (!word.beyond.empty()) {
    entry.beyond = static_cast<std::uint32_t>(letters_.size());
    letters_.append(word.beyond);
  }
  entry.first_slice = new_slice(first_slice_length);
  entry.write_at = entry.first_slice;
  entry.write_end = entry.first_slice + first_slice_length - link_length;
  table_[at] = {word.hash, index + 1};
  return index;
}

/// Counts all words as pending and gives their number.
std::uint32_t word_index::read_words(const std::vector<std::string_view>& parts) {
  constexpr std::size_t most_keys = 4096; // of a long text, not all words are held at once
  std::size_t length = 0;
  touched_.clear();
  for (const std::string_view part : parts) {
    word_stream stream{part, choice_};
    for (std::string_view word = stream.next(); !word.empty(); word = stream.next()) {
      if (keys_.size() == most_keys) {
        count_words();
      }
      keys_.push_back(key_of(word));
      beyond_.append(keys_.back().beyond);
      ++length;
    }
  }
  count_words();
  return static_cast<std::uint32_t>(length);
}

/// Counts each of `keys_` as pending and empties them. The words of a text are scattered over the
/// whole index, so their places are fetched ahead of time.
void word_index::count_words() {
  constexpr std::size_t ahead_in_table = 16;
  constexpr std::size_t ahead_in_terms = 8;
  std::size_t at = 0;
  for (word_key& key : keys_) { // the stream's words are gone by now
    key.beyond = std::string_view{beyond_}.substr(at, key.beyond.size());
    at += key.beyond.size();
  }
  while ((term_count_ + keys_.size()) * 4 >= table_.size() * 3) {
    grow_table();
  }
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (i + ahead_in_table < keys_.size()) {
      __builtin_prefetch(&table_[keys_[i + ahead_in_table].hash & mask]);
    }
    if (i + ahead_in_terms < keys_.size()) {
      const std::uint32_t likely = table_[keys_[i + ahead_in_terms].hash & mask].term;
      if (likely != 0) {
        __builtin_prefetch(&term_at(likely - 1));
      }
    }
    const std::uint32_t index = term_of(keys_[i]);
    term& entry = term_at(index);
    if (entry.pending == 0) {
      touched_.push_back(index);
    }
    if (entry.pending < most_pending) {
      ++entry.pending;
    }
  }
  keys_.clear();
  beyond_.clear();
}

word_index::document word_index::add(const std::vector<std::string_view>& parts, group kind) {
  const auto which = static_cast<document>(lengths_.size());
  const std::uint32_t length = read_words(parts);
  for (const std::uint32_t index : touched_) {
    term& entry = term_at(index);
    // the lowest bit says that the word occurs once, as most words do
    append_number(entry, ((which - entry.next) << 1U) | (entry.pending == 1 ? 1U : 0U));
    if (entry.pending != 1) {
      append_number(entry, entry.pending);
    }
    entry.next = which + 1;
    entry.pending = 0;
  }
  lengths_.push_back(length);
  groups_.push_back(kind);
  totals& sum = living_[static_cast<std::size_t>(kind)];
  ++sum.documents;
  sum.words += length;
  return which;
}

void word_index::remove(document which) {
  if (which >= lengths_.size() || lengths_[which] == removed) {
    return;
  }
  totals& sum = living_[static_cast<std::size_t>(groups_[which])];
  --sum.documents;
  sum.words -= lengths_[which];
  lengths_[which] = removed;
}

bool word_index::worn() const noexcept {
  return lengths_.size() - size() > std::max<std::size_t>(size(), 256);
}

std::vector<word_index::hit> word_index::rank(std::string_view question, scope within) const {
  std::vector<double> scores(lengths_.size());
  totals sum = living_[static_cast<std::size_t>(group::articles)];
  if (within == scope::everything) {
    sum.documents += living_[static_cast<std::size_t>(group::journal)].documents;
    sum.words += living_[static_cast<std::size_t>(group::journal)].words;
  }
  const auto count = static_cast<double>(sum.documents);
  const double mean_length = static_cast<double>(sum.words) / std::max(count, 1.0);
  double ceiling = 0.0;
  std::vector<std::pair<document, std::uint32_t>> occurrences;
  for (const std::string& word : question_words(question, choice_)) {
    const term* entry = find(word);
    if (entry == nullptr) {
      continue;
    }
    occurrences.clear();
    each_occurrence(*entry, [&](document which, std::uint32_t times) {
      if (lengths_[which] != removed
          && (within == scope::everything || groups_[which] == group::articles)) {
        occurrences.emplace_back(which, times);
      }
    });
    if (occurrences.empty()) {
      continue;
    }
    const auto holders = static_cast<double>(occurrences.size());
    const double weight = std::log(1.0 + (count - holders + 0.5) / (holders + 0.5));
    ceiling += weight * (saturation + 1.0);
    for (const auto& [which, times] : occurrences) {
      const auto frequency = static_cast<double>(times);
      const double length = static_cast<double>(lengths_[which]) / mean_length;
      scores[which] += weight * frequency * (saturation + 1.0)
                       / (frequency + saturation * (1.0 - length_weight + length_weight * length));
    }
  }
  std::vector<hit> hits;
  for (document which = 0; which < scores.size(); ++which) {
    if (scores[which] > 0.0) {
      hits.push_back({which, scores[which] / ceiling});
    }
  }
  return hits;
}

} // namespace resilient::canon
