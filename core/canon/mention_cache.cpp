#include "core/canon/mention_cache.hpp"

#include "core/canon/article.hpp"
#include "core/support/files.hpp"
#include "core/support/positioned_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <string_view>

namespace resilient::canon {

namespace {

// The file, with numbers as the machine keeps them (a cache does not travel):
//   header, then `places` places by hash with open addressing, then the records.
// A record is the subject and the names of its entries, one a line.

constexpr std::uint64_t magic = 0x326E6D6E6F6E6163; // "canonmn2"
/// A folder does not tell that a file in it was edited in place.
constexpr std::chrono::minutes longest_unchecked{10};

struct header {
  std::uint64_t magic = 0;
  std::int64_t modified_ns = 0;
  std::uint64_t inode = 0;
  std::uint64_t device = 0;
  std::int64_t checked_ms = 0;
  std::uint64_t places = 0; ///< a power of two
};

struct place {
  std::uint64_t hash = 0;
  std::uint64_t offset = 0; ///< from the start of the file; 0 is empty
  std::uint64_t length = 0;
};

/// A record that is longer was not written by us.
constexpr std::uint64_t longest_record = std::uint64_t{64} << 20U;
constexpr std::uint64_t most_places = std::uint64_t{1} << 32U;
/// Neighbours are read together: with half of the places empty, chains are short.
constexpr std::size_t places_per_read = 16;

template <class Value>
void append_raw(std::string& bytes, const Value& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class Value>
[[nodiscard]] Value raw_at(const std::string& bytes, std::size_t at) {
  Value value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

[[nodiscard]] header header_of(const file_status& as_of, std::int64_t checked_ms,
                               std::uint64_t places) {
  return {magic, as_of.modified_ns, as_of.inode, as_of.device, checked_ms, places};
}

[[nodiscard]] std::optional<std::vector<std::string>> names_in(const std::string& record,
                                                               const std::string& subject) {
  if (record.compare(0, subject.size() + 1, subject + "\n") != 0) {
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (std::size_t at = subject.size() + 1; at < record.size();) {
    const std::size_t end = std::min(record.find('\n', at), record.size());
    names.push_back(record.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

} // namespace

std::string mention_cache::path_of(const std::string& journal) const {
  return fmt::format("{}/mentions-{:016x}", folder_, content_hash(journal));
}

std::optional<std::vector<std::string>> mention_cache::find(const std::string& journal,
                                                            const file_status& as_of, wall_time now,
                                                            const std::string& subject) const {
  const auto file = positioned_file::open(path_of(journal));
  const auto start = file ? file->read(0, sizeof(header)) : result<std::string>{""};
  if (!start || start->size() != sizeof(header)) {
    return std::nullopt;
  }
  const auto known = raw_at<header>(*start, 0);
  const header wanted = header_of(as_of, known.checked_ms, known.places);
  const std::int64_t now_ms = now.time_since_epoch().count();
  constexpr std::int64_t most_ms = std::chrono::milliseconds{longest_unchecked}.count();
  if (known.checked_ms > now_ms || known.checked_ms < now_ms - most_ms) {
    return std::nullopt;
  }
  if (std::memcmp(&known, &wanted, sizeof known) != 0 || known.places == 0
      || known.places > most_places || (known.places & (known.places - 1)) != 0) {
    return std::nullopt;
  }
  const std::uint64_t hash = content_hash(subject);
  std::uint64_t at = hash & (known.places - 1);
  for (std::uint64_t seen = 0; seen < known.places;) {
    const std::size_t count = std::min<std::uint64_t>(places_per_read, known.places - at);
    const auto read = file->read(sizeof(header) + at * sizeof(place), count * sizeof(place));
    if (!read || read->size() != count * sizeof(place)) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto one = raw_at<place>(*read, i * sizeof(place));
      if (one.offset == 0) {
        return std::vector<std::string>{};
      }
      if (one.hash != hash || one.length > longest_record) {
        continue;
      }
      const auto record = file->read(one.offset, one.length);
      if (!record || record->size() != one.length) {
        return std::nullopt;
      }
      if (auto names = names_in(*record, subject)) {
        return names;
      }
    }
    seen += count;
    at = (at + count) & (known.places - 1);
  }
  return std::vector<std::string>{};
}

void mention_cache::remember(
    const std::string& journal, const file_status& as_of, wall_time checked,
    const std::map<std::string, std::vector<std::string>>& by_subject) const {
  std::uint64_t count = places_per_read;
  while (count < by_subject.size() * 2) {
    count *= 2;
  }
  std::vector<place> places(count);
  std::string records;
  const std::size_t records_at = sizeof(header) + count * sizeof(place);
  for (const auto& [subject, names] : by_subject) {
    if (subject.find('\n') != std::string::npos) {
      continue; // no address holds a line end, and nobody asks for this one
    }
    const place one{content_hash(subject), records_at + records.size(), 0};
    records += subject + "\n";
    for (const std::string& name : names) {
      records += name + "\n";
    }
    std::size_t at = one.hash & (count - 1);
    while (places[at].offset != 0) {
      at = (at + 1) & (count - 1);
    }
    places[at] = {one.hash, one.offset, records_at + records.size() - one.offset};
  }
  std::string bytes;
  bytes.reserve(records_at + records.size());
  append_raw(bytes, header_of(as_of, checked.time_since_epoch().count(), count));
  for (const place& one : places) {
    append_raw(bytes, one);
  }
  bytes += records;
  posix_files disk;
  if (disk.make_folders(folder_)) {
    (void)disk.replace(path_of(journal), bytes);
  }
}

} // namespace resilient::canon
