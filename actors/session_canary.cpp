#include "actors/session.hpp"

#include <utility>

/// The part of the session that speaks with `canary_recovery` and carries out what it wants in Pi.
namespace resilient {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

/// A summary of a long history takes a slow model minutes.
constexpr std::chrono::milliseconds summary_deadline = 3min;
/// A Pi that was told to end aborts its run first and says goodbye within this.
constexpr std::chrono::seconds end_after_abort = 2s;
constexpr const char* canary_entry_type = "resilient-canary";

const char* to_string(canary::notice_level level) {
  return level == canary::notice_level::warning ? "warning" : "info";
}

json draft_of(const canary::message_draft& draft) {
  return {{"kind", "custom_message"},
          {"custom_type", draft.custom_type},
          {"content", draft.content},
          {"display", true}};
}

json draft_of(const canary::compaction_draft& draft) {
  return {{"kind", "compaction"}, {"summary", draft.summary}, {"details", draft.details}};
}

json draft_of(const canary::state_draft& draft) {
  return {{"kind", "custom"}, {"custom_type", draft.custom_type}, {"data", draft.data}};
}

std::optional<json> entry_in(const bridge::branch_entries& entries) {
  const auto found = entries.find(canary_entry_type);
  return found == entries.end() ? std::nullopt : std::optional{found->second};
}

} // namespace

message::canary_opened session::canary_opening(const bridge::branch_entries& entries,
                                               canary::arrival how) {
  canary_.entry = entry_in(entries).value_or(json{});
  return {client_->hello.can("boundary"), how, entry_in(entries)};
}

canary::arrival session::arrival_of(const bridge::hello& hello) {
  if (hello.reason == "resync") {
    return canary::arrival::reconnect;
  }
  return std::exchange(process_ended_, false) && hello.reason == "startup"
             ? canary::arrival::by_launcher
             : canary::arrival::by_person;
}

void session::forget_canary() {
  const bool held = canary_.holds_goal; // stays true for the goal until the next hello
  canary_ = {};
  canary_.holds_goal = held;
  ++abort_number_;
}

// -- what Pi reports
// -------------------------------------------------------------------------------

void session::on(const bridge::turn& frame) {
  note_error(frame.error);
  canary_.person_waits = canary_.person_waits && frame.pending;
  if (frame.stop == "aborted") {
    note_abort();
    reply(bridge::reply_to(frame.id));
    return;
  }
  ask_canary(canary::assistant_message{frame.text, frame.text_truncated, frame.stop,
                                       frame.has_tool_calls, canary_.person_waits},
             [this, re = frame.id,
              has_tool_calls = frame.has_tool_calls](const message::canary_outcome& outcome) {
               json wire = bridge::reply_to(re);
               perform(outcome, &wire);
               canary::proposal recovery;
               recovery.holds_goal = canary_.holds_goal;
               recovery.continue_run = wire.contains("entries") || wire.contains("summarise");
               if (boundary::canon_at_turn(has_tool_calls, recovery)
                   == boundary::canon_part::before_next_request) {
                 surface_at_turn(wire);
               } else {
                 reply(wire);
               }
               if (!outcome.effects.empty()) {
                 record_runtime();
               }
             });
}

void session::on(const bridge::before_settle& frame) {
  // Every message of the run was judged when its turn ended.
  reply(bridge::reply_to(frame.id));
}

void session::on(const bridge::summary& frame) {
  if (frame.re != canary_.summary_re) {
    return; // to a request before the latest one
  }
  canary_.summary_re = 0;
  const bool is_awaited = std::exchange(canary_.summary_awaited, false);
  ask_canary(message::canary_summary{frame.stop, frame.text},
             [this, re = frame.re, is_awaited](const message::canary_outcome& outcome) {
               json wire = bridge::reply_to(re);
               perform(outcome, &wire);
               if (is_awaited) {
                 reply(wire);
               }
               record_runtime();
             });
}

void session::canary_command(const bridge::command& frame) {
  ask_canary(
      message::canary_command{frame.arguments, frame.idle},
      [this, re = frame.id](const message::canary_outcome& outcome) {
        perform(outcome);
        json wire = bridge::reply_to(re);
        if (outcome.answer) {
          wire["notices"] = json::array();
          for (const canary::notice& each : outcome.answer->notices) {
            wire["notices"].push_back({{"level", to_string(each.level)}, {"text", each.text}});
          }
          wire["wait_idle"] = outcome.answer->wait_idle;
          wire["reload"] = outcome.answer->reload;
        }
        reply(wire);
        record_runtime();
      });
}

void session::person_wrote(bool waits) {
  ++abort_number_;
  canary_.person_waits = waits;
  canary_.unsent.reset();
  if (canary_.enforced) {
    tell_canary(canary::event::user_input);
  }
}

void session::note_abort() {
  if (canary_.enforced) {
    cafx::tell_after(this, end_after_abort, self_handle(),
                     message::abort_confirmed{++abort_number_});
  }
}

void session::tell_canary(canary::event happened) {
  ask_canary(happened, [this](const message::canary_outcome& outcome) {
    perform(outcome);
    record_runtime();
  });
}

void session::send_for_canary() {
  if (canary_.unsent) {
    canary_.unsent->did =
        direct(bridge::send_message{canary_.unsent->text, canary_.unsent->token, {}});
  }
}

// -- what canary wants
// -----------------------------------------------------------------------------

void session::hold_goal(bool held) {
  if (std::exchange(canary_.holds_goal, held) != held) {
    tell_goal(goal::recovery_changed{held});
  }
}

void session::perform(const message::canary_outcome& outcome, json* boundary) {
  canary_.enforced = outcome.enforced;
  hold_goal(outcome.holds_goal);
  // In front of any message that is sent: its run must begin under the rule.
  bridge::set_values rule;
  rule.ask_turn = outcome.enforced || canon_.wanted.touches;
  rule.system_append = outcome.rule;
  set_in_pi(std::move(rule));
  for (const canary::effect& each : outcome.effects) {
    if (const auto* kept = std::get_if<canary::keep_state>(&each)) {
      keep_canary(kept->record);
    } else if (const auto* gate = std::get_if<canary::set_gate>(&each)) {
      bridge::set_values wanted;
      wanted.gate = gate->reason;
      set_in_pi(std::move(wanted));
    } else if (const auto* proposed = std::get_if<canary::propose>(&each)) {
      propose(proposed->wanted, boundary);
    } else if (const auto* asked = std::get_if<canary::request_summary>(&each)) {
      if (boundary != nullptr) {
        canary_.summary_re = boundary->at("re").get<std::int64_t>();
        canary_.summary_awaited = true;
        (*boundary)["summarise"] = {{"system", asked->system_prompt},
                                    {"instruction", asked->instruction},
                                    {"max_tokens", asked->max_tokens},
                                    {"deadline_ms", summary_deadline.count()}};
      }
    } else if (std::holds_alternative<canary::cancel_summary>(each)) {
      if (std::exchange(canary_.summary_awaited, false)) {
        reply(bridge::reply_to(canary_.summary_re));
      }
    } else if (std::holds_alternative<canary::stop_run>(each)) {
      direct(bridge::abort_run{});
    } else if (const auto* paused = std::get_if<canary::pause_goal>(&each)) {
      tell_goal(goal::recovery_paused{paused->detail});
    } else if (const auto* told = std::get_if<canary::notice>(&each)) {
      log("canary.notice", bridge::encode({{"text", told->text}}));
      direct(bridge::show_notice{to_string(told->level), told->text});
    }
  }
  if (std::exchange(canary_.status, outcome.footer) != outcome.footer) {
    show_status();
  }
}

void session::keep_canary(const canary::state_draft& record) {
  canary_.entry = record.data;
  appends_.insert(direct(bridge::append_entry{record.custom_type, record.data}));
}

void session::propose(const canary::proposal& wanted, json* boundary) {
  if (boundary != nullptr) {
    json entries = json::array();
    for (const canary::draft& each : wanted.entries) {
      entries.push_back(std::visit([](const auto& draft) { return draft_of(draft); }, each));
      if (const auto* record = std::get_if<canary::state_draft>(&each)) {
        canary_.entry = record->data;
      }
    }
    (*boundary)["entries"] = std::move(entries);
    (*boundary)["continue"] = wanted.continue_run;
    return;
  }
  // No boundary is open: a new process goes on. The state is written before the message is sent.
  for (const canary::draft& each : wanted.entries) {
    if (const auto* record = std::get_if<canary::state_draft>(&each)) {
      keep_canary(*record);
    }
  }
  for (const canary::draft& each : wanted.entries) {
    if (const auto* message = std::get_if<canary::message_draft>(&each)) {
      canary_.unsent = unsent_message{message->content, "canary-" + world().entropy->hex(8), 0};
      send_for_canary();
    }
  }
}

/// Sends only what Pi does not hold already.
void session::set_in_pi(bridge::set_values wanted) {
  const auto leave_out_known = [](auto& value, auto& known) {
    if (value == known) {
      value.reset();
    } else {
      known = value;
    }
  };
  bool changes = false;
  const auto keep = [&](auto& value, auto& known) {
    if (value) {
      leave_out_known(value, known);
      changes = changes || value.has_value();
    }
  };
  keep(wanted.gate, canary_.in_pi.gate);
  keep(wanted.ask_turn, canary_.in_pi.ask_turn);
  keep(wanted.system_append, canary_.in_pi.system_append);
  keep(wanted.touch, canary_.in_pi.touch);
  keep(wanted.needles, canary_.in_pi.needles);
  if (changes) {
    direct(wanted);
  }
}

void session::show_status() {
  std::string text = goal_status_;
  if (!canary_.status.empty()) {
    text += (text.empty() ? "" : " | ") + canary_.status;
  }
  direct(bridge::set_status{text});
}

std::string session::active_goal() const {
  if (goal_entry_.is_object()) {
    const result<goal::record> goal = goal::record_from_json(goal_entry_);
    if (goal && goal->state == goal::phase::active) {
      return goal->objective;
    }
  }
  return {};
}

} // namespace resilient
