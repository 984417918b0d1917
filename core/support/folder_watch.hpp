#pragma once

#include "core/support/descriptor.hpp"
#include "core/support/folder.hpp"

#include <optional>
#include <string>

namespace resilient {

/// Vouches for a change of one's own: that nobody else changed the names of a folder between two
/// states of it. The folder's time alone cannot tell one change from two.
class folder_watch {
public:
  /// Begins to watch. Nothing where the kernel does not see every change itself (a file system that
  /// other machines write, too) or has no watch left.
  [[nodiscard]] static std::optional<folder_watch> start(const folder& watched);

  /// To be called after a file `own` was created. Moves the folder's time of modification on by a
  /// nanosecond, which no clock of a file system shows, so that any later change leaves another
  /// one. Its status then, if nothing but `own` came and nothing went since the start; else
  /// nothing. Temporary files of ours do not count.
  [[nodiscard]] std::optional<file_status> finish(const std::string& own);

private:
  folder_watch(const folder& watched, descriptor events)
      : watched_(watched), events_(std::move(events)) {}

  [[nodiscard]] bool saw_only(const std::string& own) const;

  const folder& watched_;
  descriptor events_;
};

} // namespace resilient
