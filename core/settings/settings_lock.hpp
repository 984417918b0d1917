#pragma once

#include "core/support/error.hpp"
#include "core/support/files.hpp"
#include "core/support/time.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace resilient::settings {

/// What waiting for a lock needs of the outside.
struct lock_tools {
  std::function<wall_time()> now;
  std::function<void(std::chrono::milliseconds)> sleep; ///< between two attempts
};

/// Pi's lock on a settings file: the folder `PATH.lock`, links in PATH not resolved. Who creates
/// the folder has the lock; a folder that was not touched for 10 s belongs to nobody any more. A
/// Pi that starts while the lock is held for longer than 200 ms goes without the file's settings,
/// so it is held for one write and nothing else.
class settings_lock {
public:
  /// An age from which the lock of somebody else counts as abandoned.
  static constexpr std::chrono::seconds stale_after{10};
  /// Attempts and the pause between them, as Pi makes them.
  static constexpr int attempts = 10;
  static constexpr std::chrono::milliseconds pause{20};

  /// One attempt, without waiting. `busy` when somebody holds the lock; any other failure will not
  /// go away by itself. `now` is compared with the time of the folder.
  [[nodiscard]] static result<settings_lock> try_take(files& disk, const std::string& path,
                                                      wall_time now);

  /// As many attempts as Pi makes, about 200 ms when somebody holds the lock all the time.
  [[nodiscard]] static result<settings_lock> take(files& disk, const std::string& path,
                                                  const lock_tools& tools);

  settings_lock(settings_lock&& other) noexcept;
  settings_lock& operator=(settings_lock&&) = delete;
  settings_lock(const settings_lock&) = delete;
  settings_lock& operator=(const settings_lock&) = delete;
  /// Gives the lock back, unless somebody took it over in the meantime.
  ~settings_lock();

  /// Whether the folder is still the one that we created.
  [[nodiscard]] bool still_held() const;

private:
  settings_lock(files& disk, std::string path, file_status created)
      : disk_{&disk}, path_{std::move(path)}, created_{created} {}

  files* disk_; ///< null after a move
  std::string path_;
  file_status created_;
};

} // namespace resilient::settings
