#pragma once

#include "core/support/error.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

/// Who works on a session. The lock on `<session file>.lease` decides; this record inside the file
/// is for people, and for finding a child that a dead launcher left behind.
namespace resilient::process {

struct process_identity {
  int pid = 0;
  std::uint64_t start_time = 0; ///< clock ticks after boot; tells a reused pid apart
  [[nodiscard]] bool operator==(const process_identity&) const = default;
};

struct lease_record {
  std::string host;
  std::string boot_id;
  std::string run_id;
  process_identity owner;
  process_identity child; ///< pid 0: none
  bool released = false;  ///< the owner ended in order
  std::string run_folder; ///< where the run keeps its state; empty: it has none (a sidecar)
  [[nodiscard]] bool operator==(const lease_record&) const = default;
};

[[nodiscard]] std::string format_lease(const lease_record& record);
/// Nothing for an empty file; an error for anything that is not a whole record.
[[nodiscard]] result<std::optional<lease_record>> parse_lease(const std::string& text);

/// What the record of an earlier holder means for us, who hold the lock now.
struct lease_finding {
  enum class kind {
    free,     ///< nothing to mind
    leftover, ///< `child` still runs and must be stopped first
    refused,  ///< `message` says why and what to do
  };
  kind what = kind::free;
  process_identity child;
  std::string message;
};

/// This machine, as far as the decision needs it.
struct lease_surroundings {
  std::string host;
  std::string boot_id;
  /// The start time of a live process, or nothing.
  std::function<std::optional<std::uint64_t>(int pid)> start_time;
};

/// Decides once the lock is held:
/// - an empty file, a record of an orderly end, another boot: free;
/// - same boot, the recorded child alive with the recorded start time: a leftover;
/// - a pid that was reused (another start time): free;
/// - another host's record without an orderly end: refused, since a lock need not reach across
///   hosts;
/// - a record that cannot be read: refused.
[[nodiscard]] lease_finding judge_lease(const std::string& path, const std::string& text,
                                        const lease_surroundings& here);

/// The sentence for a lock that somebody else holds, from what the record says.
[[nodiscard]] std::string describe_holder(const std::string& path, const std::string& text);

} // namespace resilient::process
