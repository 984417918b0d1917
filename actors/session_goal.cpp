#include "actors/session.hpp"
#include "core/support/calendar.hpp"

/// The part of the session that speaks with `goal_scheduler`, carries out what it wants in Pi, and
/// holds the lease that a goal of a sidecar needs.
namespace resilient {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr std::chrono::seconds lease_deadline = 5s; // of a sidecar, whose Pi waits
constexpr const char* goal_entry_type = "resilient-goal";

json notices_of(const std::vector<goal::notify>& notices) {
  json list = json::array();
  for (const goal::notify& each : notices) {
    list.push_back({{"level", to_string(each.level)}, {"text", each.text}});
  }
  return list;
}

/// How long print mode may stay in a command's handler for the run that the command began.
constexpr std::int64_t longest_command_run_ms = std::int64_t{30} * 24 * 3600 * 1000;

} // namespace

void session::ask_goal(goal::event event,
                       const std::function<void(const goal::outcome&)>& carry_on) {
  const connection_id asker = client_ ? client_->connection : 0;
  cafx::ask_without_deadline(this, peers()->goal_scheduler, message::goal_event{std::move(event)})
      .then(
          [this, asker, carry_on](const message::goal_outcome& outcome) {
            if (is_current(asker)) {
              carry_on(outcome.what);
            }
          },
          [this](const caf::error& reason) {
            // The extension takes its default when its deadline passes.
            log("goal.unanswered", bridge::encode({{"why", cafx::render(system(), reason)}}));
          });
}

std::optional<std::int64_t> session::last_goal_command() {
  const std::int64_t last = connections_[client_->connection].goal_command;
  return last > 0 ? std::optional{last} : std::nullopt;
}

void session::tell_goal(goal::event event) {
  if (const auto* changed = std::get_if<goal::inert_changed>(&event)) {
    goal_is_inert_ = !changed->why.empty();
  }
  cafx::tell(peers()->goal_scheduler, message::goal_nudge{std::move(event)});
}

std::optional<json> session::goal_entry_of(const bridge::branch_entries& entries) {
  const auto found = entries.find(goal_entry_type);
  return found == entries.end() ? std::nullopt : std::optional{found->second};
}

bool session::is_active(const std::optional<json>& entry) {
  if (!entry) {
    return false;
  }
  const auto goal = goal::record_from_json(*entry);
  return goal && goal->state == goal::phase::active;
}

bool session::waits_to_continue() const {
  return !goal_is_inert_ && is_active(goal_entry_);
}

void session::perform(const goal::outcome& outcome) {
  for (const goal::effect& each : outcome.effects) {
    if (const auto* saved = std::get_if<goal::append_record>(&each)) {
      goal_entry_ = saved->data;
      appends_.insert(direct(bridge::append_entry{goal_entry_type, saved->data}));
    } else if (const auto* status = std::get_if<goal::show_status>(&each)) {
      goal_status_ = status->text;
      show_status();
    } else if (const auto* notice = std::get_if<goal::notify>(&each)) {
      direct(bridge::show_notice{to_string(notice->level), notice->text});
    } else if (const auto* sent = std::get_if<goal::send>(&each)) {
      continue_later(sent->what);
    } else if (std::holds_alternative<goal::release_host>(each)) {
      direct(bridge::release{});
    } else if (std::holds_alternative<goal::stop_launcher>(each) && is_supervised()) {
      stop_after_appends_ = !appends_.empty();
      if (!stop_after_appends_) {
        cafx::tell(peers()->child_process_manager, message::stop_run{"/resilient-stop", 0});
      }
    }
  }
  if (canon_.held_for_goal && !is_active(goal_entry_)) {
    canon_.held_for_goal = false;
    surface_with_next_prompt();
  }
  settle_lease();
}

/// After a wait, or as the first thing of a goal: Pi has settled before.
void session::continue_later(const goal::continue_with& next) {
  const auto send = [this, next, after = last_goal_command()](const std::string& reminder,
                                                              std::uint64_t number) {
    const std::string text = reminder.empty() ? next.text : next.text + "\n\n" + reminder;
    const std::int64_t did = direct(bridge::send_message{text, next.token, after});
    sends_[did] = next.token;
    note_sent(did, reminder, number);
  };
  if (std::exchange(canon_.held_for_goal, false)) {
    ask_canon_message(true, send);
  } else {
    send({}, 0);
  }
}

void session::on(const bridge::boundary& frame) {
  note_error(frame.error);
  goal::boundary reached;
  reached.settled = frame.settled;
  reached.stop = frame.stop;
  reached.error = frame.error;
  reached.aborted = frame.aborted;
  reached.escape = frame.escape;
  reached.idle = frame.idle;
  reached.pending = frame.pending;
  reached.tool_calls = frame.tool_calls;
  reached.turns = frame.turns;
  reached.input_tokens = frame.usage.input;
  reached.output_tokens = frame.usage.output;
  reached.cost = frame.usage.cost;
  reached.provider = frame.provider;
  canary_.person_waits = canary_.person_waits && frame.pending;
  if (frame.aborted) {
    note_abort();
  }
  if (canary_.enforced && frame.settled && !frame.aborted) {
    ask_canary(canary::event::settled,
               [this, reached, re = frame.id](const message::canary_outcome& outcome) {
                 perform(outcome);
                 at_boundary(reached, re);
               });
    return;
  }
  at_boundary(std::move(reached), frame.id);
}

void session::at_boundary(goal::boundary reached, std::int64_t re) {
  const bool pending = reached.pending;
  const bool settled = reached.settled;
  ask_goal(std::move(reached), [this, re, pending, settled](const goal::outcome& outcome) {
    // A wait is stored before it begins, a continuation counted before it is sent.
    perform(outcome);
    record_runtime();
    json wire = bridge::reply_to(re);
    canary::proposal recovery;
    recovery.holds_goal = canary_.holds_goal;
    const boundary::proposals proposed{pending, std::move(recovery), outcome.at_boundary,
                                       waits_to_continue()};
    const goal::proposal decided = boundary::decide(proposed);
    if (const auto* next = std::get_if<goal::continue_with>(&decided)) {
      wire["send"] = {{"text", next->text}, {"token", next->token}};
      if (const auto after = last_goal_command()) {
        wire["send"]["after"] = *after;
      }
    } else if (const auto* open = std::get_if<goal::keep_open>(&decided)) {
      wire["hold_ms"] = open->length.count();
    }
    surface_at_boundary(wire, boundary::canon_at_boundary(proposed, decided, settled));
  });
}

void session::answer_command(const bridge::command& frame) {
  ask_goal(goal::command{frame.name, frame.arguments},
           [this, re = frame.id](const goal::outcome& outcome) {
             connections_[client_->connection].goal_command = re;
             perform(outcome);
             json wire = bridge::reply_to(re);
             if (outcome.command) {
               wire["notices"] = notices_of(outcome.command->notices);
               if (outcome.command->starts_run) {
                 wire["run_ms"] = longest_command_run_ms;
               }
             }
             reply(wire);
             record_runtime();
           });
}

void session::answer_tool(const bridge::tool& frame) {
  ask_goal(goal::tool_call{frame.name, frame.parameters},
           [this, re = frame.id](const goal::outcome& outcome) {
             perform(outcome);
             json wire = bridge::reply_to(re);
             wire["text"] = outcome.tool ? outcome.tool->text : "pi-resilient gave no answer.";
             wire["is_error"] = !outcome.tool || outcome.tool->is_error;
             reply(wire);
             record_runtime();
           });
}

void session::goal_branch(const bridge::branch& frame) {
  const std::optional<json> entry = goal_entry_of(frame.entries);
  with_lease(is_active(entry), [this, entry](const std::string& inert) {
    if (!is_supervised()) {
      tell_goal(goal::inert_changed{inert});
    }
    ask_goal(goal::branch_changed{entry}, [this, entry](const goal::outcome& outcome) {
      goal_entry_ = entry.value_or(json{});
      perform(outcome);
      record_runtime();
    });
  });
}

// -- the lease of a sidecar ---------------------------------------------------------------------

void session::with_lease(bool needed,
                         const std::function<void(const std::string& inert)>& carry_on) {
  const std::string file = client_->hello.session.file;
  if (is_supervised() || !needed || file.empty()) {
    carry_on(std::string{});
    return;
  }
  const connection_id asker = client_->connection;
  ask<message::lease_answer>(
      peers()->recorder, lease_deadline, message::claim_lease{file},
      [this, asker, carry_on](const message::lease_answer& answer) {
        holds_lease_ = holds_lease_ || answer.granted;
        lease_refused_ = !answer.granted;
        if (is_current(asker)) {
          carry_on(answer.message);
        }
      },
      [this, asker, carry_on](const caf::error&) {
        if (is_current(asker)) {
          carry_on("the lease of this session could not be taken in time");
        }
      });
}

/// Pauses come from anywhere, so this looks at what the goal has become. A refusal stays until the
/// person asks for the goal again: the session may have gone on elsewhere meanwhile.
void session::settle_lease() {
  if (is_supervised() || peers() == nullptr || !client_) {
    return;
  }
  if (!is_active(goal_entry_)) {
    let_go_of_lease();
  } else if (!holds_lease_ && !lease_refused_) {
    with_lease(true, [this](const std::string& inert) {
      if (!inert.empty()) {
        tell_goal(goal::inert_changed{inert});
      }
    });
  }
}

void session::let_go_of_lease() {
  if (std::exchange(holds_lease_, false)) {
    cafx::tell(peers()->recorder, message::release_lease{});
  }
}

} // namespace resilient
