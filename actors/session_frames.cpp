#include "actors/session.hpp"
#include "core/support/text.hpp"

#include <fmt/format.h>

/// What each frame of the accepted extension sets going.
namespace resilient {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr std::chrono::seconds hello_deadline = 90s; // a lease may wait for a slow disk

/// `/goal resume` or a new objective, and nothing that only looks at the goal or ends it.
bool sets_goal_going(const bridge::command& frame) {
  const std::string_view arguments = trim(frame.arguments);
  return frame.name == "goal" && !arguments.empty() && arguments != "pause"
         && arguments != "complete" && arguments != "clear";
}
} // namespace

void session::on(const bridge::hello&) {
  // Taken by on_hello.
}

void session::on(const bridge::command& frame) {
  if (frame.name == "canary") {
    canary_command(frame);
    return;
  }
  if (frame.name == "canon") {
    tell_canon_status(frame.id);
    return;
  }
  if (frame.name == "canon-settings") {
    tell_canon_settings(frame.id);
    return;
  }
  if (frame.name != "goal" && frame.name != "resilient-stop") {
    json wire = bridge::reply_to(frame.id);
    wire["notices"] = json::array(
        {{{"level", "warning"},
          {"text", fmt::format("/{} is not part of this pi-resilient yet.", frame.name)}}});
    reply(wire);
    return;
  }
  const auto go_on = [this, frame] {
    const bool asks = frame.name == "goal" && !frame.arguments.empty();
    with_lease(asks, [this, frame, asks](const std::string& inert) {
      if (asks && !is_supervised()) {
        tell_goal(goal::inert_changed{inert});
      }
      answer_command(frame);
    });
  };
  if (canary_.holds_goal && sets_goal_going(frame)) {
    // It is a person's instruction, like a message, and the way out of a paused recovery.
    ask_canary(canary::event::user_input, [this, go_on](const message::canary_outcome& outcome) {
      perform(outcome);
      go_on();
    });
    return;
  }
  go_on();
}

void session::on(const bridge::tool& frame) {
  if (frame.name == "canon") {
    call_canon(frame);
    return;
  }
  with_lease(frame.name != "get_goal", [this, frame](const std::string& inert) {
    if (!inert.empty()) {
      tell_goal(goal::inert_changed{inert});
    }
    answer_tool(frame);
  });
}

void session::on(const bridge::session_switch& frame) {
  const connection_id asker = client_->connection;
  const auto allow = [this, asker, re = frame.id](const std::string& refusal) {
    if (!is_current(asker)) {
      return;
    }
    json wire = bridge::reply_to(re);
    wire["cancel"] = !refusal.empty();
    wire["message"] = refusal;
    reply(wire);
  };
  if (!is_supervised()) {
    allow({});
    return;
  }
  ask<message::hello_answer>(
      peers()->child_process_manager, hello_deadline, message::switch_check{frame.target_file},
      [allow](const message::hello_answer& answer) { allow(answer.inert); },
      [allow](const caf::error&) { allow({}); });
}

void session::on(const bridge::heartbeat& frame) {
  if (is_supervised()) {
    cafx::tell(peers()->heartbeat_monitor, message::beat{client_->hello.generation});
  }
  if (frame.idle && !frame.pending && canary_.unsent && canary_.unsent->did == 0) {
    send_for_canary();
  }
  if (frame.idle) {
    // A request would keep a timer for each beat.
    cafx::tell(peers()->goal_scheduler,
               message::goal_nudge{goal::presence{frame.idle, frame.pending}});
  }
}

void session::on(const bridge::agent_start&) {
  canon_.held_for_goal = false; // the end of this run decides anew
  cafx::tell(peers()->canon_surfacing,
             message::canon_run{canon_.wanted,
                                is_active(goal_entry_) ? goal_entry_.value("objective", "") : ""});
  ask_goal(goal::run_started{}, [this](const goal::outcome& outcome) { perform(outcome); });
}

void session::on(const bridge::turn_end& frame) {
  note_error(frame.error);
  if (frame.stop == "aborted") {
    note_abort();
  }
}

void session::on(const bridge::input& frame) {
  if (frame.source != "extension") {
    person_wrote(frame.streaming);
    if (!frame.text.empty()) {
      cafx::tell(peers()->canon_surfacing, message::canon_heard{frame.text});
    }
  }
  ask_goal(goal::input_seen{frame.source == "extension"},
           [this](const goal::outcome& outcome) { perform(outcome); });
}

void session::on(const bridge::escape&) {
  log("escape");
}

void session::on(const bridge::provider_response& frame) {
  ask_goal(goal::response_seen{frame.status, frame.headers},
           [this](const goal::outcome& outcome) { perform(outcome); });
}

void session::on(const bridge::branch& frame) {
  client_->hello.session = frame.session;
  client_->hello.entries = frame.entries;
  ask_canary(canary_opening(frame.entries, canary::arrival::by_person),
             [this, frame](const message::canary_outcome& outcome) {
               hold_goal(outcome.holds_goal);
               goal_branch(frame);
               perform(outcome);
             });
}

void session::on(const bridge::compact& frame) {
  log("compact", bridge::encode({{"reason", frame.reason}, {"failed", frame.failed}}));
}

void session::on(const bridge::directive_result& frame) {
  appends_.erase(frame.did);
  if (!frame.ok) {
    log("directive.failed", bridge::encode({{"did", frame.did}, {"error", frame.error}}));
  }
  note_delivery(frame);
  if (canary_.unsent && canary_.unsent->did == frame.did) {
    // A Pi that was busy gets it at a beat that says it is idle.
    canary_.unsent->did = 0;
    if (frame.ok) {
      canary_.unsent.reset();
    }
  }
  std::string token = frame.token;
  if (const auto sent = sends_.find(frame.did); sent != sends_.end()) {
    token = sent->second;
    sends_.erase(sent);
  }
  if (!token.empty()) {
    ask_goal(goal::send_finished{token, frame.ok},
             [this](const goal::outcome& outcome) { perform(outcome); });
  }
  if (stop_after_appends_ && appends_.empty()) {
    stop_after_appends_ = false;
    cafx::tell(peers()->child_process_manager, message::stop_run{"/resilient-stop", 0});
  }
}

void session::on(const bridge::goodbye& frame) {
  log("goodbye", bridge::encode({{"reason", frame.reason}}));
  ask_goal(goal::goodbye{frame.reason}, [](const goal::outcome&) {});
  const connection_id connection = client_->connection;
  connections_.erase(connection);
  drop_client();
  world().bridge->close(connection);
}

} // namespace resilient
