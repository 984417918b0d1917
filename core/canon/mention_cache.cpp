#include "core/canon/mention_cache.hpp"

#include "core/canon/article.hpp"
#include "core/canon/cache_bytes.hpp"
#include "core/support/files.hpp"
#include "core/support/positioned_file.hpp"

#include <fmt/format.h>

namespace resilient::canon {

std::string mention_cache::table_path(const std::string& store) const {
  return fmt::format("{}/mentions-{:016x}", folder_, content_hash(store));
}

std::string mention_cache::changes_path(const std::string& store) const {
  return table_path(store) + ".changes";
}

std::optional<mention_table> mention_cache::table(const std::string& store) const {
  auto file = positioned_file::open(table_path(store));
  return file ? mention_table::open(std::move(*file), content_hash(store)) : std::nullopt;
}

std::optional<mention_changes> mention_cache::changes(const std::string& store,
                                                      const mention_table& since) const {
  constexpr std::size_t longest = std::size_t{64} << 20U; // a longer one was not written by us
  const auto bytes = posix_files{}.read(changes_path(store), longest);
  auto found = bytes ? parse_changes(*bytes) : std::nullopt;
  return found && found->table == since.id() ? std::move(found) : std::nullopt;
}

bool mention_cache::keep_table(const std::string& store, std::string_view bytes) const {
  return write(table_path(store), bytes);
}

bool mention_cache::keep_changes(const std::string& store, const mention_changes& changes) const {
  return write(changes_path(store), compose_changes(changes));
}

bool mention_cache::write(const std::string& path, std::string_view bytes) const {
  posix_files disk;
  if (!disk.make_folders(folder_)) {
    return false;
  }
  // Not forced to the disk: what a crash, or a process that writes the same, leaves of it is
  // noticed as damage.
  const std::string made = fmt::format("{}.{:016x}", path, damage_check(bytes));
  if (disk.remove(made) && disk.append(made, bytes) && disk.move(made, path)) {
    return true;
  }
  static_cast<void>(disk.remove(made));
  return false;
}

} // namespace resilient::canon
