#pragma once

#include "core/support/descriptor.hpp"
#include "core/support/error.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace resilient {

/// An exclusive lock on a folder itself, without a file of its own. The kernel releases it when it
/// is destroyed or the process ends.
class folder_lock {
public:
  explicit folder_lock(descriptor held) : held_(std::move(held)) {}

private:
  descriptor held_;
};

/// A folder that is held open. Every name below is relative to it, and none leads out of it: not by
/// `..`, not by an absolute path, not by a link. Reading follows links that stay inside; a link is
/// never written through.
///
/// The folder is the one that was opened, also after another one took its path.
class folder {
public:
  /// How names are kept inside. `by_kernel` is openat2; a kernel without it gets `by_walking`,
  /// which opens one component after the other and follows no link at all.
  enum class resolution : std::uint8_t { by_kernel, by_walking };

  /// Opens an existing folder by an absolute path, links followed.
  [[nodiscard]] static result<folder> open(const std::string& path,
                                           resolution how = resolution::by_kernel);

  /// The path by which it was opened, for messages.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Its descriptor, for what is not offered here. It stays the folder's own.
  [[nodiscard]] int number() const noexcept { return opened_.get(); }

  /// Opens a folder below, which then is a limit of its own.
  [[nodiscard]] result<folder> open_folder(const std::string& name) const;

  /// The content of a regular file; `no_input` when nothing is there, `data` when it is longer than
  /// `max_bytes` or no regular file. `status`, if wanted, is that of the very file that was read.
  [[nodiscard]] result<std::string> read(const std::string& name, std::size_t max_bytes,
                                         file_status* status = nullptr) const;

  /// What is there; nothing when nothing is. A link that leads out is a failure.
  [[nodiscard]] result<std::optional<file_status>> status(const std::string& name) const;

  /// The names in a folder below (or in this one), sorted by bytes.
  [[nodiscard]] result<std::vector<folder_entry>> list(const std::string& name = ".") const;

  /// Shows the names in this folder in no promised order, at a fraction of the cost of `list`.
  [[nodiscard]] result<void> visit_names(const std::function<void(const shown_entry&)>& show) const;

  /// One regular file below, as `walk` shows it.
  class walked_file {
  public:
    const std::string& name; ///< relative to the folder that was walked
    const file_status& status;
    /// Reads the file, as `folder::read` does.
    [[nodiscard]] result<std::string> read(std::size_t max_bytes) const;

  private:
    friend folder;
    walked_file(const std::string& name_below, const file_status& as_of, const folder& walked,
                int inside, const std::string& entry)
        : name(name_below), status(as_of), walked_(walked), inside_(inside), entry_(entry) {}

    const folder& walked_;
    int inside_;
    const std::string& entry_;
  };
  /// Shows every regular file below whose name ends in `suffix`, in no promised order, links to
  /// regular files inside included, linked folders not. A name that vanishes meanwhile is skipped.
  /// Folders that cannot be read are told to `unreadable`, and so are names with that suffix that
  /// lead out, lead nowhere or are no regular file.
  void walk(std::string_view suffix, const std::function<void(const walked_file&)>& show,
            const std::function<void(const error&)>& unreadable) const;

  /// The beginning of one regular file below.
  struct walked_head {
    const std::string& name;
    std::string_view head; ///< valid only during the call
    bool is_whole = false; ///< the file has no more than this
  };
  /// The same with the first bytes of each file and without its status: for whoever needs only
  /// those, at half the cost.
  void walk_heads(std::string_view suffix, std::size_t head_bytes,
                  const std::function<void(const walked_head&)>& show,
                  const std::function<void(const error&)>& unreadable) const;

  /// Replaces a file whole or not at all; the folder above it must exist.
  [[nodiscard]] result<void> replace(const std::string& name, std::string_view contents,
                                     const file_mode& mode = {0666, std::nullopt}) const;

  /// Creates a file with its whole content at once. False when the name is taken.
  [[nodiscard]] result<bool> create(const std::string& name, std::string_view contents,
                                    mode_t when_new = 0666) const;

  /// Creates a folder below and those between; existing ones stay as they are.
  [[nodiscard]] result<void> make_folders(const std::string& name, mode_t mode = 0777) const;

  /// Waits up to `patience` for the exclusive lock on this folder; then `busy`.
  [[nodiscard]] result<folder_lock> lock(std::chrono::milliseconds patience) const;

private:
  folder(descriptor opened, std::string path, resolution how)
      : opened_(std::move(opened)), path_(std::move(path)), how_(how) {}

  [[nodiscard]] result<descriptor> open_beneath(const std::string& name, int flags) const;
  [[nodiscard]] result<descriptor> open_parent(const std::string& name) const;
  [[nodiscard]] result<descriptor> open_to_replace(const std::string& name) const;
  [[nodiscard]] std::string shown(const std::string& name) const { return path_ + "/" + name; }
  using walk_visitor =
      std::function<void(int inside, const folder_entry& entry, const std::string& name)>;
  void walk_into(int inside, std::string& name, std::string_view suffix, const walk_visitor& visit,
                 const std::function<void(const error&)>& unreadable) const;
  void walk_from_top(std::string_view suffix, const walk_visitor& visit,
                     const std::function<void(const error&)>& unreadable) const;

  descriptor opened_;
  std::string path_;
  resolution how_;
};

} // namespace resilient
