#pragma once

#include <cstdint>
#include <string>

/// To and from `recorder`, the only writer of a run's files.
namespace resilient::message {

/// What Pi told, as the JSON text of `runtime.json`.
struct record_runtime {
  std::string json;
};

/// What the launcher knows, as the JSON text of `supervisor.json`.
struct record_supervisor {
  std::string json;
};

/// One line of the event log: a component, a stable event id, and a JSON object with the facts.
struct record_event {
  std::string component;
  std::string id;
  std::string facts;
};

/// Takes the lease of a session file and lets go of the one held before; answered by
/// `lease_answer`. The new lease is taken first, so that a refusal changes nothing.
struct claim_lease {
  std::string session_file;
};

/// Takes the lock of a session file that Pi may open next, beside the lease that is held; answered
/// by `lease_answer`. A claim of the same file keeps it, a claim of another one lets go of it.
struct reserve_lease {
  std::string session_file;
};

/// Writes into the lease's record which child works under it.
struct update_lease {
  int child_pid = 0;
  std::uint64_t child_start_time = 0;
};

/// Lets go of the lease: the run ends, or the goal of a sidecar is no longer active.
struct release_lease {};

/// Creates the session file when it is missing, or ends its last line when that is torn.
struct mend_session {
  std::string session_file;
};
struct mended {
  bool ok = true;
  std::string message;
  bool has_messages = false; ///< a prompt has reached this session
};

} // namespace resilient::message
