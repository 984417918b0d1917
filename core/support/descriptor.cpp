#include "core/support/descriptor.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>

namespace resilient {

namespace {

constexpr std::string_view temporary_prefix = ".write-";
constexpr std::string_view temporary_suffix = ".tmp";

std::string temporary_name() {
  static std::atomic<std::uint64_t> counter{0};
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random) {
    random = (static_cast<std::uint64_t>(::getpid()) << 32U) ^ ++counter;
  }
  return fmt::format("{}{:016x}{}", temporary_prefix, random, temporary_suffix);
}

/// A written and synchronized file under a temporary name; removed again unless it was moved away.
class temporary_file {
public:
  explicit temporary_file(int inside) : inside_(inside) {}
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() {
    if (!name_.empty()) {
      ::unlinkat(inside_, name_.c_str(), 0);
    }
  }

  result<void> write(std::string_view contents, mode_t when_new, const std::string& shown) {
    constexpr int attempts = 16;
    for (int attempt = 0; attempt < attempts && !opened_; ++attempt) {
      std::string candidate = temporary_name();
      opened_ =
          descriptor(::openat(inside_, candidate.c_str(),
                              O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, when_new));
      if (opened_) {
        name_ = std::move(candidate);
      } else if (errno != EEXIST) {
        return fail_errno(errno, "cannot create a file beside", shown);
      }
    }
    if (!opened_) {
      return fail(error_kind::no_create, "cannot find a free name beside {}", shown);
    }
    return write_all(opened_.get(), contents, shown);
  }

  [[nodiscard]] int number() const noexcept { return opened_.get(); }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  void forget() noexcept { name_.clear(); }

private:
  int inside_;
  descriptor opened_;
  std::string name_;
};

file_kind kind_of(mode_t mode) noexcept {
  if (S_ISREG(mode)) {
    return file_kind::regular;
  }
  if (S_ISDIR(mode)) {
    return file_kind::folder;
  }
  return S_ISLNK(mode) ? file_kind::link : file_kind::other;
}

result<void> take_over(int number, const struct stat& old, const std::string& shown) {
  struct stat now {};
  if (::fstat(number, &now) != 0) {
    return fail_errno(errno, "cannot examine", shown);
  }
  // Only root may give a file away. For everybody else the writer owns what it wrote.
  if ((now.st_uid != old.st_uid || now.st_gid != old.st_gid)
      && ::fchown(number, old.st_uid, old.st_gid) != 0 && errno != EPERM) {
    return fail_errno(errno, "cannot keep the owner of", shown);
  }
  if (::fchmod(number, old.st_mode & 07777U) != 0) {
    return fail_errno(errno, "cannot keep the permissions of", shown);
  }
  return {};
}

} // namespace

descriptor& descriptor::operator=(descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

descriptor::~descriptor() {
  if (number_ >= 0) {
    ::close(number_);
  }
}

file_status status_from(const struct stat& raw) noexcept {
  file_status status;
  status.kind = kind_of(raw.st_mode);
  status.size = static_cast<std::uint64_t>(raw.st_size);
  status.modified_ns = static_cast<std::int64_t>(raw.st_mtim.tv_sec) * 1'000'000'000
                       + static_cast<std::int64_t>(raw.st_mtim.tv_nsec);
  status.changed_ns = static_cast<std::int64_t>(raw.st_ctim.tv_sec) * 1'000'000'000
                      + static_cast<std::int64_t>(raw.st_ctim.tv_nsec);
  status.mode = raw.st_mode & 07777U;
  status.owner = raw.st_uid;
  status.device = static_cast<std::uint64_t>(raw.st_dev);
  status.inode = static_cast<std::uint64_t>(raw.st_ino);
  return status;
}

result<std::string> read_all(int from, std::size_t max_bytes, const std::string& shown) {
  struct stat raw {};
  std::string contents;
  const bool examined = ::fstat(from, &raw) == 0;
  if (examined && raw.st_size > 0) {
    contents.reserve(std::min(static_cast<std::size_t>(raw.st_size), max_bytes) + 1);
  }
  // A regular file gives less than was asked for only at its end. Files in /proc say that they are
  // empty, and then nothing is concluded.
  const bool ends_shortly = examined && S_ISREG(raw.st_mode) && raw.st_size > 0;
  std::array<char, 65536> block; // NOLINT(cppcoreguidelines-pro-type-member-init)
  while (true) {
    const ssize_t count = ::read(from, block.data(), block.size());
    if (count < 0) {
      if (errno == EINTR) {
        continue;
      }
      return fail_errno(errno, "cannot read", shown);
    }
    if (count == 0) {
      return contents;
    }
    if (contents.size() + static_cast<std::size_t>(count) > max_bytes) {
      return fail(error_kind::data, "{} is longer than {} bytes, which is too much to read.", shown,
                  max_bytes);
    }
    contents.append(block.data(), static_cast<std::size_t>(count));
    if (ends_shortly && static_cast<std::size_t>(count) < block.size()
        && contents.size() >= static_cast<std::size_t>(raw.st_size)) {
      return contents;
    }
  }
}

result<void> write_all(int to, std::string_view bytes, const std::string& shown) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(to, bytes.data(), bytes.size());
    if (count < 0) {
      if (errno == EINTR) {
        continue;
      }
      return fail_errno(errno, "cannot write", shown);
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

result<void> synchronize(int number, const std::string& shown) {
  while (::fsync(number) != 0) {
    if (errno == EINTR) {
      continue;
    }
    if (errno == EINVAL || errno == ENOTSUP || errno == ENOSYS || errno == EROFS) {
      return {};
    }
    return fail_errno(errno, "cannot force to the disk", shown);
  }
  return {};
}

result<std::string> write_beside(int inside, const std::string& name, std::string_view contents,
                                 const file_mode& mode, const std::string& shown) {
  temporary_file temporary(inside);
  if (auto written = temporary.write(contents, mode.exact.value_or(mode.when_new), shown);
      !written) {
    return tl::unexpected(written.error());
  }
  struct stat old {};
  if (::fstatat(inside, name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(old.st_mode)) {
    if (auto taken = take_over(temporary.number(), old, shown); !taken) {
      return tl::unexpected(taken.error());
    }
  }
  if (mode.exact && ::fchmod(temporary.number(), *mode.exact) != 0) {
    return fail_errno(errno, "cannot set the permissions of", shown);
  }
  if (auto synchronized = synchronize(temporary.number(), shown); !synchronized) {
    return tl::unexpected(synchronized.error());
  }
  std::string made = temporary.name();
  temporary.forget();
  return made;
}

result<void> replace_in(int inside, const std::string& name, std::string_view contents,
                        const file_mode& mode, const std::string& shown) {
  const auto made = write_beside(inside, name, contents, mode, shown);
  if (!made) {
    return tl::unexpected(made.error());
  }
  if (::renameat(inside, made->c_str(), inside, name.c_str()) != 0) {
    const int reason = errno;
    ::unlinkat(inside, made->c_str(), 0);
    return fail_errno(reason, "cannot replace", shown);
  }
  return synchronize(inside, shown);
}

result<bool> create_in(int inside, const std::string& name, std::string_view contents,
                       mode_t when_new, const std::string& shown) {
  temporary_file temporary(inside);
  if (auto written = temporary.write(contents, when_new, shown); !written) {
    return tl::unexpected(written.error());
  }
  if (auto synchronized = synchronize(temporary.number(), shown); !synchronized) {
    return tl::unexpected(synchronized.error());
  }
  if (::linkat(inside, temporary.name().c_str(), inside, name.c_str(), 0) != 0) {
    if (errno == EEXIST) {
      return false;
    }
    if (errno != EPERM && errno != ENOTSUP && errno != ENOSYS && errno != EMLINK) {
      return fail_errno(errno, "cannot create", shown);
    }
    // A file system without hard links: the kernel's no-replace rename does the same in one step.
    if (::renameat2(inside, temporary.name().c_str(), inside, name.c_str(), RENAME_NOREPLACE)
        != 0) {
      if (errno == EEXIST) {
        return false;
      }
      return fail_errno(errno, "cannot create", shown);
    }
    temporary.forget();
  }
  if (!temporary.name().empty()) {
    ::unlinkat(inside, temporary.name().c_str(), 0);
    temporary.forget();
  }
  if (auto synchronized = synchronize(inside, shown); !synchronized) {
    return tl::unexpected(synchronized.error());
  }
  return true;
}

result<void> visit_entries(int opened, const std::function<void(const shown_entry&)>& show,
                           const std::string& shown) {
  // Without a DIR of the C library: a store has many small folders, and each DIR costs 32 KiB.
  alignas(dirent64) std::array<char, 32768> block; // NOLINT(cppcoreguidelines-pro-type-member-init)
  while (true) {
    const ssize_t count = ::getdents64(opened, block.data(), block.size());
    if (count < 0) {
      return fail_errno(errno, "cannot list", shown);
    }
    if (count == 0) {
      return {};
    }
    for (ssize_t at = 0; at < count;) {
      const auto* found = reinterpret_cast<const dirent64*>(block.data() + at);
      at += found->d_reclen;
      shown_entry entry{static_cast<const char*>(found->d_name), file_kind::other, found->d_ino};
      if (entry.name == "." || entry.name == "..") {
        continue;
      }
      if (found->d_type == DT_UNKNOWN) {
        struct stat raw {};
        if (::fstatat(opened, static_cast<const char*>(found->d_name), &raw, AT_SYMLINK_NOFOLLOW)
            == 0) {
          entry.kind = kind_of(raw.st_mode);
        }
      } else {
        entry.kind = kind_of(DTTOIF(static_cast<mode_t>(found->d_type)));
      }
      show(entry);
    }
  }
}

result<std::vector<folder_entry>> list_entries(int opened, const std::string& shown) {
  std::vector<folder_entry> entries;
  const auto listed = visit_entries(
      opened,
      [&](const shown_entry& entry) {
        entries.push_back({std::string(entry.name), entry.kind});
      },
      shown);
  if (!listed) {
    return tl::unexpected(listed.error());
  }
  std::sort(
      entries.begin(), entries.end(),
      [](const folder_entry& left, const folder_entry& right) { return left.name < right.name; });
  return entries;
}

result<void> lock_exclusively(int number, const std::string& shown) {
  while (::flock(number, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) {
      continue;
    }
    if (errno == EWOULDBLOCK) {
      return fail(error_kind::busy, "{} is locked by another process.", shown);
    }
    return fail(error_kind::system,
                "{} cannot be locked ({}). Its file system must support flock; use another folder.",
                shown, std::generic_category().message(errno));
  }
  return {};
}

result<void> check_path(const std::string& path) {
  if (path.empty()) {
    return fail(error_kind::usage, "The path is empty.");
  }
  if (path.find('\0') != std::string::npos) {
    return fail(error_kind::usage, "The path {} holds a NUL byte.",
                path.substr(0, path.find('\0')));
  }
  return {};
}

bool is_temporary_name(std::string_view name) noexcept {
  return name.size() == temporary_prefix.size() + 16 + temporary_suffix.size()
         && name.substr(0, temporary_prefix.size()) == temporary_prefix
         && name.substr(name.size() - temporary_suffix.size()) == temporary_suffix;
}

} // namespace resilient
