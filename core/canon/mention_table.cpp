#include "core/canon/mention_table.hpp"

#include "core/canon/article.hpp"
#include "core/canon/cache_bytes.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <type_traits>

namespace resilient::canon {

namespace {

// The head, then the places by hash with open addressing, then the entries by the hash of their
// names with a check behind them, then one record for each subject.

constexpr std::uint64_t magic_number = 0x336E6D6E6F6E6163; // "canonmn3"
/// Neighbours are read together: with half of the places empty, chains are short.
constexpr std::uint64_t places_per_read = 16;
constexpr std::uint64_t check_size = sizeof(std::uint64_t);

template <class Value>
[[nodiscard]] std::string_view raw(const Value& value) {
  static_assert(std::has_unique_object_representations_v<Value>);
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

template <class Value>
[[nodiscard]] Value raw_at(std::string_view bytes, std::size_t at) {
  static_assert(std::has_unique_object_representations_v<Value>);
  Value value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

[[nodiscard]] std::string record_of(const std::string& subject,
                                    const std::vector<dated_name>& names) {
  std::string record;
  append_text(record, subject);
  append_number(record, names.size());
  for (const dated_name& one : names) {
    append_text(record, one.logged);
    append_text(record, one.name);
  }
  return with_check(std::move(record));
}

struct read_record {
  std::string subject;
  std::vector<dated_name> names;
};

[[nodiscard]] std::optional<read_record> parse_record(std::string_view record) {
  const auto content = without_check(record);
  if (!content) {
    return std::nullopt;
  }
  byte_reader from(*content);
  read_record result;
  result.subject = from.text();
  for (std::uint64_t left = from.number(); left > 0 && !from.failed(); --left) {
    dated_name& one = result.names.emplace_back();
    one.logged = from.text();
    one.name = from.text();
  }
  return from.failed() ? std::nullopt : std::optional<read_record>(std::move(result));
}

} // namespace

std::uint64_t mention_table::check_of(const place& one) noexcept {
  return damage_check(raw(one).substr(0, sizeof one - check_size));
}

std::uint64_t mention_table::check_of(const head& top) noexcept {
  return damage_check(raw(top).substr(0, sizeof top - check_size));
}

std::uint64_t mention_table::entries_at() const noexcept {
  return sizeof(head) + head_.places * sizeof(place);
}

std::uint64_t mention_table::records_at() const noexcept {
  return entries_at() + head_.entries * sizeof(entry_trace) + check_size;
}

bool mention_table::is_possible() const noexcept {
  constexpr std::uint64_t most = std::uint64_t{1} << 32U;
  return head_.places > 0 && head_.places <= most && (head_.places & (head_.places - 1)) == 0
         && head_.entries < most && records_at() <= head_.size
         && head_.size <= most * sizeof(place);
}

bool mention_table::is_possible(const place& one) const noexcept {
  return one.check == check_of(one)
         && (one.offset == 0
             || (one.offset >= records_at() && one.offset <= head_.size
                 && one.length <= head_.size - one.offset));
}

std::string mention_table::compose(all_mentions all) {
  std::sort(
      all.entries.begin(), all.entries.end(),
      [](const entry_trace& left, const entry_trace& right) { return left.name < right.name; });
  head top;
  top.magic = magic_number;
  top.store = all.store;
  top.as_of = all.as_of;
  top.checked_ms = all.checked.time_since_epoch().count();
  top.entries = all.entries.size();
  top.places = places_per_read;
  while (top.places < all.by_subject.size() * 2) {
    top.places *= 2;
  }
  std::string entries;
  for (const entry_trace& one : all.entries) {
    entries += raw(one);
  }
  entries = with_check(std::move(entries));
  std::vector<place> places(top.places);
  std::string records;
  const std::uint64_t records_at = sizeof top + top.places * sizeof(place) + entries.size();
  for (const auto& [subject, names] : all.by_subject) {
    const std::string record = record_of(subject, names);
    const std::uint64_t hash = content_hash(subject);
    std::uint64_t at = hash & (top.places - 1);
    while (places[at].offset != 0) {
      at = (at + 1) & (top.places - 1);
    }
    places[at] = {hash, records_at + records.size(), record.size(), 0};
    records += record;
  }
  std::string rest;
  rest.reserve(records_at + records.size());
  for (place& one : places) {
    one.check = check_of(one);
    rest += raw(one);
  }
  rest += entries;
  rest += records;
  top.size = sizeof top + rest.size();
  top.id = damage_check(rest);
  top.check = check_of(top);
  return std::string(raw(top)) + rest;
}

std::optional<std::string>
mention_table::read(const std::variant<positioned_file, std::string>& bytes, std::uint64_t offset,
                    std::uint64_t length) {
  if (const auto* text = std::get_if<std::string>(&bytes)) {
    return offset <= text->size() && length <= text->size() - offset
               ? std::optional<std::string>(text->substr(offset, length))
               : std::nullopt;
  }
  auto found = std::get<positioned_file>(bytes).read(offset, length);
  return found && found->size() == length ? std::optional<std::string>(std::move(*found))
                                          : std::nullopt;
}

std::optional<mention_table> mention_table::open(std::variant<positioned_file, std::string> bytes,
                                                 std::uint64_t store) {
  const auto start = read(bytes, 0, sizeof(head));
  if (!start) {
    return std::nullopt;
  }
  const auto top = raw_at<head>(*start, 0);
  if (top.magic != magic_number || top.check != check_of(top) || top.store != store) {
    return std::nullopt;
  }
  mention_table table(std::move(bytes), top);
  // A file whose end is missing has no last byte.
  return table.is_possible() && read(table.bytes_, top.size - 1, 1)
             ? std::optional<mention_table>(std::move(table))
             : std::nullopt;
}

std::optional<std::vector<dated_name>> mention_table::find(const std::string& subject) const {
  const std::uint64_t hash = content_hash(subject);
  std::uint64_t at = hash & (head_.places - 1);
  for (std::uint64_t seen = 0; seen < head_.places;) {
    const std::uint64_t count = std::min(places_per_read, head_.places - at);
    const auto block = read(bytes_, sizeof(head) + at * sizeof(place), count * sizeof(place));
    if (!block) {
      return std::nullopt;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto one = raw_at<place>(*block, i * sizeof(place));
      if (!is_possible(one)) {
        return std::nullopt;
      }
      if (one.offset == 0) {
        return std::vector<dated_name>{};
      }
      if (one.hash != hash) {
        continue;
      }
      const auto bytes = read(bytes_, one.offset, one.length);
      auto record = bytes ? parse_record(*bytes) : std::nullopt;
      if (!record) {
        return std::nullopt;
      }
      if (record->subject == subject) {
        return std::move(record->names);
      }
    }
    seen += count;
    at = (at + count) & (head_.places - 1);
  }
  return std::vector<dated_name>{};
}

std::optional<std::vector<entry_trace>> mention_table::entries() const {
  const auto block = read(bytes_, entries_at(), records_at() - entries_at());
  const auto content = block ? without_check(*block) : std::nullopt;
  if (!content) {
    return std::nullopt;
  }
  std::vector<entry_trace> entries(head_.entries);
  if (!entries.empty()) {
    std::memcpy(entries.data(), content->data(), content->size());
  }
  return entries;
}

std::optional<mentions_by_subject> mention_table::everything() const {
  const auto places = read(bytes_, sizeof(head), head_.places * sizeof(place));
  const auto records = read(bytes_, records_at(), head_.size - records_at());
  if (!places || !records) {
    return std::nullopt;
  }
  mentions_by_subject all;
  for (std::uint64_t i = 0; i < head_.places; ++i) {
    const auto one = raw_at<place>(*places, i * sizeof(place));
    if (!is_possible(one)) {
      return std::nullopt;
    }
    if (one.offset == 0) {
      continue;
    }
    auto record =
        parse_record(std::string_view(*records).substr(one.offset - records_at(), one.length));
    if (!record) {
      return std::nullopt;
    }
    all.emplace(std::move(record->subject), std::move(record->names));
  }
  return all;
}

} // namespace resilient::canon
