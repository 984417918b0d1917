#pragma once

#include "core/process/exit_status.hpp"
#include "core/process/lease.hpp"
#include "core/process/supervision.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// To and from `child_process_manager`.
namespace resilient::message {

/// The I/O thread executed the child.
struct child_started {
  std::string generation;
  int pid = 0;
  std::uint64_t start_time = 0; ///< clock ticks after boot; tells a reused pid apart
};

/// The I/O thread could not execute it.
struct child_failed {
  std::string generation;
  std::string message;
  bool is_lasting = false; ///< trying again cannot help
};

/// The I/O thread reaped it.
struct child_ended {
  int pid = 0;
  process::exit_status status;
  /// The line of its stderr that says best why, for a person; empty where its stderr is ours.
  std::string last_words = {};
};

/// A process of ours was stopped (`stopped`) or goes on.
struct child_paused {
  int pid = 0;
  bool stopped = false;
};

/// A signal reached us.
struct signal_received {
  int signal_number = 0;
};

/// Enter was pressed at the waiting line.
struct enter_pressed {};

/// What `child_port::stop_leftovers` and `stop_process` found.
struct leftovers_stopped {
  std::vector<std::string> names; ///< "bash (4711)", for the log and the continuation's text
  bool beside_child = false;      ///< a child was spared
};

/// From the heartbeat monitor: the child of this generation is frozen.
struct child_frozen {
  std::string generation;
  std::string finding;
};

/// From the session: the extension of this generation said hello, or said it again.
struct child_hello {
  std::string generation;
  std::string pi_version;
  std::string session_file; ///< absolute; empty while Pi keeps the session in memory only
  std::string reason;       ///< as in the hello
};
/// Whether goals may work in that session.
struct hello_answer {
  std::string inert; ///< why they may not; empty when they may
};

/// From the session: Pi is about to open another session file.
struct switch_check {
  std::string target_file;
};

/// From the goal scheduler.
struct goal_status {
  bool active = false;
  std::optional<process::not_before> wait;
  /// What print mode must be given to go on after a restart; empty when there is nothing to do.
  std::string restart_prompt;
};

/// A person wants everything to end: the control socket or `/resilient-stop`.
struct stop_run {
  std::string who;
  int exit_code = 0;
};

/// A sleep inhibitor could not be taken or has ended.
struct inhibitor_ended {
  std::uint64_t number = 0;
  std::string why;
};

/// An alarm of `child_process_manager` rang.
struct child_alarm {
  std::uint64_t number = 0;
};

/// A request that an actor made may have become overdue.
struct check_requests {};

/// Answer to a claim of a session file.
struct lease_answer {
  bool granted = false;
  std::string message;                ///< when refused: who has it and what to do
  process::process_identity leftover; ///< a child that a dead launcher left running; pid 0: none
  std::string dead_run; ///< id of a run of this boot that did not end in order; empty: none
};

/// Whether a hello comes from the child that is alive now.
struct generation_check {
  std::string generation;
  std::string secret;
  int pid = 0;
};
struct generation_verdict {
  bool accepted = false;
  std::string code; ///< when not: `generation`, `secret`, `second_client`
  std::string message;
};

} // namespace resilient::message
