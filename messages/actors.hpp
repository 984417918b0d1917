#pragma once

#include "messages/bridge.hpp"
#include "messages/caf_compat.hpp"
#include "messages/canary.hpp"
#include "messages/canon.hpp"
#include "messages/goal.hpp"
#include "messages/heartbeat.hpp"
#include "messages/process.hpp"
#include "messages/recorder.hpp"
#include "messages/session.hpp"
#include "messages/settings.hpp"
#include "messages/status.hpp"
#include "messages/type_ids.hpp"

/// Every actor's interface. A line is one message and says in a sentence what it does.
namespace resilient {

/// Writes the run's files, holds the lease, mends session files. Runs detached: it blocks on disks.
using recorder_actor = cafx::typed_actor<
    // Replaces runtime.json when it changed.
    caf::result<void>(message::record_runtime),
    // Replaces supervisor.json when it changed.
    caf::result<void>(message::record_supervisor),
    // Adds a line to the event log.
    caf::result<void>(message::record_event),
    // Takes the lease of a session file, or says who has it.
    caf::result<message::lease_answer>(message::claim_lease),
    // Takes the lock of a session that Pi may open next.
    caf::result<message::lease_answer>(message::reserve_lease),
    // Notes the child in the lease's record.
    caf::result<void>(message::update_lease),
    // Lets go of the lease.
    caf::result<void>(message::release_lease),
    // Creates the session file or ends its torn last line.
    caf::result<message::mended>(message::mend_session),
    // Learns who the others are.
    caf::result<void>(message::introduce),
    // Describes itself.
    caf::result<message::status_part>(message::describe),
    // Ends the actor.
    caf::result<void>(message::stop_actor)>;

/// Judges the child by its beats.
using heartbeat_monitor_actor = cafx::typed_actor<
    // A child was started.
    caf::result<void>(message::watch_child),
    // It beat.
    caf::result<void>(message::beat),
    // It ended.
    caf::result<void>(message::unwatch_child),
    // It was stopped together with us and goes on.
    caf::result<void>(message::child_resumed),
    // Judges now.
    caf::result<void>(message::check_liveness),
    // Learns who the others are.
    caf::result<void>(message::introduce),
    // Describes itself.
    caf::result<message::status_part>(message::describe),
    // Ends the actor.
    caf::result<void>(message::stop_actor)>;

/// Starts, stops and restarts the child.
using child_process_manager_actor = cafx::typed_actor<
    // Begins the run.
    caf::result<void>(message::start_run),
    // The child was executed.
    caf::result<void>(message::child_started),
    // It could not be.
    caf::result<void>(message::child_failed),
    // It was reaped.
    caf::result<void>(message::child_ended),
    // It was stopped, or goes on.
    caf::result<void>(message::child_paused),
    // A signal reached us.
    caf::result<void>(message::signal_received),
    // The person does not want to wait.
    caf::result<void>(message::enter_pressed),
    // What a dead generation left running is gone.
    caf::result<void>(message::leftovers_stopped),
    // The heartbeat monitor calls the child frozen.
    caf::result<void>(message::child_frozen),
    // May this hello speak for the child?
    caf::result<message::generation_verdict>(message::generation_check),
    // The extension said hello: may goals work in its session?
    caf::result<message::hello_answer>(message::child_hello),
    // May Pi open that session?
    caf::result<message::hello_answer>(message::switch_check),
    // The goal's state, as far as restarts depend on it.
    caf::result<void>(message::goal_status),
    // A person wants everything to end.
    caf::result<void>(message::stop_run),
    // An alarm rang.
    caf::result<void>(message::child_alarm),
    // The machine is not kept awake any more.
    caf::result<void>(message::inhibitor_ended),
    // Something asked may be overdue.
    caf::result<void>(message::check_requests),
    // Learns who the others are.
    caf::result<void>(message::introduce),
    // Describes itself.
    caf::result<message::status_part>(message::describe),
    // Ends the actor.
    caf::result<void>(message::stop_actor)>;

/// Decides whether and when the agent is continued.
using goal_scheduler_actor = cafx::typed_actor<
    // Something happened; the reply says what to do about it now.
    caf::result<message::goal_outcome>(message::goal_event),
    // Something happened elsewhere; what to do about it is sent to the session.
    caf::result<void>(message::goal_nudge),
    // An alarm rang.
    caf::result<void>(message::goal_alarm),
    // Something asked may be overdue.
    caf::result<void>(message::check_requests),
    // Learns who the others are.
    caf::result<void>(message::introduce),
    // Describes itself.
    caf::result<message::status_part>(message::describe),
    // Ends the actor.
    caf::result<void>(message::stop_actor)>;

/// Checks messages for the keyword and repairs the drift when one is missed.
using canary_recovery_actor = cafx::typed_actor<
    // Something happened; the reply says what to do about it now.
    caf::result<message::canary_outcome>(message::canary_event),
    // Something asked may be overdue.
    caf::result<void>(message::check_requests),
    // Learns who the others are.
    caf::result<void>(message::introduce),
    // Describes itself.
    caf::result<message::status_part>(message::describe),
    // Ends the actor.
    caf::result<void>(message::stop_actor)>;

/// Reads and saves Pi's settings. Runs detached: it blocks on disks.
using settings_actor = cafx::typed_actor<
    // Where the settings are, as the hello said.
    caf::result<void>(message::settings_place),
    // The values in force.
    caf::result<message::settings_values>(message::read_settings),
    // The canary keyword in force.
    caf::result<message::keyword_values>(message::read_keyword),
    // Saves it to the file where Pi finds it.
    caf::result<message::keyword_saved>(message::save_keyword),
    // Learns who the others are.
    caf::result<void>(message::introduce),
    // Describes itself.
    caf::result<message::status_part>(message::describe),
    // Ends the actor.
    caf::result<void>(message::stop_actor)>;

/// Serves the project memory. Runs detached: it blocks on disks.
using canon_surfacing_actor = cafx::typed_actor<
    // Which project the connected Pi works in.
    caf::result<message::canon_wishes>(message::canon_place),
    // A run begins.
    caf::result<void>(message::canon_run),
    // Another tool is called.
    caf::result<void>(message::canon_touch),
    // That call has ended.
    caf::result<void>(message::canon_tool_end),
    // A person wrote to the agent.
    caf::result<void>(message::canon_heard),
    // What the next request does not hold any more.
    caf::result<void>(message::canon_gone),
    // What is to be told to the model now.
    caf::result<message::canon_message>(message::canon_question),
    // It did not reach the model.
    caf::result<void>(message::canon_undelivered),
    // What the retriever answered.
    caf::result<void>(message::canon_ranked),
    // Carries out a call of the tool.
    caf::result<message::canon_answer>(message::canon_call),
    // What the model is told about the tool.
    caf::result<message::canon_words>(message::canon_wording),
    // Shows or saves the options.
    caf::result<message::canon_settings_answer>(message::canon_settings),
    // What the store holds and what is in force, for a person.
    caf::result<message::canon_answer>(message::canon_status),
    // Something asked may be overdue.
    caf::result<void>(message::check_requests),
    // Learns who the others are.
    caf::result<void>(message::introduce),
    // Describes itself.
    caf::result<message::status_part>(message::describe),
    // Ends the actor.
    caf::result<void>(message::stop_actor)>;

/// Speaks with the connected extension: turns its frames into typed messages, gathers what the
/// domains propose, and gives the one answer.
using session_actor = cafx::typed_actor<
    // An extension connected.
    caf::result<void>(message::connection_opened),
    // It sent a line.
    caf::result<void>(message::line_received),
    // It is gone.
    caf::result<void>(message::connection_closed),
    // The child ended: its connection speaks for nobody any more.
    caf::result<void>(message::generation_ended),
    // What the dead child had left running.
    caf::result<void>(message::leftovers_known),
    // The goal scheduler wants something done in Pi.
    caf::result<void>(message::goal_outcome),
    // The canary recovery wants something done in Pi.
    caf::result<void>(message::canary_outcome),
    // Canon wants other things reported of Pi.
    caf::result<void>(message::canon_wishes),
    // An aborted run was not the beginning of Pi's end.
    caf::result<void>(message::abort_confirmed),
    // Shows one notice in Pi.
    caf::result<void>(message::show_notice),
    // Something asked may be overdue.
    caf::result<void>(message::check_requests),
    // Learns who the others are.
    caf::result<void>(message::introduce),
    // Describes itself.
    caf::result<message::status_part>(message::describe),
    // Ends the actor.
    caf::result<void>(message::stop_actor)>;

/// Starts the others in order, watches them, stops them in reverse order, and ends the run when one
/// of them fails too often.
using supervisor_actor = cafx::typed_actor<
    // Learns who the others are.
    caf::result<void>(message::introduce),
    // Begins the run.
    caf::result<void>(message::start_run),
    // A handler of an actor threw; the actor rebuilt itself.
    caf::result<void>(message::actor_failed),
    // Answers `status` and `stop` of the control socket.
    caf::result<void>(message::control_line),
    // Stops all actors.
    caf::result<void>(message::stop_actor)>;

/// The actors of one run. A sidecar has no heartbeat monitor and no child process manager.
struct peer_handles {
  recorder_actor recorder;
  settings_actor settings;
  canon_surfacing_actor canon_surfacing;
  goal_scheduler_actor goal_scheduler;
  canary_recovery_actor canary_recovery;
  session_actor session;
  heartbeat_monitor_actor heartbeat_monitor;
  child_process_manager_actor child_process_manager;
  supervisor_actor supervisor;
};

} // namespace resilient
