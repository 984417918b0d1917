#pragma once

#include "core/support/descriptor.hpp"
#include "core/support/error.hpp"

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace resilient {

/// An exclusive lock on a file, held until it is destroyed or the process ends. The file is never
/// deleted; its content is a record for people and for the next holder.
class file_lock {
public:
  file_lock() = default;
  file_lock(const file_lock&) = delete;
  file_lock& operator=(const file_lock&) = delete;
  virtual ~file_lock() = default;

  /// The whole record; empty in a fresh file.
  [[nodiscard]] virtual result<std::string> read() const = 0;
  /// Writes the record in place. A reader without the lock may see a part of it.
  [[nodiscard]] virtual result<void> write(std::string_view record) = 0;
  /// Whether the locked file is still the one at its path. When it was removed or replaced, the
  /// lock keeps nobody out any more.
  [[nodiscard]] virtual bool in_place() const = 0;
};

/// New content of a file that is on the disk already and takes the file's place with one rename.
/// Destroyed without `commit`, it leaves the file as it was.
class prepared_replacement {
public:
  prepared_replacement() = default;
  prepared_replacement(const prepared_replacement&) = delete;
  prepared_replacement& operator=(const prepared_replacement&) = delete;
  virtual ~prepared_replacement() = default;

  /// The rename: quick, and never half done. Once only.
  [[nodiscard]] virtual result<void> commit() = 0;
  /// Forces the rename to the disk.
  [[nodiscard]] virtual result<void> settle() = 0;
};

/// The file system by absolute paths. Tests replace it.
class files {
public:
  files() = default;
  files(const files&) = delete;
  files& operator=(const files&) = delete;
  virtual ~files() = default;

  /// The content of a regular file; `no_input` when there is none, `data` when it is longer than
  /// `max_bytes` or not a regular file.
  [[nodiscard]] virtual result<std::string> read(const std::string& path,
                                                 std::size_t max_bytes) const = 0;

  /// At most `bytes` from the start of a regular file of any size.
  [[nodiscard]] virtual result<std::string> read_begin(const std::string& path,
                                                       std::size_t bytes) const = 0;
  /// At most `bytes` from its end.
  [[nodiscard]] virtual result<std::string> read_end(const std::string& path,
                                                     std::size_t bytes) const = 0;

  /// Replaces the file whole or not at all (temporary file, fsync, rename, fsync of the folder).
  /// A link stays a link: the file it points to is replaced. Without `mode` an existing file keeps
  /// its permissions and a new one gets 0600. The folder must exist.
  [[nodiscard]] virtual result<void> replace(const std::string& path, std::string_view contents,
                                             std::optional<mode_t> mode = std::nullopt) = 0;

  /// The slow part of `replace`, for a writer that holds a lock only during the quick one.
  [[nodiscard]] virtual result<std::unique_ptr<prepared_replacement>>
  prepare(const std::string& path, std::string_view contents) = 0;

  /// Adds bytes at the end, creating the file with 0600. Not forced to the disk.
  [[nodiscard]] virtual result<void> append(const std::string& path, std::string_view bytes) = 0;

  /// Creates the folder and those above it that are missing; existing ones stay as they are.
  [[nodiscard]] virtual result<void> make_folders(const std::string& path, mode_t mode = 0700) = 0;

  /// Creates this one folder; false when the name is taken, whatever by. The folder above must
  /// exist. No two callers get true for one name, so that it serves as a lock.
  [[nodiscard]] virtual result<bool> create_folder(const std::string& path, mode_t mode = 0700) = 0;

  /// Fails when this user may not write into the existing file; `no_input` when there is none.
  [[nodiscard]] virtual result<void> check_writable(const std::string& path) const = 0;

  /// What is at the path, links followed; nothing when nothing is there.
  [[nodiscard]] virtual result<std::optional<file_status>>
  status(const std::string& path) const = 0;

  /// What is at the path itself: a link is reported as a link.
  [[nodiscard]] virtual result<std::optional<file_status>>
  link_status(const std::string& path) const = 0;

  /// The names in a folder, sorted by bytes.
  [[nodiscard]] virtual result<std::vector<folder_entry>> list(const std::string& path) const = 0;

  /// Removes a file or an empty folder; a path at which nothing is counts as removed.
  [[nodiscard]] virtual result<void> remove(const std::string& path) = 0;

  /// Gives a file another name, replacing what was there.
  [[nodiscard]] virtual result<void> move(const std::string& from, const std::string& to) = 0;

  /// Takes an exclusive lock on a file, creating it with 0600, without waiting. `busy` when another
  /// process (or another lock of this one) holds it, `system` where locks are not supported.
  [[nodiscard]] virtual result<std::unique_ptr<file_lock>> lock(const std::string& path) = 0;

  // -- shorthands --------------------------------------------------------------------------------

  /// Whether anything is at the path, links followed. False also when that cannot be told.
  [[nodiscard]] bool exists(const std::string& path) const;
};

/// The real file system.
class posix_files final : public files {
public:
  [[nodiscard]] result<std::string> read(const std::string& path,
                                         std::size_t max_bytes) const override;
  [[nodiscard]] result<std::string> read_begin(const std::string& path,
                                               std::size_t bytes) const override;
  [[nodiscard]] result<std::string> read_end(const std::string& path,
                                             std::size_t bytes) const override;
  [[nodiscard]] result<void> replace(const std::string& path, std::string_view contents,
                                     std::optional<mode_t> mode = std::nullopt) override;
  [[nodiscard]] result<std::unique_ptr<prepared_replacement>>
  prepare(const std::string& path, std::string_view contents) override;
  [[nodiscard]] result<void> append(const std::string& path, std::string_view bytes) override;
  [[nodiscard]] result<void> make_folders(const std::string& path, mode_t mode = 0700) override;
  [[nodiscard]] result<bool> create_folder(const std::string& path, mode_t mode = 0700) override;
  [[nodiscard]] result<void> check_writable(const std::string& path) const override;
  [[nodiscard]] result<std::optional<file_status>> status(const std::string& path) const override;
  [[nodiscard]] result<std::optional<file_status>>
  link_status(const std::string& path) const override;
  [[nodiscard]] result<std::vector<folder_entry>> list(const std::string& path) const override;
  [[nodiscard]] result<void> remove(const std::string& path) override;
  [[nodiscard]] result<void> move(const std::string& from, const std::string& to) override;
  [[nodiscard]] result<std::unique_ptr<file_lock>> lock(const std::string& path) override;
};

/// The part before the last slash: "/" for "/name", "." for a plain name.
[[nodiscard]] std::string parent_path(const std::string& path);
/// The absolute path without links and dots of something that exists.
[[nodiscard]] result<std::string> real_path(const std::string& path);
/// The part after the last slash.
[[nodiscard]] std::string last_name(const std::string& path);

} // namespace resilient
