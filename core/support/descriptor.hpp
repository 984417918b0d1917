#pragma once

#include "core/support/error.hpp"

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace resilient {

/// Owns one open file descriptor and closes it. Every descriptor of ours is close-on-exec.
class descriptor {
public:
  descriptor() = default;
  explicit descriptor(int number) noexcept : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept;
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor();

  [[nodiscard]] int get() const noexcept { return number_; }
  [[nodiscard]] explicit operator bool() const noexcept { return number_ >= 0; }

private:
  int number_ = -1;
};

enum class file_kind : std::uint8_t { regular, folder, link, other };

/// What the file system says about one name.
struct file_status {
  file_kind kind = file_kind::other;
  std::uint64_t size = 0;       ///< bytes
  std::int64_t modified_ns = 0; ///< nanoseconds since 1970, from the file system
  std::uint32_t mode = 0;       ///< permission bits, 07777
  std::uint32_t owner = 0;      ///< user id
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t changed_ns = 0; ///< when content or status last changed; no program can set it

  [[nodiscard]] bool operator==(const file_status&) const = default;
  /// Whether both describe one file (not: one content).
  [[nodiscard]] bool same_file(const file_status& other) const noexcept {
    return device == other.device && inode == other.inode;
  }
};

/// One name in a folder. Links are not followed.
struct folder_entry {
  std::string name;
  file_kind kind = file_kind::other;

  [[nodiscard]] bool operator==(const folder_entry&) const = default;
};

/// One name in a folder that is listed, valid only while it is shown.
struct shown_entry {
  std::string_view name;
  file_kind kind = file_kind::other;
  std::uint64_t inode = 0; ///< as the folder has it; some file systems say another one in a status
};

/// Permission bits of a file that is about to be written.
struct file_mode {
  /// For a file that does not exist yet; the process's umask applies.
  mode_t when_new = 0600;
  /// Set exactly, whatever the file had before. Without it an existing file keeps its bits.
  std::optional<mode_t> exact;
};

// -- building blocks of `files` and `folder`; `shown` is the path that error messages name --------

[[nodiscard]] file_status status_from(const struct stat& raw) noexcept;

/// The whole content; fails with `data` when it is longer than `max_bytes`.
[[nodiscard]] result<std::string> read_all(int from, std::size_t max_bytes,
                                           const std::string& shown);

/// Every byte, over interruptions and short writes.
[[nodiscard]] result<void> write_all(int to, std::string_view bytes, const std::string& shown);

/// Forces content to the disk; a file system that cannot is no failure.
[[nodiscard]] result<void> synchronize(int number, const std::string& shown);

/// Writes and forces to the disk what shall replace `name` in the open folder `inside`: a temporary
/// file beside it with the owner and the permissions of the old one. Its name is returned; it takes
/// its place by `renameat`, or is to be removed.
[[nodiscard]] result<std::string> write_beside(int inside, const std::string& name,
                                               std::string_view contents, const file_mode& mode,
                                               const std::string& shown);

/// Replaces `name` in the open folder `inside`, whole or not at all: temporary file beside it,
/// fsync, rename, fsync of the folder. `name` is a plain name; a link of that name is replaced.
[[nodiscard]] result<void> replace_in(int inside, const std::string& name,
                                      std::string_view contents, const file_mode& mode,
                                      const std::string& shown);

/// Creates `name` with its whole content at once. False when the name is taken.
[[nodiscard]] result<bool> create_in(int inside, const std::string& name, std::string_view contents,
                                     mode_t when_new, const std::string& shown);

/// Shows the names in the open folder in no promised order, without `.` and `..`. It must have been
/// opened just now: reading goes on where somebody else stopped.
[[nodiscard]] result<void> visit_entries(int opened,
                                         const std::function<void(const shown_entry&)>& show,
                                         const std::string& shown);

/// The names in the open folder, sorted by bytes, without `.` and `..`. It must have been opened
/// just now: reading goes on where somebody else stopped.
[[nodiscard]] result<std::vector<folder_entry>> list_entries(int opened, const std::string& shown);

/// Takes an exclusive lock without waiting: `busy` when somebody holds it, `system` where the file
/// system knows no such locks.
[[nodiscard]] result<void> lock_exclusively(int number, const std::string& shown);

/// Refuses what no system call can express: an empty path, or one with a NUL byte.
[[nodiscard]] result<void> check_path(const std::string& path);

/// Whether a temporary file of `replace_in` or `create_in` has this name. One that is left over was
/// abandoned by a writer that died.
[[nodiscard]] bool is_temporary_name(std::string_view name) noexcept;

} // namespace resilient
