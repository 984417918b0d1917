#include "core/settings/settings_save.hpp"

#include "core/settings/json_edit.hpp"
#include "core/settings/settings_lock.hpp"

#include <utility>

namespace resilient::settings {

namespace {

result<saved> write_under_lock(files& disk, const std::string& path, std::string_view key,
                               std::string_view value, const settings_lock& lock) {
  const auto text = read_text(disk, path);
  if (!text) {
    return tl::unexpected(text.error());
  }
  const std::string before = text->value_or("");
  const auto after = set_string(before, key, value, path);
  if (!after) {
    return tl::unexpected(after.error());
  }
  if (*text && *after == before) {
    return saved{path, false};
  }
  // Replacing a file needs no right to write into it; a read-only file is respected all the same.
  if (*text) {
    if (auto writable = disk.check_writable(path); !writable) {
      return tl::unexpected(std::move(writable).error());
    }
  }
  if (!lock.still_held()) {
    return fail(error_kind::busy,
                "Another program took over the lock of {}. Nothing was changed; try again.", path);
  }
  return disk.replace(path, *after).map([&path] { return saved{path, true}; });
}

} // namespace

result<std::string> file_for(files& disk, const settings_place& place, std::string_view key,
                             const lock_tools& tools) {
  if (!place.project_trusted) {
    return place.user_file;
  }
  auto text = read_text(disk, place.project_file);
  if (may_be_half_written(text, place.project_file)) {
    const auto lock = settings_lock::take(disk, place.project_file, tools);
    if (!lock) {
      return tl::unexpected(lock.error());
    }
    text = read_text(disk, place.project_file);
  }
  if (!text) {
    return tl::unexpected(text.error());
  }
  return has_member(text->value_or(""), key, place.project_file).map([&place](bool defined) {
    return defined ? place.project_file : place.user_file;
  });
}

result<saved> save_string(files& disk, const settings_place& place, std::string_view key,
                          std::string_view value, const lock_tools& tools) {
  const auto path = file_for(disk, place, key, tools);
  if (!path) {
    return tl::unexpected(path.error());
  }
  // The lock stands beside the file, so its folder must be there first.
  if (auto made = disk.make_folders(parent_path(*path)); !made) {
    return tl::unexpected(std::move(made).error());
  }
  const auto lock = settings_lock::take(disk, *path, tools);
  if (!lock) {
    return tl::unexpected(lock.error());
  }
  return write_under_lock(disk, *path, key, value, *lock);
}

} // namespace resilient::settings
