#include "core/support/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

namespace resilient {

namespace {

constexpr std::size_t longest_lock_record = 1 << 20;

class posix_file_lock final : public file_lock {
public:
  posix_file_lock(descriptor held, std::string path)
      : held_(std::move(held)), path_(std::move(path)) {}

  [[nodiscard]] result<std::string> read() const override {
    if (::lseek(held_.get(), 0, SEEK_SET) < 0) {
      return fail_errno(errno, "cannot read", path_);
    }
    return read_all(held_.get(), longest_lock_record, path_);
  }

  [[nodiscard]] result<void> write(std::string_view record) override {
    struct stat before {};
    if (::fstat(held_.get(), &before) != 0 || ::lseek(held_.get(), 0, SEEK_SET) < 0) {
      return fail_errno(errno, "cannot write", path_);
    }
    // Written over the old record and cut afterwards: a writer that is killed in between leaves a
    // whole record with blank lines behind it, never an empty file.
    std::string padded{record};
    padded.resize(std::max(padded.size(), static_cast<std::size_t>(before.st_size)), '\n');
    if (auto written = write_all(held_.get(), padded, path_); !written) {
      return written;
    }
    if (::ftruncate(held_.get(), static_cast<off_t>(record.size())) != 0) {
      return fail_errno(errno, "cannot write", path_);
    }
    // Not forced to the disk: the lock is gone after a restart of the machine, and what its record
    // told counts for nothing then.
    return {};
  }

  [[nodiscard]] bool in_place() const override {
    struct stat held {};
    struct stat named {};
    return ::fstat(held_.get(), &held) == 0 && ::stat(path_.c_str(), &named) == 0
           && held.st_dev == named.st_dev && held.st_ino == named.st_ino;
  }

private:
  descriptor held_;
  std::string path_;
};

struct opened_file {
  descriptor file;
  std::size_t size = 0;
};

result<opened_file> open_regular(const std::string& path) {
  if (auto checked = check_path(path); !checked) {
    return tl::unexpected(checked.error());
  }
  // Without O_NONBLOCK a named pipe would hang the reader until somebody writes to it.
  descriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat raw {};
  if (!opened || ::fstat(opened.get(), &raw) != 0) {
    return fail_errno(errno, "cannot open", path);
  }
  if (!S_ISREG(raw.st_mode)) {
    return fail(error_kind::data, "{} is not a regular file.", path);
  }
  return opened_file{std::move(opened), static_cast<std::size_t>(raw.st_size)};
}

result<std::string> read_range(const std::string& path, std::size_t bytes, bool from_end) {
  const auto opened = open_regular(path);
  if (!opened) {
    return tl::unexpected(opened.error());
  }
  std::string content(std::min(bytes, opened->size), '\0');
  const std::size_t begin = from_end ? opened->size - content.size() : 0;
  std::size_t filled = 0;
  while (filled < content.size()) {
    const ssize_t count = ::pread(opened->file.get(), content.data() + filled,
                                  content.size() - filled, static_cast<off_t>(begin + filled));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return fail_errno(errno, "cannot read", path);
    }
    if (count == 0) {
      break;
    }
    filled += static_cast<std::size_t>(count);
  }
  content.resize(filled);
  return content;
}

class posix_prepared_replacement final : public prepared_replacement {
public:
  posix_prepared_replacement(descriptor inside, std::string temporary, std::string target)
      : inside_(std::move(inside)), temporary_(std::move(temporary)), target_(std::move(target)) {}
  ~posix_prepared_replacement() override {
    if (!temporary_.empty()) {
      ::unlinkat(inside_.get(), temporary_.c_str(), 0);
    }
  }

  [[nodiscard]] result<void> commit() override {
    if (::renameat(inside_.get(), temporary_.c_str(), inside_.get(), last_name(target_).c_str())
        != 0) {
      return fail_errno(errno, "cannot replace", target_);
    }
    temporary_.clear();
    return {};
  }

  [[nodiscard]] result<void> settle() override { return synchronize(inside_.get(), target_); }

private:
  descriptor inside_;
  std::string temporary_; ///< empty once it has taken its place
  std::string target_;
};

/// Follows the links of the last name, also a dangling one, so that a replacement goes to the file
/// that the link means.
result<std::string> real_target(std::string path) {
  constexpr int most_links = 40;
  for (int followed = 0; followed < most_links; ++followed) {
    std::string target(4096, '\0');
    const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
    if (length < 0) {
      if (errno == EINVAL || errno == ENOENT) {
        return path;
      }
      return fail_errno(errno, "cannot examine", path);
    }
    target.resize(static_cast<std::size_t>(length));
    path = target.front() == '/' ? target : fmt::format("{}/{}", parent_path(path), target);
  }
  return fail(error_kind::data, "{} is a link that leads in a circle. Remove it.", path);
}

result<std::optional<file_status>> examine(const std::string& path, int flags) {
  if (auto checked = check_path(path); !checked) {
    return tl::unexpected(checked.error());
  }
  struct stat raw {};
  if (::fstatat(AT_FDCWD, path.c_str(), &raw, flags) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) {
      return std::optional<file_status>();
    }
    return fail_errno(errno, "cannot examine", path);
  }
  return std::optional<file_status>(status_from(raw));
}

} // namespace

std::string parent_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) {
    return ".";
  }
  return slash == 0 ? "/" : path.substr(0, slash);
}

result<std::string> real_path(const std::string& path) {
  if (auto checked = check_path(path); !checked) {
    return tl::unexpected(checked.error());
  }
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  if (!real) {
    return fail_errno(errno, "cannot find", path);
  }
  return std::string(real.get());
}

std::string last_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

bool files::exists(const std::string& path) const {
  const auto found = status(path);
  return found && found->has_value();
}

result<std::string> posix_files::read(const std::string& path, std::size_t max_bytes) const {
  const auto opened = open_regular(path);
  return opened ? read_all(opened->file.get(), max_bytes, path)
                : result<std::string>{tl::unexpect, opened.error()};
}

result<std::string> posix_files::read_begin(const std::string& path, std::size_t bytes) const {
  return read_range(path, bytes, false);
}

result<std::string> posix_files::read_end(const std::string& path, std::size_t bytes) const {
  return read_range(path, bytes, true);
}

result<void> posix_files::replace(const std::string& path, std::string_view contents,
                                  std::optional<mode_t> mode) {
  if (auto checked = check_path(path); !checked) {
    return checked;
  }
  const auto target = real_target(path);
  if (!target) {
    return tl::unexpected(target.error());
  }
  const std::string parent = parent_path(*target);
  const descriptor inside(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!inside) {
    return fail_errno(errno, "cannot open the folder", parent);
  }
  return replace_in(inside.get(), last_name(*target), contents, {0600, mode}, *target);
}

result<std::unique_ptr<prepared_replacement>> posix_files::prepare(const std::string& path,
                                                                   std::string_view contents) {
  if (auto checked = check_path(path); !checked) {
    return tl::unexpected(checked.error());
  }
  const auto target = real_target(path);
  if (!target) {
    return tl::unexpected(target.error());
  }
  const std::string parent = parent_path(*target);
  descriptor inside(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!inside) {
    return fail_errno(errno, "cannot open the folder", parent);
  }
  auto made =
      write_beside(inside.get(), last_name(*target), contents, {0600, std::nullopt}, *target);
  if (!made) {
    return tl::unexpected(std::move(made).error());
  }
  return std::make_unique<posix_prepared_replacement>(std::move(inside), *std::move(made), *target);
}

result<void> posix_files::append(const std::string& path, std::string_view bytes) {
  if (auto checked = check_path(path); !checked) {
    return checked;
  }
  const descriptor opened(
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
  if (!opened) {
    return fail_errno(errno, "cannot open", path);
  }
  return write_all(opened.get(), bytes, path);
}

result<void> posix_files::make_folders(const std::string& path, mode_t mode) {
  if (auto checked = check_path(path); !checked) {
    return checked;
  }
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), mode) != 0 && errno != EEXIST && errno != EISDIR) {
      const int reason = errno;
      struct stat raw {};
      // A folder above may exist in a place where this user may create nothing.
      if (::stat(part.c_str(), &raw) != 0 || !S_ISDIR(raw.st_mode)) {
        return fail_errno(reason, "cannot create the folder", part);
      }
    }
    if (end == std::string::npos) {
      break;
    }
  }
  struct stat raw {};
  if (::stat(path.c_str(), &raw) != 0) {
    return fail_errno(errno, "cannot examine", path);
  }
  if (!S_ISDIR(raw.st_mode)) {
    return fail(error_kind::no_create, "cannot create the folder {}: a file is in its place.",
                path);
  }
  return {};
}

result<bool> posix_files::create_folder(const std::string& path, mode_t mode) {
  if (auto checked = check_path(path); !checked) {
    return tl::unexpected(checked.error());
  }
  if (::mkdir(path.c_str(), mode) == 0) {
    return true;
  }
  if (errno == EEXIST) {
    return false;
  }
  return fail_errno(errno, "cannot create the folder", path);
}

result<void> posix_files::check_writable(const std::string& path) const {
  if (auto checked = check_path(path); !checked) {
    return checked;
  }
  // Opening asks the kernel for everything at once: permissions, lists, read-only mounts.
  const descriptor opened(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
  if (!opened) {
    return fail_errno(errno, "cannot write", path);
  }
  return {};
}

result<std::optional<file_status>> posix_files::status(const std::string& path) const {
  return examine(path, 0);
}

result<std::optional<file_status>> posix_files::link_status(const std::string& path) const {
  return examine(path, AT_SYMLINK_NOFOLLOW);
}

result<std::vector<folder_entry>> posix_files::list(const std::string& path) const {
  if (auto checked = check_path(path); !checked) {
    return tl::unexpected(checked.error());
  }
  const descriptor opened(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) {
    return fail_errno(errno, "cannot open the folder", path);
  }
  return list_entries(opened.get(), path);
}

result<void> posix_files::remove(const std::string& path) {
  if (auto checked = check_path(path); !checked) {
    return checked;
  }
  if (::unlink(path.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) {
    return {};
  }
  const int reason = errno;
  if ((reason == EISDIR || reason == EPERM) && ::rmdir(path.c_str()) == 0) {
    return {};
  }
  return fail_errno(reason == EISDIR ? errno : reason, "cannot remove", path);
}

result<void> posix_files::move(const std::string& from, const std::string& to) {
  for (const std::string& path : {from, to}) {
    if (auto checked = check_path(path); !checked) {
      return checked;
    }
  }
  if (::rename(from.c_str(), to.c_str()) != 0) {
    return fail_errno(errno, "cannot rename " + from + " to", to);
  }
  return {};
}

result<std::unique_ptr<file_lock>> posix_files::lock(const std::string& path) {
  if (auto checked = check_path(path); !checked) {
    return tl::unexpected(checked.error());
  }
  constexpr int attempts = 8;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    descriptor opened(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
    if (!opened) {
      return fail_errno(errno, "cannot open the lock file", path);
    }
    if (auto locked = lock_exclusively(opened.get(), path); !locked) {
      return tl::unexpected(locked.error());
    }
    auto lock = std::make_unique<posix_file_lock>(std::move(opened), path);
    // Somebody may have removed or replaced the file in the meantime.
    if (lock->in_place()) {
      return std::unique_ptr<file_lock>{std::move(lock)};
    }
  }
  return fail(error_kind::system, "The lock file {} keeps being replaced by another program.",
              path);
}

} // namespace resilient
