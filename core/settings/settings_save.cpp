#include "core/settings/settings_save.hpp"

#include "core/settings/json_edit.hpp"
#include "core/settings/settings_lock.hpp"
#include "core/support/folder.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace resilient::settings {

namespace {

/// How often the file may change between our look at it and our turn to write.
constexpr int most_rounds = 8;

/// How long a writer of ours waits for the others of ours. Pi does not wait for them.
constexpr std::chrono::milliseconds patience{2000};

/// How long a writer of ours keeps its turn after a write. Pi holds its lock while it truncates the
/// file, which takes as long as the disk is busy with what was forced to it before; writers that
/// force one write after the other would make a Pi that starts meanwhile go without its settings.
constexpr std::chrono::milliseconds rest{20};

/// The text of the file; read under the lock when it may have been read in the middle of a write.
result<std::optional<std::string>> settled_text(files& disk, const std::string& path,
                                                const lock_tools& tools) {
  auto text = read_text(disk, path);
  if (!may_be_half_written(text, path)) {
    return text;
  }
  const auto lock = settings_lock::take(disk, path, tools);
  if (!lock) {
    return tl::unexpected(lock.error());
  }
  return read_text(disk, path);
}

/// Our own writers take turns, so that only Pi can come in between.
std::optional<folder_lock> take_turn(const std::string& path) {
  const auto beside = folder::open(parent_path(path));
  if (!beside) {
    return std::nullopt;
  }
  // Where folders cannot be locked, or one of ours was stopped, Pi's lock is enough for safety.
  auto turn = beside->lock(patience);
  if (!turn) {
    return std::nullopt;
  }
  return *std::move(turn);
}

/// The quick part under Pi's lock: only if the file still is what the edit was made from.
result<bool> commit_if_unchanged(files& disk, const std::string& path,
                                 const std::optional<std::string>& expected,
                                 prepared_replacement& prepared, const lock_tools& tools) {
  const auto lock = settings_lock::take(disk, path, tools);
  if (!lock) {
    return tl::unexpected(lock.error());
  }
  const auto now = read_text(disk, path);
  if (!now) {
    return tl::unexpected(now.error());
  }
  if (*now != expected || !lock->still_held()) {
    return false;
  }
  return prepared.commit().map([] { return true; });
}

/// One round: nothing when the file was changed by another program in the meantime.
result<std::optional<saved>> try_write(files& disk, const std::string& path, std::string_view key,
                                       std::string_view value, const lock_tools& tools) {
  const auto before = settled_text(disk, path, tools);
  if (!before) {
    return tl::unexpected(before.error());
  }
  const auto after = set_string(before->value_or(""), key, value, path);
  if (!after) {
    return tl::unexpected(after.error());
  }
  if (*before == *after) {
    return saved{path, false};
  }
  // Replacing a file needs no right to write into it; a read-only file is respected all the same.
  if (*before) {
    if (auto writable = disk.check_writable(path); !writable) {
      return tl::unexpected(std::move(writable).error());
    }
  }
  const auto prepared = disk.prepare(path, *after);
  if (!prepared) {
    return tl::unexpected(prepared.error());
  }
  const auto committed = commit_if_unchanged(disk, path, *before, **prepared, tools);
  if (!committed) {
    return tl::unexpected(committed.error());
  }
  if (!*committed) {
    return std::optional<saved>{};
  }
  // The new content is in place and whole; at worst a power failure brings the old one back.
  static_cast<void>((*prepared)->settle());
  return saved{path, true};
}

} // namespace

result<std::string> file_for(files& disk, const settings_place& place, std::string_view key,
                             const lock_tools& tools) {
  if (!place.project_trusted) {
    return place.user_file;
  }
  const auto text = settled_text(disk, place.project_file, tools);
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
  const auto turn = take_turn(*path);
  for (int round = 0; round < most_rounds; ++round) {
    auto done = try_write(disk, *path, key, value, tools);
    if (!done) {
      return tl::unexpected(std::move(done).error());
    }
    if (*done) {
      if (turn && (*done)->changed) {
        tools.sleep(rest);
      }
      return **std::move(done);
    }
  }
  return fail(error_kind::busy,
              "Another program keeps changing {}. Nothing was changed; try again.", *path);
}

} // namespace resilient::settings
