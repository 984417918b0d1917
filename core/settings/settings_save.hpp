#pragma once

#include "core/settings/settings_file.hpp"
#include "core/support/error.hpp"
#include "core/support/files.hpp"

#include <string>
#include <string_view>

namespace resilient::settings {

/// Where a string member was saved.
struct saved {
  std::string path;
  bool changed = false; ///< false: the file already said so and was not touched
};

/// Which file a key is saved to: a trusted project's when it already defines the key, whatever the
/// value, else the user's. Fails when the project's file cannot be understood, because then nobody
/// can tell.
[[nodiscard]] result<std::string> file_for(files& disk, const settings_place& place,
                                           std::string_view key, const lock_tools& tools);

/// Sets a top-level member to a string, on the newest content, whole or not at all. The new content
/// is written and forced to the disk first; Pi's lock is held only to see that the old one is still
/// the same and to rename, well below a millisecond, so that no Pi that starts in between has to go
/// without its settings. Links, permissions and every byte outside the value stay; a missing user
/// file is created.
///
/// Fails and changes nothing when the file is malformed or unreadable (`data`, `no_permission`),
/// may not be written (`no_permission`), or is in use for longer than Pi itself would wait
/// (`busy`). Takes about 25 ms, more when the disk is slow or others write at the same time:
/// writers of ours take turns, and leave the disk and Pi's lock alone for 20 ms in between.
[[nodiscard]] result<saved> save_string(files& disk, const settings_place& place,
                                        std::string_view key, std::string_view value,
                                        const lock_tools& tools);

} // namespace resilient::settings
