#pragma once

#include "core/process/pi_command_line.hpp"
#include "core/support/time.hpp"

#include <string>

/// Which session file a run works on, chosen before Pi starts, so that every restart finds it.
namespace resilient::process {

struct session_place {
  std::string working_folder; ///< absolute, with symlinks resolved as the system reports it
  std::string home;
  std::string agent_folder; ///< absolute
  /// Folder of the sessions when something other than `--session-dir` names one: Pi's environment
  /// variable or the user's settings. Empty: the default.
  std::string session_folder;
};

/// The session file to pin, absolute; empty when only Pi can tell which it will be (`--continue`,
/// `--resume`, an id, a fork). A fresh session gets the name that Pi itself would give, in the
/// folder where Pi's own `/resume` and `--continue` look.
///
/// `id` is a version 4 or 7 UUID.
[[nodiscard]] std::string pinned_session(const command_line& line, const session_place& place,
                                         wall_time now, const std::string& id);

/// `path` made absolute against `folder`, with a leading `~` expanded and `.` and `..` folded.
[[nodiscard]] std::string absolute_path(const std::string& path, const std::string& folder,
                                        const std::string& home);

/// A UUID of version 4 made of 32 random hex digits.
[[nodiscard]] std::string uuid_from(const std::string& hex);

} // namespace resilient::process
