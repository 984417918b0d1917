#include "core/goal/scheduler.hpp"

#include "core/goal/texts.hpp"
#include "core/goal/times_for_people.hpp"
#include "core/support/calendar.hpp"
#include "core/support/secrets.hpp"
#include "core/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace resilient::goal {

namespace {

constexpr std::size_t longest_error = 500; // UTF-16 code units of an error text that are kept
constexpr std::chrono::seconds retry_send = 5s;
/// Longer than the wait itself, so that the continuation finds Pi still there.
constexpr std::chrono::seconds keep_open_slack = 30s;

} // namespace

const char* to_string(notice_level level) noexcept {
  switch (level) {
  case notice_level::info:
    return "info";
  case notice_level::warning:
    return "warning";
  case notice_level::error:
    return "error";
  }
  return "info";
}

outcome scheduler::handle(const event& happened, const instant& now) {
  out_ = {};
  now_ = now;
  count_time(now);
  at_boundary_ = std::holds_alternative<boundary>(happened);
  std::visit([&](const auto& each) { on(each, now); }, happened);
  enforce_budgets();
  consider(now);
  update_outside(now);
  command_in_print_ = false;
  return std::exchange(out_, {});
}

// -- Pi
// --------------------------------------------------------------------------------------------

void scheduler::on(const attached& happened, const instant& now) {
  attached_ = true;
  mode_ = happened.mode;
  settles_in_print_ = happened.settles_in_print;
  running_ = !happened.idle;
  pending_ = happened.pending;
  kept_open_ = false;
  const bool same_session = session_id_ == happened.session_id;
  session_id_ = happened.session_id;
  working_folder_ = happened.working_folder;
  in_flight_.clear();
  in_flight_until_.reset();
  pause_at_.reset();
  shown_status_.reset();
  if (!happened.previous_death.empty()) {
    previous_death_ = happened.previous_death;
  }
  if (!happened.leftovers.empty()) {
    leftovers_ = happened.leftovers;
  }
  // A Pi that was started in place of a dead one has no prompt of its own.
  begin_at_ =
      now.boot + (happened.restarted ? std::chrono::nanoseconds{0} : options_.limits.settle_grace);
  if (!same_session) {
    unsaved_ = false;
  }
  take_entry(happened.entry, happened.reason == "fork", now);
  if (const std::string asked = std::exchange(probe_when_attached_, {});
      !asked.empty() && asked == goal_.id) {
    on(probe_now{}, now);
    begin_at_ = now.boot + options_.limits.settle_grace;
  }
  if (std::exchange(options_.start_paused, false) && goal_.state == phase::active) {
    pause("user", "The goal starts paused, as asked. /goal resume goes on.");
  }
}

void scheduler::on(const detached&, const instant&) {
  attached_ = false;
  running_ = false;
  pending_ = false;
  kept_open_ = false;
  in_flight_.clear();
  in_flight_until_.reset();
  pause_at_.reset();
  begin_at_.reset();
}

void scheduler::on(const branch_changed& happened, const instant& now) {
  unsaved_ = false;
  take_entry(happened.entry, false, now);
}

void scheduler::on(const run_started&, const instant&) {
  running_ = true;
  ended_in_run_.clear();
  idle_beats_ = 0;
  in_flight_.clear();
  in_flight_until_.reset();
  last_response_ = {};
}

void scheduler::on(const input_seen& happened, const instant&) {
  if (!happened.own && goal_.without_tools != 0) {
    goal_.without_tools = 0;
  }
}

void scheduler::on(const response_seen& happened, const instant&) {
  // A good one takes the bad one before it back: what fails later has another reason.
  last_response_ = happened.status >= 400 ? happened : response_seen{};
}

void scheduler::on(const presence& happened, const instant&) {
  pending_ = happened.pending;
  if (!happened.idle || happened.pending) {
    idle_beats_ = 0;
    return;
  }
  // A boundary whose answer was lost must not leave the goal hanging.
  if (running_ && ++idle_beats_ >= 2) {
    running_ = false;
    idle_beats_ = 0;
  }
}

void scheduler::on(const send_finished& happened, const instant& now) {
  if (happened.token == in_flight_ && !happened.ok) {
    in_flight_.clear();
    in_flight_until_.reset();
    begin_at_ = now.boot + retry_send;
  }
}

void scheduler::on(const goodbye&, const instant& now) {
  on(detached{}, now);
}

// -- others
// ----------------------------------------------------------------------------------------

void scheduler::on(const recovery_changed& happened, const instant&) {
  held_ = happened.held;
}

void scheduler::on(const recovery_paused& happened, const instant&) {
  held_ = false;
  if (goal_.state == phase::active) {
    pause("canary", happened.why);
  }
}

void scheduler::on(const inert_changed& happened, const instant&) {
  inert_ = happened.why;
}

void scheduler::on(const probe_now&, const instant&) {
  if (goal_.state == phase::active) {
    ++goal_.revision;
    end_wait();
    begin_at_.reset();
    save();
    if (!attached_) {
      // Nobody stores this now, and the next Pi brings the wait back.
      probe_when_attached_ = goal_.id;
    }
  }
}

void scheduler::on(const alarm_rang&, const instant& now) {
  if (pause_at_ && *pause_at_ <= now.boot) {
    pause_at_.reset();
    if (goal_.state == phase::active) {
      pause("abort", "The goal is paused because the run was stopped. /goal resume goes on.");
    }
  }
  if (begin_at_ && *begin_at_ <= now.boot) {
    begin_at_.reset();
  }
  if (in_flight_until_ && *in_flight_until_ <= now.boot) {
    in_flight_.clear();
    in_flight_until_.reset();
  }
  if (goal_.wait && !is_waiting(now)) {
    end_wait();
  }
  if (check_ && check_->until <= now.boot) {
    on(check_finished{check_->number, false, "nothing was heard of it", {}}, now);
  }
}

// -- judging a run
// ---------------------------------------------------------------------------------

void scheduler::on(const boundary& happened, const instant& now) {
  running_ = !happened.idle && !happened.settled;
  pending_ = happened.pending;
  idle_beats_ = 0;
  kept_open_ = false;
  in_flight_.clear();
  in_flight_until_.reset();
  begin_at_.reset();
  const bool ended_in_run = std::exchange(ended_in_run_, {}) == goal_.id;
  if (!inert_.empty() || (goal_.state != phase::active && !ended_in_run)
      || goal_.state == phase::none) {
    return;
  }
  goal_.turns += happened.turns;
  goal_.input_tokens += happened.input_tokens;
  goal_.output_tokens += happened.output_tokens;
  goal_.cost += happened.cost;
  if (goal_.state != phase::active) {
    save();
    return;
  }
  const bool failed = happened.stop == "error" || !happened.error.empty();
  if (happened.aborted || happened.stop == "aborted" || (happened.escape && failed)) {
    // The supervisor's own stop of a busy Pi looks the same, but a shutdown follows at once.
    pause_at_ = now.boot + options_.limits.abort_grace;
  } else if (failed) {
    judge_failure(happened, now);
  } else {
    judge_answer(happened, now);
  }
  save();
}

void scheduler::judge_answer(const boundary& happened, const instant& now) {
  goal_.failures = 0;
  goal_.overflows = 0;
  goal_.last_error.clear();
  end_wait();
  after_wait_.clear();
  if (std::exchange(limited_until_, std::nullopt)) {
    announce("resumed", "the usage limit is over");
  }
  goal_.blocked = std::exchange(blocked_now_, false) ? goal_.blocked + 1 : 0;
  if (goal_.blocked >= options_.limits.blocked) {
    pause("blocked", fmt::format("The goal is paused: the agent said {} times in a row that it "
                                 "cannot go on{}. Help it, then /goal resume.",
                                 goal_.blocked,
                                 blocked_why_.empty() ? "" : fmt::format(" ({})", blocked_why_)));
    return;
  }
  if (happened.tool_calls > 0) {
    goal_.without_tools = 0;
    return;
  }
  ++goal_.without_tools;
  const planned_wait plan = plan_after_idle_answer(goal_, options_.limits);
  if (plan.length > plan.length.zero()) {
    begin_wait(plan, now);
  }
}

void scheduler::judge_failure(const boundary& happened, const instant& now) {
  failure seen;
  seen.text = happened.error;
  seen.provider = happened.provider;
  seen.stop_reason = happened.stop;
  seen.observed_at = now.wall;
  seen.local_zone = options_.local_zone;
  if (last_response_.status != 0) {
    seen.status = last_response_.status;
    seen.headers = last_response_.headers;
  }
  const verdict judged = classify(seen);
  blocked_now_ = false;
  if (happened.tool_calls > 0) {
    // Work was done before it failed: this is the first failure in a row.
    goal_.failures = 0;
    goal_.without_tools = 0;
  }
  ++goal_.failures;
  goal_.overflows = judged.kind == error_class::overflow ? goal_.overflows + 1 : 0;
  const std::string readable = mask_secrets(to_valid_utf8(happened.error));
  goal_.last_error = std::string{utf16_prefix(readable, longest_error)};
  const planned_wait plan =
      plan_after_failure(goal_, judged, session_id_, options_.limits, random_, now.wall);
  if (plan.pause_reason.empty()) {
    begin_wait(plan, now);
    if (judged.kind == error_class::usage_exhausted) {
      tell_limit();
    }
    if (!plan.advice.empty()) {
      out_.effects.emplace_back(
          notify{notice_level::warning,
                 fmt::format("{}: {} Next attempt {}.", plan.why, plan.advice, until_text())});
    } else if (plan.kind == waiting::kind::reset) {
      out_.effects.emplace_back(notify{
          notice_level::info, fmt::format("{}: the goal goes on at {}.", plan.why, until_text())});
    }
  } else if (plan.pause_reason == "abort") {
    pause_at_ = now.boot + options_.limits.abort_grace;
  } else {
    pause(plan.pause_reason,
          fmt::format("The goal is paused: {}. {} ({})", plan.why, plan.advice, goal_.last_error));
  }
}

void scheduler::pause(std::string reason, std::string notice) {
  change_phase(phase::paused, std::move(reason));
  announce(goal_.pause_reason == "blocked" ? "blocked" : "paused", notice);
  out_.effects.emplace_back(notify{notice_level::warning, std::move(notice)});
  save();
}

/// Says it when the limit begins and when its end moves, not at every probe.
void scheduler::tell_limit() {
  constexpr std::chrono::minutes moved = 2min;
  const bool has_end = goal_.wait->reset_at.has_value();
  const wall_time until = goal_.wait->reset_at.value_or(wall_time{});
  const bool known = limited_until_
                     && (has_end ? std::chrono::abs(until - *limited_until_) < moved
                                 : *limited_until_ == wall_time{});
  if (!known) {
    limited_until_ = until;
    announce("limited", goal_.last_error, has_end ? std::optional{until} : std::nullopt);
  }
}

void scheduler::begin_wait(const planned_wait& plan, const instant& now) {
  waiting wait;
  wait.what = plan.kind;
  wait.why = plan.why;
  wait.started_at = now.wall;
  wait.length = plan.length;
  wait.reset_at = plan.reset_at;
  goal_.wait = wait;
  wait_until_.reset();
  if (!wait.reset_at) {
    wait_until_ = now.boot + wait.length;
  }
}

void scheduler::end_wait() {
  if (goal_.wait) {
    after_wait_ = goal_.wait->why;
  }
  goal_.wait.reset();
  wait_until_.reset();
}

bool scheduler::is_waiting(const instant& now) const {
  if (!goal_.wait) {
    return false;
  }
  if (goal_.wait->reset_at) {
    return *goal_.wait->reset_at > now.wall;
  }
  return wait_until_ && *wait_until_ > now.boot;
}

// -- continuing
// ------------------------------------------------------------------------------------

bool scheduler::may_continue(const instant& now) const {
  const bool host_takes_it =
      mode_ != host_mode::print || at_boundary_ || kept_open_ || command_in_print_;
  return attached_ && host_takes_it && goal_.state == phase::active && inert_.empty() && !held_
         && !running_ && !pending_ && in_flight_.empty() && !pause_at_ && !begin_at_ && !check_
         && !is_waiting(now);
}

/// Continues whenever nothing speaks against it: no goal hangs on a single reply.
void scheduler::consider(const instant& now) {
  if (may_continue(now)) {
    const continue_with next = next_continuation(now);
    if (at_boundary_) {
      out_.at_boundary = next;
    } else {
      out_.effects.emplace_back(send{next});
    }
    if (out_.command) {
      out_.command->starts_run = true;
    }
    return;
  }
  const bool will_continue = goal_.state == phase::active && inert_.empty() && !held_;
  if (at_boundary_ && mode_ == host_mode::print && settles_in_print_ && will_continue
      && (is_waiting(now) || check_)) {
    kept_open_ = true;
    std::chrono::milliseconds length = is_waiting(now) ? goal_.wait->left(now.wall) : 0ms;
    if (check_) {
      length = std::max(length, options_.limits.check_deadline);
    }
    out_.at_boundary = keep_open{length + keep_open_slack};
  } else if (kept_open_ && !will_continue) {
    kept_open_ = false;
    out_.effects.emplace_back(release_host{});
  }
}

continue_with scheduler::next_continuation(const instant& now) {
  continuation_context context;
  context.first = std::exchange(first_continuation_, false);
  context.previous_death = std::exchange(previous_death_, {});
  context.leftovers = std::exchange(leftovers_, {});
  context.after_wait = std::exchange(after_wait_, {});
  context.check_report = std::exchange(goal_.check_report, {});
  if (goal_.wait) {
    context.after_wait = goal_.wait->why;
    goal_.wait.reset();
    wait_until_.reset();
  }
  ++goal_.continuations;
  kept_open_ = false;
  // Counts go back with the branch, and Pi takes a token that it knows for sent: a random part
  // makes each one new.
  in_flight_ = fmt::format("{}:{}:{:016x}", goal_.id, goal_.revision, random_.next());
  in_flight_until_ = now.boot + options_.limits.begin_deadline;
  save();
  return {continuation_text(goal_, context), in_flight_};
}

void scheduler::take_entry(const std::optional<nlohmann::json>& entry, bool forked,
                           const instant& now) {
  record known = std::exchange(goal_, {});
  const bool was_unsaved = std::exchange(unsaved_, false);
  const auto known_limit = std::exchange(limited_until_, std::nullopt);
  const auto known_check = std::exchange(check_, std::nullopt);
  const auto known_pause = std::exchange(pause_at_, std::nullopt);
  wait_until_.reset();
  after_wait_.clear();
  ended_in_run_.clear();
  blocked_now_ = false;
  first_continuation_ = false;
  if (!entry) {
    return;
  }
  result<record> read = record_from_json(*entry);
  if (!read) {
    out_.effects.emplace_back(
        notify{notice_level::error,
               fmt::format("The goal of this session cannot be read: {}.", read.error().message)});
    return;
  }
  goal_ = std::move(*read);
  if (known.id == goal_.id) {
    limited_until_ = known_limit;
    check_ = known_check;
    pause_at_ = known_pause;
    if (was_unsaved && known.revision > goal_.revision) {
      // A person or a check decided while no Pi was there to store it.
      goal_ = std::move(known);
      save();
    } else {
      goal_.active = std::max(goal_.active, known.active);
    }
  }
  first_continuation_ = goal_.continuations == 0 && goal_.turns == 0;
  if (goal_.wait && !goal_.wait->reset_at) {
    wait_until_ = now.boot + goal_.wait->left(now.wall);
  }
  if (goal_.state == phase::active && goal_.wait && goal_.wait->why == usage_limit
      && !limited_until_) {
    // People were told by the process before this one.
    limited_until_ = goal_.wait->reset_at.value_or(wall_time{});
  }
  if (forked && goal_.state == phase::active) {
    pause("fork", "The goal of the forked session starts paused. /goal resume goes on here.");
  }
}

/// Appends the goal to the session log, once for each event, with its last state.
void scheduler::save() {
  unsaved_ = !attached_;
  auto& effects = out_.effects;
  const auto older = std::find_if(effects.begin(), effects.end(), [](const effect& each) {
    return std::holds_alternative<append_record>(each);
  });
  if (older != effects.end()) {
    *older = append_record{to_json(goal_)};
  } else {
    effects.insert(effects.begin(), append_record{to_json(goal_)});
  }
}

} // namespace resilient::goal
