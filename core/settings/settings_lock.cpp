#include "core/settings/settings_lock.hpp"

#include <utility>

namespace resilient::settings {

namespace {

bool is_stale(const file_status& lock, wall_time now) {
  const auto modified = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::nanoseconds{lock.modified_ns});
  return wall_time{modified} < now - settings_lock::stale_after;
}

tl::unexpected<error> busy(const std::string& lock) {
  return fail(error_kind::busy,
              "The settings are in use: another program holds {}. Nothing was changed; try again. "
              "If no Pi is running, remove that folder.",
              lock);
}

/// Removes a lock that nobody holds any more. False when it is held after all.
result<bool> remove_stale(files& disk, const std::string& lock, wall_time now) {
  const auto found = disk.link_status(lock);
  if (!found) {
    return tl::unexpected(found.error());
  }
  if (!found->has_value()) {
    return true;
  }
  if ((*found)->kind != file_kind::folder || !is_stale(**found, now)) {
    return false;
  }
  // Between the look above and the removal another program may have done the same and taken the
  // lock; a second look makes that window as small as it can be made with this kind of lock.
  const auto again = disk.link_status(lock);
  if (again && again->has_value() && **again != **found) {
    return false;
  }
  return disk.remove(lock).map([] { return true; });
}

} // namespace

result<settings_lock> settings_lock::try_take(files& disk, const std::string& path, wall_time now) {
  const std::string lock = path + ".lock";
  auto created = disk.create_folder(lock, 0777);
  if (created && !*created) {
    const auto removed = remove_stale(disk, lock, now);
    if (!removed) {
      return tl::unexpected(removed.error());
    }
    if (!*removed) {
      return busy(lock);
    }
    created = disk.create_folder(lock, 0777);
  }
  if (!created) {
    return tl::unexpected(std::move(created).error());
  }
  if (!*created) {
    return busy(lock);
  }
  const auto ours = disk.link_status(lock);
  if (!ours || !ours->has_value()) {
    return busy(lock);
  }
  return settings_lock{disk, lock, **ours};
}

result<settings_lock> settings_lock::take(files& disk, const std::string& path,
                                          const lock_tools& tools) {
  for (int attempt = 1;; ++attempt) {
    auto lock = try_take(disk, path, tools.now());
    if (lock || lock.error().kind != error_kind::busy || attempt == attempts) {
      return lock;
    }
    tools.sleep(pause);
  }
}

settings_lock::settings_lock(settings_lock&& other) noexcept
    : disk_{std::exchange(other.disk_, nullptr)}, path_{std::move(other.path_)},
      created_{other.created_} {}

settings_lock::~settings_lock() {
  if (disk_ != nullptr && still_held()) {
    static_cast<void>(disk_->remove(path_));
  }
}

bool settings_lock::still_held() const {
  const auto now = disk_->link_status(path_);
  // The time counts too: a file system may give the number of a removed folder to the next one.
  return now && now->has_value() && **now == created_;
}

} // namespace resilient::settings
