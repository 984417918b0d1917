#include "actors/goal_scheduler.hpp"

#include <nlohmann/json.hpp>

namespace resilient {

goal_scheduler::goal_scheduler(caf::actor_config& config, resilient::context context,
                               goal::scheduler_options options)
    : guarded_actor{config, std::move(context), "goal_scheduler"}, options_{std::move(options)},
      machine_{options_, world().entropy->number()} {}

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
      handle_introduction(),
      answer<message::status_part, message::describe>([this](const auto&) {
        return message::status_part{
            "goal", nlohmann::json{{"record", goal::to_json(machine_.goal())},
                                   {"text", machine_.describe(now())}}
                        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
      }),
      handle_stop(),
  };
}

void goal_scheduler::rebuild() {
  machine_ = goal::scheduler{options_, world().entropy->number()};
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
  } else if (const auto* moved = std::get_if<goal::branch_changed>(&happened)) {
    if (session_) {
      session_->entry = moved->entry;
    }
  } else if (std::holds_alternative<goal::detached>(happened)) {
    session_.reset();
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
    }
  }
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
