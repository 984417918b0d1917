#include "actors/child_process_manager.hpp"

#include "core/support/calendar.hpp"
#include "messages/directives.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace resilient {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

} // namespace

child_process_manager::child_process_manager(caf::actor_config& config, resilient::context context,
                                             run_description description)
    : guarded_actor{config, std::move(context), "child_process_manager"},
      description_{std::move(description)}, machine_{description_.mode, description_.limits,
                                                     world().entropy->number()},
      sleep_{description_.inhibit_sleep}, started_at_{now().wall} {}

void child_process_manager::on_exit() {
  if (armed_) {
    world().alarms->cancel(*armed_);
  }
  guarded_actor::on_exit();
}

child_process_manager::behavior_type child_process_manager::make_behavior() {
  return {
      handle<message::start_run>([this](const auto&) { feed(process::start{}); }),
      handle<message::child_started>([this](const auto& child) { on_started(child); }),
      handle<message::child_failed>([this](const auto& child) {
        if (child.generation == child_.id) {
          feed(process::child_failed{child.message, child.is_lasting});
        }
      }),
      handle<message::child_ended>([this](const auto& child) { on_ended(child); }),
      handle<message::child_paused>([this](const auto& child) {
        if (child.pid == child_.pid && !child.stopped && peers() != nullptr) {
          cafx::tell(peers()->heartbeat_monitor, message::child_resumed{});
        }
      }),
      handle<message::signal_received>([this](const auto& signal) {
        if (signal.signal_number == SIGINT) {
          feed(process::interrupt{});
        } else if (signal.signal_number == SIGCONT) {
          if (peers() == nullptr) {
            return;
          }
          cafx::tell(peers()->heartbeat_monitor, message::child_resumed{});
        } else {
          feed(process::terminate{signal.signal_number});
        }
      }),
      handle<message::enter_pressed>([this](const auto&) { feed(process::try_now{}); }),
      handle<message::leftovers_stopped>([this](const auto& stopped) {
        if (stopped.beside_child) {
          log("leftovers.stopped", bridge::encode({{"processes", stopped.names}}));
          return;
        }
        leftovers_asked_ = std::max(0, leftovers_asked_ - 1);
        leftovers_.insert(leftovers_.end(), stopped.names.begin(), stopped.names.end());
        next_leftover();
      }),
      handle<message::child_frozen>([this](const auto& child) { on_frozen(child); }),
      answer<message::generation_verdict, message::generation_check>(
          [this](const auto& hello) { return check(hello); }),
      answer<message::hello_answer, message::child_hello>(
          [this](const auto& hello) { return on_hello(hello); }),
      answer<message::hello_answer, message::switch_check>(
          [this](const auto& request) { return check_switch(request); }),
      handle<message::goal_status>([this](const auto& status) { on_goal(status); }),
      handle<message::inhibitor_ended>([this](const auto& inhibitor) {
        perform(sleep_.inhibitor_ended(inhibitor.number, inhibitor.why));
        record();
      }),
      handle<message::stop_run>([this](const auto& request) {
        feed(process::stop_requested{request.who, request.exit_code});
      }),
      handle<message::child_alarm>([this](const auto& alarm) {
        if (alarm.number == alarm_number_) {
          feed(process::alarm_rang{alarm.number});
        }
      }),
      handle_overdue_requests(),
      handle_introduction(),
      answer<message::status_part, message::describe>([this](const auto&) {
        return message::status_part{"supervisor", report()};
      }),
      handle_stop(),
  };
}

/// The child's identity is kept outside of the machine: a child that lives is taken over, and when
/// there is none the next one is prepared.
void child_process_manager::rebuild() {
  const int number = machine_.generation();
  const auto state = machine_.state();
  const bool goal_active = machine_.goal_active();
  machine_ =
      process::supervision{description_.mode, description_.limits, world().entropy->number()};
  static_cast<void>(machine_.handle(process::goal_changed{goal_active, {}}, now()));
  if (state == process::run_state::ended) {
    world().child->finish(exit_code_.value_or(static_cast<int>(error_kind::software)));
  } else if (child_.pid != 0) {
    machine_.adopt(number, child_.pid, now());
    if (state == process::run_state::stopping) {
      feed(process::child_frozen{"its stop was interrupted"});
    }
  } else {
    for (const process::effect& each : machine_.resume_after(number)) {
      std::visit([this](const auto& effect) { perform(effect); }, each);
    }
  }
}

void child_process_manager::feed(const process::event& happened) {
  for (const process::effect& each : machine_.handle(happened, now())) {
    std::visit([this](const auto& effect) { perform(effect); }, each);
  }
  // The first start does not wait for a file that has nothing to tell yet.
  if (machine_.state() != process::run_state::preparing || machine_.generation() > 0) {
    record();
  }
}

// -- starting and stopping ------------------------------------------------------------------------

void child_process_manager::perform(const process::spawn& effect) {
  child_ = {};
  child_.id = fmt::format("{}-{}", description_.run_id, effect.number);
  child_.secret = world().entropy->hex(32);
  child_.started_at = now().wall;
  log("child.starting", bridge::encode({{"generation", child_.id}}));
  if (effect.number > 1 && description_.mode == process::run_mode::rpc) {
    world().child->write_newline();
  }
  world().child->spawn(request_for(effect.number));
}

spawn_request child_process_manager::request_for(int number) const {
  spawn_request request;
  request.generation = child_.id;
  request.program = description_.program;
  request.folder = description_.working_folder;
  request.error_file = description_.error_file;
  request.environment = {
      {"PI_RESILIENT_SOCKET", description_.socket_path},
      {"PI_RESILIENT_GENERATION", child_.id},
      {"PI_RESILIENT_SECRET", child_.secret},
      {"PI_RESILIENT_MARK", fmt::format("{}:{}", description_.run_id, number)},
  };
  auto& arguments = request.arguments;
  if (!description_.extension_path.empty()) {
    arguments.insert(arguments.end(), {"-e", description_.extension_path});
  }
  // A prompt that reached the session must not be sent again; one that cannot have reached it must.
  const bool again = ever_said_hello_ || (number > 1 && session_has_messages_);
  const bool names_session =
      again || description_.arguments.session == process::session_choice::fresh;
  if (names_session && !description_.session_file.empty()) {
    arguments.insert(arguments.end(), {"--session", description_.session_file});
  }
  // Before the user's own arguments: the last of those may be a flag that would swallow it.
  if (again && description_.mode == process::run_mode::print && !restart_prompt_.empty()) {
    arguments.push_back(restart_prompt_);
  }
  const auto& own = again ? description_.arguments.restart : description_.arguments.first_start;
  arguments.insert(arguments.end(), own.begin(), own.end());
  return request;
}

void child_process_manager::on_started(const message::child_started& child) {
  if (child.generation != child_.id) {
    return;
  }
  child_.pid = child.pid;
  child_.start_time = child.start_time;
  log("child.started", bridge::encode({{"generation", child_.id}, {"pid", child_.pid}}));
  cafx::tell(peers()->recorder, message::update_lease{child_.pid, child_.start_time});
  const bool armed = machine_.generation() > 1 || !description_.first_start_asks;
  cafx::tell(peers()->heartbeat_monitor, message::watch_child{child_.id, armed});
  feed(process::child_started{child_.pid});
  if (machine_.generation() > 1) {
    cafx::tell(
        peers()->goal_scheduler,
        message::goal_nudge{goal::run_changed{
            "restarted", deaths_.empty() ? std::string{} : cause_text(deaths_.back().cause)}});
  }
}

void child_process_manager::on_ended(const message::child_ended& child) {
  if (child_.pid == 0 || child.pid != child_.pid) {
    return;
  }
  child_.pid = 0;
  cafx::tell(peers()->heartbeat_monitor, message::unwatch_child{});
  feed(process::child_ended{child.status, child.last_words});
  // Behind what the next start waits for.
  cafx::tell(peers()->recorder, message::update_lease{0, 0});
}

void child_process_manager::on_frozen(const message::child_frozen& child) {
  if (child.generation != child_.id || child_.pid == 0) {
    return;
  }
  if (world().child->is_traced(child_.pid)) {
    // A debugger holds it. Its next beat arms the limit again.
    log("child.traced", bridge::encode({{"generation", child_.id}, {"finding", child.finding}}));
    cafx::tell(peers()->heartbeat_monitor, message::watch_child{child_.id, false});
    return;
  }
  log("child.frozen", bridge::encode({{"generation", child_.id}, {"finding", child.finding}}));
  feed(process::child_frozen{child.finding});
}

void child_process_manager::perform(const process::send_signal& effect) {
  log("child.signal", bridge::encode({{"generation", child_.id},
                                      {"pid", child_.pid},
                                      {"signal", process::signal_name(effect.signal_number)}}));
  world().child->signal(child_.pid, effect.signal_number);
}

void child_process_manager::perform(const process::arm_alarm& effect) {
  perform(process::disarm_alarm{});
  alarm_number_ = effect.number;
  const auto ring = [self = self_handle(), number = effect.number] {
    cafx::tell(self, message::child_alarm{number});
  };
  armed_ = std::visit([&](const auto& at) { return world().alarms->arm(at, ring); }, effect.at);
}

void child_process_manager::perform(const process::disarm_alarm&) {
  if (armed_) {
    world().alarms->cancel(*armed_);
    armed_.reset();
  }
}

void child_process_manager::perform(const process::clean_up_after_child&) {
  if (description_.mode == process::run_mode::terminal) {
    world().child->restore_terminal();
  }
}

/// The files are written, people are told and the lease is let go before the program ends.
void child_process_manager::perform(const process::finish& effect) {
  exit_code_ = effect.exit_code;
  ++preparation_;
  log("run.ended", bridge::encode({{"exit_code", effect.exit_code}, {"reason", effect.reason}}));
  record();
  const auto end = [this, code = effect.exit_code] { world().child->finish(code); };
  cafx::tell(peers()->recorder, message::release_lease{});
  const auto write = [this, end] {
    ask<message::status_part>(
        peers()->recorder, 5s, message::describe{}, [end](const auto&) { end(); },
        [end](const auto&) { end(); });
  };
  // What it still has to tell a person has been handed over once it answers.
  ask<message::status_part>(
      peers()->goal_scheduler, 5s, message::describe{}, [write](const auto&) { write(); },
      [write](const auto&) { write(); });
}

// -- the goal -------------------------------------------------------------------------------------

void child_process_manager::on_goal(const message::goal_status& status) {
  restart_prompt_ = status.restart_prompt;
  perform(sleep_.goal_is(status.active));
  feed(process::goal_changed{status.active, status.wait});
}

void child_process_manager::perform(const std::vector<process::sleep_effect>& effects) {
  for (const process::sleep_effect& each : effects) {
    std::visit([this](const auto& effect) { perform(effect); }, each);
  }
}

void child_process_manager::perform(const process::keep_awake& effect) {
  const auto ended = [self = self_handle(), number = effect.number](std::string why) {
    cafx::tell(self, message::inhibitor_ended{number, std::move(why)});
  };
  if (!world().sleep) {
    ended("nothing can keep this machine awake");
    return;
  }
  log("sleep.inhibited");
  world().sleep->keep_awake(ended);
}

void child_process_manager::perform(const process::let_sleep&) {
  log("sleep.allowed");
  if (world().sleep) {
    world().sleep->let_sleep();
  }
}

void child_process_manager::perform(const process::tell_unprotected& effect) {
  log("sleep.not_inhibited", bridge::encode({{"line", effect.line}}));
  cafx::tell(peers()->session, message::show_notice{goal::notice_level::warning, effect.line});
}

void child_process_manager::perform(const process::report_crash_loop& effect) {
  cafx::tell(peers()->goal_scheduler,
             message::goal_nudge{goal::run_changed{"crash_loop", effect.why}});
}

void child_process_manager::perform(const process::probe_goal&) {
  cafx::tell(peers()->goal_scheduler, message::goal_nudge{goal::probe_now{}});
}

} // namespace resilient
