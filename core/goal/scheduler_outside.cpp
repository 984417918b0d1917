#include "core/goal/money.hpp"
#include "core/goal/scheduler.hpp"
#include "core/goal/texts.hpp"
#include "core/goal/times_for_people.hpp"
#include "core/support/calendar.hpp"
#include "core/support/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace resilient::goal {

namespace {

std::optional<boot_time> earlier(std::optional<boot_time> one, std::optional<boot_time> other) {
  if (!one || !other) {
    return one ? one : other;
  }
  return std::min(*one, *other);
}

} // namespace

void scheduler::update_outside(const instant&) {
  const std::string text = footer();
  if (attached_ && shown_status_ != text) {
    shown_status_ = text;
    out_.effects.emplace_back(show_status{text});
  }
  publish told;
  told.active = goal_.state == phase::active && inert_.empty();
  if (told.active) {
    told.wait = goal_.wait;
    told.wait_until = wait_until_;
    // A recovery continues the new Pi itself; a prompt would count as a person's.
    if (mode_ == host_mode::print && !held_) {
      continuation_context context;
      context.previous_death = "print mode ended";
      told.restart_prompt = continuation_text(goal_, context);
    }
  }
  if (published_ != told) {
    published_ = told;
    out_.effects.emplace_back(told);
  }
  set_alarm alarm;
  if (attached_) {
    alarm.boot = earlier(earlier(pause_at_, begin_at_), earlier(in_flight_until_, wait_until_));
    if (!running_) {
      alarm.boot = earlier(alarm.boot, budget_ends_at());
    }
    if (goal_.wait) {
      alarm.wall = goal_.wait->reset_at;
    }
    if (goal_.state != phase::active) {
      alarm = {};
    }
  }
  if (check_) {
    alarm.boot = earlier(alarm.boot, check_->until);
  }
  if (!(alarm == armed_)) {
    armed_ = alarm;
    out_.effects.emplace_back(alarm);
  }
}

std::string scheduler::footer() const {
  if (!inert_.empty()) {
    return fmt::format("goal inert: {}", inert_);
  }
  switch (goal_.state) {
  case phase::none:
    return {};
  case phase::complete:
    return "goal complete";
  case phase::paused:
    return fmt::format("goal paused ({})", goal_.pause_reason);
  case phase::active:
    break;
  }
  if (held_) {
    return "goal active, held by the canary recovery";
  }
  if (check_) {
    return "goal active, its check runs";
  }
  if (goal_.wait) {
    return fmt::format("goal waits: {}, next attempt {}", goal_.wait->why, until_text());
  }
  return "goal active";
}

std::string scheduler::until_text() const {
  if (!goal_.wait) {
    return "now";
  }
  const wall_time until =
      goal_.wait->reset_at.value_or(goal_.wait->started_at + goal_.wait->length);
  return time_for_people(until, options_.local_zone);
}

record scheduler::goal_at(const instant& now) const {
  record shown = goal_;
  shown.active = active_until(now);
  return shown;
}

std::string scheduler::describe(const instant& now) const {
  const std::string untold = untold_.empty() ? "" : "\n" + untold_;
  if (goal_.state == phase::none) {
    return (inert_.empty() ? "No goal. /goal TEXT declares one."
                           : fmt::format("Goals are inert here: {}", inert_))
           + untold;
  }
  std::string text = fmt::format("Goal: {}\nState: {}", goal_.objective, to_string(goal_.state));
  if (!goal_.pause_reason.empty()) {
    text += fmt::format(" ({})", goal_.pause_reason);
  }
  if (!inert_.empty()) {
    text += fmt::format(", inert here: {}", inert_);
  }
  text += fmt::format("\nSo far: turns {}, continuations {}, tokens {} in and {} out, cost {}, "
                      "since {}",
                      goal_.turns, goal_.continuations, goal_.input_tokens, goal_.output_tokens,
                      money_for_people(goal_.cost), to_words(now.wall - goal_.created_at));
  text += fmt::format("\nActive for {}", to_words(active_until(now)));
  if (const std::string budgets = describe_budgets(goal_at(now), guards_); !budgets.empty()) {
    text += fmt::format("\nBudget: {}", budgets);
  }
  if (!check_command().empty()) {
    text += fmt::format("\nCheck: {}", check_command());
    if (check_) {
      text += fmt::format(" (runs since {})", to_words(now.wall - check_->started_at));
    } else if (goal_.check_failures > 0) {
      text += fmt::format(" (did not pass, {} in a row)", goal_.check_failures);
    }
  }
  if (!goal_.last_error.empty()) {
    text += fmt::format("\nLast error: {}", goal_.last_error);
  }
  if (goal_.state == phase::active && goal_.wait) {
    const auto left = goal_.wait->reset_at ? goal_.wait->left(now.wall)
                                           : std::chrono::duration_cast<std::chrono::milliseconds>(
                                               wait_until_.value_or(now.boot) - now.boot);
    text += fmt::format("\nNext attempt: {}, in {} ({})", until_text(), to_words(left),
                        goal_.wait->why);
    if (goal_.wait->what == waiting::kind::probe) {
      text += goal_.wait->why == usage_limit
                  ? "\nThe provider named no usable time; this is a probe."
                  : "\nThis is a probe.";
      text += " /goal resume tries now.";
    }
  }
  return text + untold;
}

void scheduler::announce(const char* what, std::string detail, std::optional<wall_time> until) {
  nlohmann::json line{
      {"version", 1},
      {"event", what},
      {"at", to_iso(now_.wall)},
      {"detail", detail},
      {"until", until ? nlohmann::json(to_iso(*until)) : nlohmann::json(nullptr)},
      {"session", session_id_},
      {"folder", working_folder_},
      {"goal", goal_.objective},
      {"state", to_string(goal_.state)},
      {"reason", goal_.pause_reason},
      {"turns", goal_.turns},
      {"tokens", goal_.input_tokens + goal_.output_tokens},
      {"cost", rounded_money(goal_.cost)},
  };
  out_.effects.emplace_back(tell_person{what, json_line(line)});
}

/// When the budget of hours ends if nothing changes; nothing when it has ended already.
std::optional<boot_time> scheduler::budget_ends_at() const {
  const auto left = time_left(goal_, guards_);
  if (!left || !counted_until_ || *left <= left->zero() || !inert_.empty()) {
    return std::nullopt;
  }
  return *counted_until_ + *left;
}

} // namespace resilient::goal
