#include "core/canon/settings_file.hpp"

#include "core/canon/options.hpp"
#include "core/support/folder.hpp"

#include <chrono>
#include <optional>
#include <utility>

namespace resilient::canon {

namespace {

/// Nothing where folders cannot be locked, or whoever holds the lock was stopped: a person who
/// changes a setting should not wait for that.
std::optional<folder_lock> take_turn(const std::string& path) {
  constexpr std::chrono::seconds patience{2};
  const auto beside = folder::open(parent_path(path));
  if (!beside) {
    return std::nullopt;
  }
  auto turn = beside->lock(patience);
  return turn ? std::optional<folder_lock>(*std::move(turn)) : std::nullopt;
}

} // namespace

std::string settings_file_to_read(const files& disk, const settings_files& where) {
  const bool only_older = !where.own.empty() && !where.older.empty() && !disk.exists(where.own)
                          && disk.exists(where.older);
  return only_older ? where.older : where.own;
}

result<void> save_option(files& disk, const settings_files& where, const std::string& key,
                         const std::string& value) {
  if (where.own.empty()) {
    return fail(error_kind::config,
                "There is no home folder to keep settings in: set HOME or XDG_CONFIG_HOME.");
  }
  if (auto made = disk.make_folders(parent_path(where.own)); !made) {
    return made;
  }
  const auto turn = take_turn(where.own);
  const std::string from = settings_file_to_read(disk, where);
  const auto text =
      disk.exists(from) ? disk.read(from, longest_settings_file) : result<std::string>("");
  if (!text) {
    return tl::unexpected(text.error());
  }
  const auto changed = set_option(*text, key, value);
  if (!changed) {
    // Text that could be read before is made unreadable only by what was asked for.
    const bool was_fine = parse_options({}, *text, options_source::user_file).has_value();
    return fail(was_fine ? error_kind::usage : changed.error().kind, "{}", changed.error().message);
  }
  return disk.replace(where.own, *changed);
}

} // namespace resilient::canon
