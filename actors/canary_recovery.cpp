#include "actors/canary_recovery.hpp"

#include "messages/directives.hpp"

#include <chrono>
#include <utility>

namespace resilient {

namespace {

using namespace std::chrono_literals;

/// The settings may be on a slow disk, and their lock held by another Pi.
constexpr std::chrono::seconds settings_deadline = 4s;
constexpr const char* no_settings = "The settings could not be reached in time. Try again.";

} // namespace

canary_recovery::canary_recovery(caf::actor_config& config, resilient::context context)
    : guarded_actor{config, std::move(context), "canary_recovery"} {}

canary_recovery::behavior_type canary_recovery::make_behavior() {
  return {
      answer<message::canary_outcome, message::canary_event>(
          [this](const auto& event) { return feed(event); }),
      handle_overdue_requests(),
      handle_introduction(),
      answer<message::status_part, message::describe>([this](const auto&) {
        return message::status_part{
            "canary", bridge::encode({{"mode", state_.mode_on ? "on" : "off"},
                                      {"phase", std::string{canary::to_string(state_.where)}},
                                      {"keyword", around_.keyword},
                                      {"text", canary::footer(state_, around_.keyword)}})};
      }),
      handle_stop(),
  };
}

void canary_recovery::rebuild() {
  state_ = {};
  if (session_ && peers() != nullptr) {
    cafx::tell(peers()->session,
               finish(canary::restore(session_->record, canary::arrival::same_run, around_)));
  }
}

canary_recovery::answered canary_recovery::feed(const message::canary_event& event) {
  around_.goal = event.goal;
  return std::visit([this](const auto& each) { return on(each); }, event.what);
}

canary_recovery::answered canary_recovery::on(const message::canary_opened& opened) {
  session_ = opened;
  around_.has_boundaries = opened.has_boundaries;
  if (!opened.record || !canary::recovery_state_from(*opened.record).mode_on) {
    return open({});
  }
  auto promise = make_response_promise<message::canary_outcome>();
  ask<message::keyword_values>(
      peers()->settings, settings_deadline, message::read_keyword{},
      [this, promise](const message::keyword_values& values) mutable {
        promise.deliver(open(values));
      },
      [this, promise](const caf::error&) mutable {
        promise.deliver(open({std::nullopt, no_settings, {}}));
      });
  return promise;
}

message::canary_outcome canary_recovery::open(const message::keyword_values& values) {
  std::string why = values.problem;
  around_.keyword.clear();
  if (values.keyword) {
    if (auto valid = canary::check_keyword(*values.keyword)) {
      around_.keyword = *std::move(valid);
    } else {
      why = valid.error().message;
    }
  }
  message::canary_outcome opened =
      finish(canary::restore(session_->record, session_->how, around_));
  if (state_.mode_on && around_.keyword.empty()) {
    opened.effects.emplace_back(canary::told_not_enforced(why));
  }
  return opened;
}

canary_recovery::answered canary_recovery::on(const canary::assistant_message& ended) {
  return finish(canary::on_message(state_, ended, around_));
}

canary_recovery::answered canary_recovery::on(const message::canary_summary& ended) {
  return finish(canary::on_summary(state_, ended.stop, ended.text, around_));
}

canary_recovery::answered canary_recovery::on(canary::event happened) {
  return finish(canary::on_event(state_, happened, around_));
}

// -- the command
// -----------------------------------------------------------------------------------

canary_recovery::answered canary_recovery::on(const message::canary_command& typed) {
  const result<canary::command> wanted = canary::parse_command(typed.arguments);
  if (!wanted) {
    return unchanged(wanted.error().message);
  }
  // Off is the way out of a recovery, and a look changes nothing: they do not wait.
  const bool is_look = std::holds_alternative<canary::show_state>(*wanted);
  if (!typed.idle && !is_look && !std::holds_alternative<canary::turn_off>(*wanted)) {
    message::canary_outcome waits = finish({state_, {}});
    waits.answer = message::canary_answer{{}, true, false};
    return waits;
  }
  return std::visit([this](const auto& each) { return carry_out(each); }, *wanted);
}

canary_recovery::answered canary_recovery::carry_out(const canary::turn_on&) {
  auto promise = make_response_promise<message::canary_outcome>();
  ask<message::keyword_values>(
      peers()->settings, settings_deadline, message::read_keyword{},
      [this, promise](const message::keyword_values& values) mutable {
        if (!values.problem.empty()) {
          promise.deliver(unchanged(values.problem));
        } else if (!values.keyword) {
          message::canary_outcome missing = finish({state_, {}});
          missing.answer = message::canary_answer{{canary::told_no_keyword()}, false, false};
          promise.deliver(std::move(missing));
        } else if (auto valid = canary::check_keyword(*values.keyword)) {
          promise.deliver(turn_on(*std::move(valid), {}));
        } else {
          promise.deliver(unchanged(valid.error().message));
        }
      },
      [this, promise](const caf::error&) mutable { promise.deliver(unchanged(no_settings)); });
  return promise;
}

canary_recovery::answered canary_recovery::carry_out(const canary::turn_off&) {
  message::canary_outcome off =
      finish(canary::on_event(state_, canary::event::turned_off, around_));
  off.answer = message::canary_answer{{canary::told_off()}, false, false};
  return off;
}

canary_recovery::answered canary_recovery::carry_out(const canary::show_state&) {
  auto promise = make_response_promise<message::canary_outcome>();
  ask<message::keyword_values>(
      peers()->settings, settings_deadline, message::read_keyword{},
      [this, promise](const message::keyword_values& values) mutable {
        promise.deliver(told(values));
      },
      [this, promise](const caf::error&) mutable {
        promise.deliver(told({std::nullopt, no_settings, {}}));
      });
  return promise;
}

message::canary_outcome canary_recovery::told(const message::keyword_values& values) {
  message::canary_outcome same = finish({state_, {}});
  message::canary_answer answer;
  if (!values.problem.empty()) {
    answer.notices.push_back({canary::notice_level::warning, values.problem});
  }
  answer.notices.push_back(
      canary::told_state(state_, around_.keyword, values.keyword, values.file));
  same.answer = std::move(answer);
  return same;
}

canary_recovery::answered canary_recovery::carry_out(const canary::use_keyword& wanted) {
  auto promise = make_response_promise<message::canary_outcome>();
  ask<message::keyword_saved>(
      peers()->settings, settings_deadline, message::save_keyword{wanted.keyword},
      [this, promise, keyword = wanted.keyword](const message::keyword_saved& saved) mutable {
        if (saved.problem.empty()) {
          message::canary_outcome on = turn_on(keyword, saved.path);
          on.answer->reload = true;
          promise.deliver(std::move(on));
        } else {
          promise.deliver(unchanged(saved.problem));
        }
      },
      [this, promise](const caf::error&) mutable { promise.deliver(unchanged(no_settings)); });
  return promise;
}

message::canary_outcome canary_recovery::turn_on(std::string keyword, const std::string& saved_to) {
  around_.keyword = std::move(keyword);
  message::canary_outcome on = finish(canary::on_event(state_, canary::event::turned_on, around_));
  on.answer = message::canary_answer{
      {canary::told_on(around_.keyword, around_.has_boundaries, saved_to)}, false, false};
  return on;
}

message::canary_outcome canary_recovery::unchanged(const std::string& why) {
  message::canary_outcome same = finish({state_, {}});
  same.answer = message::canary_answer{{canary::told_unchanged(why)}, false, false};
  return same;
}

message::canary_outcome canary_recovery::finish(canary::outcome stepped) {
  state_ = std::move(stepped.state);
  if (session_ && (session_->record || state_.mode_on)) {
    session_->record = canary::to_json(state_);
  }
  message::canary_outcome outcome;
  outcome.effects = std::move(stepped.effects);
  outcome.enforced = canary::enforces(state_);
  outcome.holds_goal = canary::holds_goal(state_);
  if (outcome.enforced) {
    outcome.rule = canary::system_prompt_rule(around_.keyword);
  }
  outcome.footer = canary::footer(state_, around_.keyword);
  return outcome;
}

} // namespace resilient
