#include "core/support/folder_watch.hpp"

#ifdef __linux__
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#endif

namespace resilient {

#ifdef __linux__

namespace {

constexpr unsigned xfs_magic = 0x58465342;

/// Whether only this kernel writes the file system.
[[nodiscard]] bool is_local(int number) {
  struct statfs about {};
  if (::fstatfs(number, &about) != 0) {
    return false;
  }
  constexpr std::array<unsigned, 5> local = {EXT4_SUPER_MAGIC, xfs_magic, BTRFS_SUPER_MAGIC,
                                             F2FS_SUPER_MAGIC, TMPFS_MAGIC};
  return std::find(local.begin(), local.end(), static_cast<unsigned>(about.f_type)) != local.end();
}

} // namespace

std::optional<folder_watch> folder_watch::start(const folder& watched) {
  if (!is_local(watched.number())) {
    return std::nullopt;
  }
  descriptor events(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  const std::string path = fmt::format("/proc/self/fd/{}", watched.number());
  if (!events
      || ::inotify_add_watch(events.get(), path.c_str(),
                             IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR)
             < 0) {
    return std::nullopt;
  }
  return folder_watch(watched, std::move(events));
}

std::optional<file_status> folder_watch::finish(const std::string& own) {
  const int number = watched_.number();
  struct stat raw {};
  if (::fstat(number, &raw) != 0) {
    return std::nullopt;
  }
  constexpr long last_nanosecond = 999'999'999;
  std::array<timespec, 2> times{timespec{0, UTIME_OMIT}, raw.st_mtim};
  times[1].tv_nsec += times[1].tv_nsec == last_nanosecond ? -1 : 1;
  if (::futimens(number, times.data()) != 0 || ::fstat(number, &raw) != 0
      || raw.st_mtim.tv_sec != times[1].tv_sec || raw.st_mtim.tv_nsec != times[1].tv_nsec) {
    return std::nullopt; // a file system with coarser times
  }
  // Changes of names and of times wait for each other in the kernel, which tells of the former
  // before it lets the latter go on: what is not told by now came later, and moved the time again.
  return saw_only(own) ? std::optional<file_status>(status_from(raw)) : std::nullopt;
}

bool folder_watch::saw_only(const std::string& own) const {
  bool own_came = false;
  alignas(inotify_event) std::array<char, 16384> block; // NOLINT(*-pro-type-member-init)
  while (true) {
    const ssize_t count = ::read(events_.get(), block.data(), block.size());
    if (count < 0) {
      return errno == EAGAIN && own_came;
    }
    for (ssize_t at = 0; at < count;) {
      inotify_event event{};
      std::memcpy(&event, block.data() + at, sizeof event);
      const char* name = block.data() + at + sizeof event;
      at += static_cast<ssize_t>(sizeof event + event.len);
      if (event.len > 0 && is_temporary_name(name)) {
        continue;
      }
      if (event.len == 0 || name != own || (event.mask & (IN_CREATE | IN_MOVED_TO)) == 0
          || own_came) {
        return false;
      }
      own_came = true;
    }
  }
}

#else

// Without a watch nothing is vouched for, and the folder is listed.

std::optional<folder_watch> folder_watch::start(const folder& /*watched*/) {
  return std::nullopt;
}

std::optional<file_status> folder_watch::finish(const std::string& /*own*/) {
  return std::nullopt;
}

bool folder_watch::saw_only(const std::string& /*own*/) const {
  return false;
}

#endif

} // namespace resilient
