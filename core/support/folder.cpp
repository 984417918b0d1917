#include "core/support/folder.hpp"

#include "core/support/files.hpp"
#include "core/support/text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <thread>

#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

namespace resilient {

namespace {

constexpr int open_folder_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
// Without O_NONBLOCK a named pipe would hang the reader until somebody writes to it.
constexpr int open_file_flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;

/// The names between the slashes; empty and `.` ones are dropped.
std::vector<std::string> components(const std::string& name) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= name.size()) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
    begin = end + 1;
  }
  return parts;
}

result<void> check_name(const std::string& name, const std::string& inside) {
  if (auto checked = check_path(name); !checked) {
    return checked;
  }
  const auto parts = components(name);
  if (name.front() == '/' || std::find(parts.begin(), parts.end(), "..") != parts.end()) {
    return fail(error_kind::usage, "{} leads out of {}.", name, inside);
  }
  return {};
}

tl::unexpected<error> fail_open(int reason, const std::string& shown) {
  if (reason == EXDEV || reason == ELOOP) {
    return fail(error_kind::no_permission,
                "{} passes a link that leads out of the folder or in a circle. Replace the link by "
                "what it means.",
                shown);
  }
  return fail_errno(reason, "cannot open", shown);
}

/// One component after the other, no link followed. Errno is that of the component that failed.
descriptor open_walking(int root, const std::vector<std::string>& parts, int flags) {
  if (parts.empty()) {
    return descriptor(::openat(root, ".", flags));
  }
  descriptor current;
  for (std::size_t index = 0; index < parts.size(); ++index) {
    const int inside = current ? current.get() : root;
    const bool last = index + 1 == parts.size();
    descriptor next(::openat(inside, parts[index].c_str(),
                             (last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC) | O_NOFOLLOW));
    struct stat raw {};
    // With O_PATH a link is opened itself; it must not pass for what it points to.
    if (next && last && (flags & O_PATH) != 0 && ::fstat(next.get(), &raw) == 0
        && S_ISLNK(raw.st_mode)) {
      errno = ELOOP;
      return {};
    }
    if (!next) {
      // Linux says ENOTDIR, not ELOOP, of a link that was to be a folder.
      if (errno == ENOTDIR
          && ::fstatat(inside, parts[index].c_str(), &raw, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = S_ISLNK(raw.st_mode) ? ELOOP : ENOTDIR;
      }
      return {};
    }
    current = std::move(next);
  }
  return current;
}

/// Nothing when this kernel has no openat2.
std::optional<descriptor> open_by_kernel(int root, const std::string& name, int flags) {
#if defined(SYS_openat2) && __has_include(<linux/openat2.h>)
  open_how how{};
  how.flags = static_cast<std::uint64_t>(static_cast<unsigned>(flags));
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  constexpr int attempts = 64;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    descriptor opened(
        static_cast<int>(::syscall(SYS_openat2, root, name.c_str(), &how, sizeof how)));
    // EAGAIN: something was renamed meanwhile, so the kernel could not vouch for the answer.
    if (opened || errno != EAGAIN) {
      // Old sandboxes answer EPERM to a system call that they do not know.
      if (!opened && (errno == ENOSYS || errno == EPERM)) {
        return std::nullopt;
      }
      return opened;
    }
  }
  errno = EAGAIN;
  return descriptor();
#else
  return std::nullopt;
#endif
}

} // namespace

result<folder> folder::open(const std::string& path, resolution how) {
  if (auto checked = check_path(path); !checked) {
    return tl::unexpected(checked.error());
  }
  descriptor opened(::open(path.c_str(), open_folder_flags));
  if (!opened) {
    return fail_errno(errno, "cannot open the folder", path);
  }
  return folder(std::move(opened), path, how);
}

result<descriptor> folder::open_beneath(const std::string& name, int flags) const {
  if (auto checked = check_name(name, path_); !checked) {
    return tl::unexpected(checked.error());
  }
  if (how_ == resolution::by_kernel) {
    if (auto opened = open_by_kernel(opened_.get(), name, flags)) {
      if (!*opened) {
        return fail_open(errno, shown(name));
      }
      return std::move(*opened);
    }
  }
  descriptor opened = open_walking(opened_.get(), components(name), flags);
  if (!opened) {
    return fail_open(errno, shown(name));
  }
  return opened;
}

result<descriptor> folder::open_parent(const std::string& name) const {
  if (auto checked = check_name(name, path_); !checked) {
    return tl::unexpected(checked.error());
  }
  if (components(name).empty() || name.back() == '/') {
    return fail(error_kind::usage, "{} is not the name of a file.", shown(name));
  }
  return open_beneath(parent_path(name), open_folder_flags);
}

result<folder> folder::open_folder(const std::string& name) const {
  auto opened = open_beneath(name, open_folder_flags);
  if (!opened) {
    return tl::unexpected(opened.error());
  }
  return folder(std::move(*opened), shown(name), how_);
}

result<std::string> folder::read(const std::string& name, std::size_t max_bytes,
                                 file_status* status) const {
  const auto opened = open_beneath(name, open_file_flags);
  if (!opened) {
    return tl::unexpected(opened.error());
  }
  struct stat raw {};
  if (::fstat(opened->get(), &raw) != 0) {
    return fail_errno(errno, "cannot examine", shown(name));
  }
  if (!S_ISREG(raw.st_mode)) {
    return fail(error_kind::data, "{} is not a regular file.", shown(name));
  }
  if (status != nullptr) {
    *status = status_from(raw);
  }
  return read_all(opened->get(), max_bytes, shown(name));
}

result<std::optional<file_status>> folder::status(const std::string& name) const {
  const auto opened = open_beneath(name, O_PATH | O_CLOEXEC);
  struct stat raw {};
  if (!opened) {
    if (opened.error().kind == error_kind::no_input) {
      return std::optional<file_status>();
    }
    return tl::unexpected(opened.error());
  }
  if (::fstat(opened->get(), &raw) != 0) {
    return fail_errno(errno, "cannot examine", shown(name));
  }
  return std::optional<file_status>(status_from(raw));
}

result<std::vector<folder_entry>> folder::list(const std::string& name) const {
  const auto opened = open_beneath(name, open_folder_flags);
  if (!opened) {
    return tl::unexpected(opened.error());
  }
  return list_entries(opened->get(), shown(name));
}

result<void> folder::visit_names(const std::function<void(const shown_entry&)>& show) const {
  const auto opened = open_beneath(".", open_folder_flags);
  return opened ? visit_entries(opened->get(), show, path_) : tl::unexpected(opened.error());
}

void folder::walk(std::string_view suffix, const std::function<void(const walked_file&)>& show,
                  const std::function<void(const error&)>& unreadable) const {
  const auto visit = [&](int inside, const folder_entry& entry, const std::string& name) {
    file_status status;
    if (entry.kind == file_kind::link) {
      const auto target = this->status(name);
      if (!target) {
        unreadable(target.error());
        return;
      }
      if (!*target) {
        unreadable({error_kind::no_input, fmt::format("{} is a link to nothing", shown(name))});
        return;
      }
      status = **target;
    } else {
      struct stat raw {};
      if (::fstatat(inside, entry.name.c_str(), &raw, AT_SYMLINK_NOFOLLOW) != 0) {
        return; // it is gone
      }
      status = status_from(raw);
    }
    if (status.kind != file_kind::regular) {
      unreadable({error_kind::data, fmt::format("{} is no regular file", shown(name))});
      return;
    }
    show(walked_file(name, status, *this, inside, entry.name));
  };
  walk_from_top(suffix, visit, unreadable);
}

result<std::string> folder::walked_file::read(std::size_t max_bytes) const {
  const descriptor opened(::openat(inside_, entry_.c_str(), open_file_flags | O_NOFOLLOW));
  // A link needs the careful way.
  return opened ? read_all(opened.get(), max_bytes, walked_.shown(name))
                : walked_.read(name, max_bytes);
}

void folder::walk_heads(std::string_view suffix, std::size_t head_bytes,
                        const std::function<void(const walked_head&)>& show,
                        const std::function<void(const error&)>& unreadable) const {
  std::string buffer(head_bytes, '\0');
  const auto visit = [&](int inside, const folder_entry& entry, const std::string& name) {
    const descriptor opened(entry.kind == file_kind::regular
                                ? ::openat(inside, entry.name.c_str(), open_file_flags | O_NOFOLLOW)
                                : -1);
    const ssize_t count = opened ? ::read(opened.get(), buffer.data(), buffer.size()) : -1;
    if (count >= 0) {
      const auto length = static_cast<std::size_t>(count);
      show({name, std::string_view(buffer).substr(0, length), length < buffer.size()});
      return;
    }
    // A link, or something unusual: the careful way.
    if (const auto contents = read(name, std::numeric_limits<std::size_t>::max() / 2)) {
      show({name, *contents, true});
    } else if (contents.error().kind != error_kind::no_input
               && contents.error().kind != error_kind::data) {
      unreadable(contents.error());
    }
  };
  walk_from_top(suffix, visit, unreadable);
}

void folder::walk_from_top(std::string_view suffix, const walk_visitor& visit,
                           const std::function<void(const error&)>& unreadable) const {
  const descriptor top(::openat(opened_.get(), ".", open_folder_flags));
  if (!top) {
    unreadable(fail_errno(errno, "cannot open the folder", path_).value());
    return;
  }
  std::string name;
  walk_into(top.get(), name, suffix, visit, unreadable);
}

/// `inside` was opened just now; `name` is what its entries' names begin with, and is used as such.
void folder::walk_into(int inside, std::string& name, std::string_view suffix,
                       const walk_visitor& visit,
                       const std::function<void(const error&)>& unreadable) const {
  const std::size_t prefix = name.size();
  const auto entries = list_entries(inside, prefix == 0 ? path_ : shown(name));
  if (!entries) {
    unreadable(entries.error());
    return;
  }
  for (const folder_entry& entry : *entries) {
    name += entry.name;
    if (entry.kind == file_kind::folder) {
      const descriptor below(::openat(inside, entry.name.c_str(), open_folder_flags | O_NOFOLLOW));
      if (below) {
        name += "/";
        walk_into(below.get(), name, suffix, visit, unreadable);
      } else if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP) {
        unreadable(fail_errno(errno, "cannot open the folder", shown(name)).value());
      }
    } else if (ends_with(entry.name, suffix)) {
      visit(inside, entry, name);
    }
    name.resize(prefix);
  }
}

result<descriptor> folder::open_to_replace(const std::string& name) const {
  auto parent = open_parent(name);
  if (!parent) {
    return parent;
  }
  struct stat raw {};
  if (::fstatat(parent->get(), last_name(name).c_str(), &raw, AT_SYMLINK_NOFOLLOW) == 0
      && !S_ISREG(raw.st_mode)) {
    return fail(error_kind::no_permission,
                "{} is not a regular file, so it is not written to. Replace it by a plain file "
                "first.",
                shown(name));
  }
  return parent;
}

result<void> folder::replace(const std::string& name, std::string_view contents,
                             const file_mode& mode) const {
  const auto parent = open_to_replace(name);
  if (!parent) {
    return tl::unexpected(parent.error());
  }
  return replace_in(parent->get(), last_name(name), contents, mode, shown(name));
}

result<bool> folder::create(const std::string& name, std::string_view contents,
                            mode_t when_new) const {
  const auto parent = open_parent(name);
  if (!parent) {
    return tl::unexpected(parent.error());
  }
  return create_in(parent->get(), last_name(name), contents, when_new, shown(name));
}

result<void> folder::make_folders(const std::string& name, mode_t mode) const {
  if (auto checked = check_name(name, path_); !checked) {
    return checked;
  }
  std::string below;
  for (const std::string& part : components(name)) {
    const auto parent = open_beneath(below.empty() ? "." : below, open_folder_flags);
    if (!parent) {
      return tl::unexpected(parent.error());
    }
    below += below.empty() ? part : "/" + part;
    if (::mkdirat(parent->get(), part.c_str(), mode) == 0) {
      if (auto synchronized = synchronize(parent->get(), shown(below)); !synchronized) {
        return synchronized;
      }
    } else if (errno != EEXIST) {
      const int reason = errno;
      // An existing folder may lie in a place where this user may create nothing.
      const auto existing = status(below);
      if (!existing || !*existing || (*existing)->kind != file_kind::folder) {
        return fail_errno(reason, "cannot create the folder", shown(below));
      }
    }
  }
  const auto made = open_beneath(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (!made) {
    return tl::unexpected(made.error());
  }
  return {};
}

result<folder_lock> folder::lock(std::chrono::milliseconds patience) const {
  descriptor held(::openat(opened_.get(), ".", open_folder_flags));
  if (!held) {
    return fail_errno(errno, "cannot open the folder", path_);
  }
  // Waiting inside flock would wait for ever for a holder that was stopped.
  std::chrono::microseconds waited{0};
  std::chrono::microseconds pause{200};
  constexpr std::chrono::microseconds longest_pause{2000};
  while (true) {
    auto locked = lock_exclusively(held.get(), path_);
    if (locked) {
      return folder_lock(std::move(held));
    }
    if (locked.error().kind != error_kind::busy || waited >= patience) {
      return tl::unexpected(locked.error());
    }
    std::this_thread::sleep_for(pause);
    waited += pause;
    pause = std::min(pause * 2, longest_pause);
  }
}

} // namespace resilient
