#include "actors/goal_scheduler.hpp"

#include "actors/goal_settings.hpp"
#include "core/support/text.hpp"
#include "messages/directives.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace resilient {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds settings_deadline = 30s;
/// A person's command that hears of events gets no longer than this.
constexpr std::chrono::seconds event_deadline = 30s;
constexpr std::size_t kept_of_check = 16'384;
constexpr std::size_t kept_of_event = 500;

/// How a command failed and the first thing that it said, on one line; empty when it did not.
std::string problem_of(const command_result& ended) {
  if (ended.succeeded) {
    return {};
  }
  const std::string_view said = trim(ended.output);
  std::string first = to_valid_utf8(said.substr(0, said.find('\n')));
  std::replace_if(
      first.begin(), first.end(), [](unsigned char byte) { return byte < ' ' || byte == 0x7F; },
      ' ');
  return first.empty() ? ended.how : ended.how + ": " + first;
}

} // namespace

goal_scheduler::goal_scheduler(caf::actor_config& config, resilient::context context,
                               goal::scheduler_options options)
    : guarded_actor{config, std::move(context), "goal_scheduler"}, options_{std::move(options)},
      machine_{options_, world().entropy->number()}, guards_{options_.bounds} {}

void goal_scheduler::on_exit() {
  for (const alarms::alarm_id id : armed_) {
    world().alarms->cancel(id);
  }
  guarded_actor::on_exit();
}

goal_scheduler::behavior_type goal_scheduler::make_behavior() {
  return {
      answer<message::goal_outcome, message::goal_event>(
          [this](const auto& event) { return message::goal_outcome{feed(event.what)}; }),
      handle<message::goal_nudge>([this](const auto& event) { send_to_session(feed(event.what)); }),
      handle<message::goal_alarm>([this](const auto& alarm) {
        if (alarm.number == alarm_number_) {
          send_to_session(feed(goal::alarm_rang{}));
        }
      }),
      handle_overdue_requests(),
      handle_introduction(),
      answer<message::status_part, message::describe>([this](const auto&) {
        return message::status_part{
            "goal", bridge::encode({{"record", goal::to_json(machine_.goal_at(now()))},
                                    {"text", machine_.describe(now())}})};
      }),
      handle_stop(),
  };
}

void goal_scheduler::rebuild() {
  goal::scheduler_options renewed = options_;
  renewed.bounds = guards_;
  machine_ = goal::scheduler{renewed, world().entropy->number()};
  if (held_) {
    perform(machine_.handle(goal::recovery_changed{true}, now()));
  }
  if (session_) {
    goal::attached again = *session_;
    again.reason = "resync";
    again.previous_death.clear();
    send_to_session(feed(again));
  }
}

goal::outcome goal_scheduler::feed(const goal::event& happened) {
  if (const auto* opened = std::get_if<goal::attached>(&happened)) {
    session_ = *opened;
    options_.start_paused = false;
    read_guards();
  } else if (const auto* moved = std::get_if<goal::branch_changed>(&happened)) {
    if (session_) {
      session_->entry = moved->entry;
    }
  } else if (std::holds_alternative<goal::detached>(happened)) {
    session_.reset();
  } else if (const auto* recovery = std::get_if<goal::recovery_changed>(&happened)) {
    held_ = recovery->held;
  }
  goal::outcome outcome = machine_.handle(happened, now());
  perform(outcome);
  return outcome;
}

void goal_scheduler::perform(const goal::outcome& outcome) {
  for (const goal::effect& each : outcome.effects) {
    if (const auto* saved = std::get_if<goal::append_record>(&each)) {
      if (session_) {
        session_->entry = saved->data;
      }
    } else if (const auto* alarm = std::get_if<goal::set_alarm>(&each)) {
      set_alarm(*alarm);
    } else if (const auto* told = std::get_if<goal::publish>(&each)) {
      publish(*told);
    } else if (const auto* check = std::get_if<goal::run_check>(&each)) {
      run_check(*check);
    } else if (const auto* event = std::get_if<goal::tell_person>(&each)) {
      tell_person(*event);
    }
  }
}

void goal_scheduler::run_check(const goal::run_check& check) {
  const auto ended = [self = self_handle(), number = check.number](command_result result) {
    cafx::tell(self,
               message::goal_nudge{goal::check_finished{
                   number, result.succeeded, std::move(result.how), std::move(result.output)}});
  };
  log("check.started", bridge::encode({{"command", check.command}, {"folder", check.folder}}));
  if (!world().commands) {
    ended({false, "commands cannot be run here", {}});
    return;
  }
  world().commands->run({check.command, check.folder, {}, check.deadline, kept_of_check, true},
                        ended);
}

/// Nobody waits for it; its failure is logged and shown with the goal.
void goal_scheduler::tell_person(const goal::tell_person& told) {
  if (guards_.on_event.empty() || !world().commands || peers() == nullptr) {
    return;
  }
  // Weak: a command may outlive the run, whose end waits until nothing holds the recorder.
  const auto ended = [weak = caf::actor_cast<caf::weak_actor_ptr>(peers()->recorder),
                      weak_self = caf::actor_cast<caf::weak_actor_ptr>(self_handle()),
                      event = told.event](const command_result& result) {
    if (const auto self = caf::actor_cast<handle_type>(weak_self)) {
      cafx::tell(self, message::goal_nudge{goal::person_told{event, problem_of(result)}});
    }
    const auto recorder = caf::actor_cast<recorder_actor>(weak);
    if (recorder && !result.succeeded) {
      cafx::tell(recorder, message::record_event{"goal_scheduler", "event_command.failed",
                                                 bridge::encode({{"event", event},
                                                                 {"how", result.how},
                                                                 {"output", result.output}})});
    }
  };
  const std::string folder = session_ ? session_->working_folder : std::string{};
  world().commands->run({guards_.on_event, folder, told.line + "\n", event_deadline, kept_of_event},
                        ended);
}

void goal_scheduler::read_guards() {
  if (peers() == nullptr) {
    return;
  }
  ask<message::settings_values>(
      peers()->settings, settings_deadline, message::read_settings{},
      [this](const message::settings_values& values) {
        settings_guards found = guards_in(values);
        guards_ = goal::laid_over(options_.bounds, found.limits);
        send_to_session(feed(goal::guards_known{guards_, std::move(found.problems)}));
      },
      [this](const caf::error& reason) {
        log("settings.unanswered", bridge::encode({{"why", cafx::render(system(), reason)}}));
      });
}

void goal_scheduler::set_alarm(const goal::set_alarm& alarm) {
  for (const alarms::alarm_id id : armed_) {
    world().alarms->cancel(id);
  }
  armed_.clear();
  const auto ring = [self = self_handle(), number = ++alarm_number_] {
    cafx::tell(self, message::goal_alarm{number});
  };
  if (alarm.boot) {
    armed_.push_back(world().alarms->arm(*alarm.boot, ring));
  }
  if (alarm.wall) {
    armed_.push_back(world().alarms->arm(*alarm.wall, ring));
  }
}

void goal_scheduler::publish(const goal::publish& told) {
  if (!is_supervised()) {
    return;
  }
  message::goal_status status;
  status.active = told.active;
  status.restart_prompt = told.restart_prompt;
  if (told.wait) {
    if (told.wait->reset_at) {
      status.wait = process::not_before{*told.wait->reset_at, told.wait->why};
    } else if (told.wait_until) {
      status.wait = process::not_before{*told.wait_until, told.wait->why};
    }
  }
  cafx::tell(peers()->child_process_manager, std::move(status));
}

void goal_scheduler::send_to_session(goal::outcome outcome) {
  if (peers() != nullptr && !outcome.effects.empty()) {
    cafx::tell(peers()->session, message::goal_outcome{std::move(outcome)});
  }
}

} // namespace resilient
