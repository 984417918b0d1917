#include "launcher/canon/hook_state_file.hpp"

#include "core/canon/article.hpp"
#include "core/support/files.hpp"
#include "core/support/text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <thread>

namespace resilient::canon {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t longest_state = std::size_t{16} << 20U;
constexpr std::string_view state_extension = ".json";
constexpr std::string_view new_extension = ".new";

/// Whether the path still leads to the open file, and no other one was put in its place.
bool is_at(int opened, const std::string& path) {
  struct stat held {};
  struct stat there {};
  return ::fstat(opened, &held) == 0 && ::stat(path.c_str(), &there) == 0
         && held.st_dev == there.st_dev && held.st_ino == there.st_ino;
}

} // namespace

hook_state_file::hook_state_file(descriptor locked, std::string path, std::string bytes)
    : locked_(std::move(locked)), path_(std::move(path)), bytes_(std::move(bytes)),
      state_(parse_hook_state(bytes_)) {}

result<hook_state_file> hook_state_file::open(const std::string& folder, const std::string& name,
                                              std::chrono::milliseconds patience) {
  const std::string path = folder + "/" + name;
  constexpr int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  constexpr auto pause = 1ms;
  bool made_folder = false;
  for (auto waited = 0ms;;) {
    descriptor opened{::open(path.c_str(), flags, S_IRUSR | S_IWUSR)};
    if (!opened) {
      const int problem = errno;
      if (problem != ENOENT || made_folder) {
        return fail_errno(problem, "cannot open the hooks' state", path);
      }
      if (auto made = posix_files{}.make_folders(folder); !made) {
        return tl::unexpected{made.error()};
      }
      made_folder = true;
      continue;
    }
    auto locked = lock_exclusively(opened.get(), path);
    if (locked && is_at(opened.get(), path)) {
      auto bytes = read_all(opened.get(), longest_state, path);
      // What cannot be read begins anew.
      return hook_state_file{std::move(opened), path, std::move(bytes).value_or("")};
    }
    if (locked) {
      continue; // the one who held it has replaced it
    }
    if (locked.error().kind != error_kind::busy || waited >= patience) {
      return tl::unexpected{locked.error()};
    }
    std::this_thread::sleep_for(pause);
    waited += pause;
  }
}

result<void> hook_state_file::save(const hook_state& state) {
  if (bytes_.empty() && state == hook_state{}) {
    ::unlink(path_.c_str());
    return {};
  }
  const std::string bytes = compose_hook_state(state) + "\n";
  if (bytes == bytes_) {
    return {};
  }
  const std::string fresh = fmt::format("{}.{}{}", path_, ::getpid(), new_extension);
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;
  const descriptor opened{::open(fresh.c_str(), flags, S_IRUSR | S_IWUSR)};
  if (!opened) {
    return fail_errno(errno, "cannot write the hooks' state", fresh);
  }
  // Not forced to the disk: after a power cut the session begins a new context anyway.
  if (auto written = write_all(opened.get(), bytes, fresh); !written) {
    ::unlink(fresh.c_str());
    return written;
  }
  if (std::rename(fresh.c_str(), path_.c_str()) != 0) {
    const int problem = errno;
    ::unlink(fresh.c_str());
    return fail_errno(problem, "cannot replace the hooks' state", path_);
  }
  return {};
}

std::string hook_state_name(const std::string& host, const std::string& session,
                            const std::string& project) {
  std::string key = host;
  for (const std::string& part : {session, project}) {
    key += '\0';
    key += part;
  }
  return fmt::format("{}-{:016x}{:016x}{}", host, content_hash(key), content_hash("again" + key),
                     state_extension);
}

void drop_old_hook_states(const std::string& folder, wall_time now) {
  constexpr auto kept = 30 * 24h;
  posix_files disk;
  const auto names = disk.list(folder);
  if (!names) {
    return;
  }
  for (const folder_entry& entry : *names) {
    if (entry.kind != file_kind::regular
        || !(ends_with(entry.name, state_extension) || ends_with(entry.name, new_extension))) {
      continue;
    }
    const std::string path = folder + "/" + entry.name;
    const auto status = disk.link_status(path);
    const auto age =
        now.time_since_epoch()
        - std::chrono::nanoseconds{status && *status ? (*status)->modified_ns : INT64_MAX};
    if (age > kept) {
      static_cast<void>(disk.remove(path)); // the next session tries again
    }
  }
}

} // namespace resilient::canon
