#include "core/process/supervision.hpp"

#include "core/support/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <iterator>
#include <utility>

namespace resilient::process {

namespace {

bool lies_ahead(const std::variant<wall_time, boot_time>& until, const instant& now) {
  if (const auto* wall = std::get_if<wall_time>(&until)) {
    return *wall > now.wall;
  }
  return std::get<boot_time>(until) > now.boot;
}

} // namespace

const char* to_string(run_state state) noexcept {
  switch (state) {
  case run_state::idle:
    return "idle";
  case run_state::preparing:
    return "preparing";
  case run_state::starting:
    return "starting";
  case run_state::running:
    return "running";
  case run_state::stopping:
    return "stopping";
  case run_state::waiting:
    return "waiting";
  case run_state::ended:
    return "ended";
  }
  return "unknown";
}

std::vector<effect> supervision::handle(const event& happened, const instant& now) {
  effects_.clear();
  if (state_ != run_state::ended) {
    std::visit([&](const auto& each) { on(each, now); }, happened);
  }
  return std::exchange(effects_, {});
}

void supervision::adopt(int generation, int pid, const instant& now) {
  generation_ = generation;
  pid_ = pid;
  first_beat_at_ = now.monotonic;
  state_ = run_state::running;
  reason_ = "running";
}

std::vector<effect> supervision::resume_after(int generation) {
  generation_ = generation;
  effects_.clear();
  begin_preparing();
  return std::exchange(effects_, {});
}

void supervision::on(const start&, const instant&) {
  if (state_ == run_state::idle) {
    begin_preparing();
  }
}

void supervision::on(const prepared&, const instant&) {
  if (state_ != run_state::preparing) {
    return;
  }
  ++generation_;
  pid_ = 0;
  first_beat_at_.reset();
  interrupted_ = false;
  state_ = run_state::starting;
  reason_ = "starting";
  effects_.emplace_back(spawn{generation_});
}

void supervision::on(const refused& happened, const instant&) {
  if (state_ == run_state::preparing) {
    effects_.emplace_back(say{happened.message});
    finish_with(happened.exit_code, happened.message);
  }
}

void supervision::on(const child_started& happened, const instant& now) {
  if (state_ == run_state::starting) {
    pid_ = happened.pid;
    state_ = run_state::running;
    reason_ = "running";
  } else if (state_ == run_state::stopping && pid_ == 0) {
    // The stop was asked for before the child existed.
    pid_ = happened.pid;
    climb(now);
  }
}

void supervision::on(const child_failed& happened, const instant& now) {
  if (state_ == run_state::stopping) {
    finish_with(pending_exit_code_, pending_reason_);
    return;
  }
  if (state_ != run_state::starting) {
    return;
  }
  if (generation_ == 1 || happened.is_lasting) {
    const auto why = happened.is_lasting ? error_kind::no_input : error_kind::unavailable;
    effects_.emplace_back(say{happened.message});
    finish_with(static_cast<int>(why), happened.message);
    return;
  }
  effects_.emplace_back(record_death{generation_, happened.message, false, false});
  after_unexpected_end(false, happened.message, now);
}

void supervision::on(const first_beat&, const instant& now) {
  if (state_ == run_state::running && !first_beat_at_) {
    first_beat_at_ = now.monotonic;
  }
}

void supervision::on(const child_ended& happened, const instant& now) {
  if (state_ != run_state::running && state_ != run_state::stopping) {
    return;
  }
  disarm();
  effects_.emplace_back(clean_up_after_child{});
  pid_ = 0;
  const bool healthy = was_healthy(now);
  if (state_ == run_state::stopping && stop_cause_ == stop_cause::ending) {
    effects_.emplace_back(record_death{generation_, describe(happened.status), healthy, true});
    finish_with(pending_exit_code_, pending_reason_);
    return;
  }
  if (state_ == run_state::stopping) {
    const std::string cause = fmt::format("frozen ({}), stopped", frozen_finding_);
    effects_.emplace_back(record_death{generation_, cause, healthy, false});
    after_unexpected_end(healthy, cause, now);
    return;
  }
  const std::string cause = describe(happened.status);
  const std::string told =
      happened.last_words.empty() ? cause : fmt::format("{}, {}", cause, happened.last_words);
  if (interrupted_) {
    effects_.emplace_back(record_death{generation_, cause, healthy, true});
    finish_with(exit_interrupted, "interrupted");
    return;
  }
  if (is_normal_end(happened.status)) {
    effects_.emplace_back(record_death{generation_, cause, healthy, true});
    if (!first_beat_at_ && shell_status(happened.status) != 0) {
      effects_.emplace_back(show_child_errors{});
    }
    finish_with(shell_status(happened.status), fmt::format("Pi ended: {}", cause));
    return;
  }
  effects_.emplace_back(record_death{generation_, cause, healthy, false});
  after_unexpected_end(healthy, told, now);
}

void supervision::on(const child_frozen& happened, const instant& now) {
  if (state_ != run_state::running) {
    return;
  }
  state_ = run_state::stopping;
  stop_cause_ = stop_cause::frozen;
  frozen_finding_ = happened.finding;
  reason_ = fmt::format("stopping: {}", happened.finding);
  ladder_step_ = 0;
  climb(now);
}

void supervision::on(const interrupt&, const instant& now) {
  switch (state_) {
  case run_state::starting:
  case run_state::running:
    // Pi got the same signal when it came from the terminal. What it makes of it decides.
    interrupted_ = true;
    break;
  case run_state::stopping:
    if (stop_cause_ == stop_cause::frozen) {
      end_all(exit_interrupted, "interrupted", now);
    }
    break;
  default:
    end_all(exit_interrupted, "interrupted", now);
    break;
  }
}

void supervision::on(const terminate& happened, const instant& now) {
  end_all(128 + happened.signal_number,
          fmt::format("{} to the launcher", signal_name(happened.signal_number)), now);
}

void supervision::on(const stop_requested& happened, const instant& now) {
  end_all(happened.exit_code, fmt::format("stopped by {}", happened.who), now);
}

void supervision::on(const evicted& happened, const instant& now) {
  effects_.emplace_back(say{happened.message});
  end_all(happened.exit_code, happened.message, now);
}

void supervision::on(const try_now&, const instant&) {
  if (state_ != run_state::waiting) {
    return;
  }
  disarm();
  if (std::exchange(waiting_for_goal_, false)) {
    goal_wait_.reset();
    effects_.emplace_back(probe_goal{});
  }
  begin_preparing();
}

void supervision::on(const goal_changed& happened, const instant& now) {
  goal_active_ = happened.active;
  goal_wait_ = happened.wait;
  if (state_ != run_state::waiting || !waiting_for_goal_) {
    return;
  }
  if (goal_wait_ && lies_ahead(goal_wait_->until, now)) {
    wait_until(goal_wait_->until, goal_wait_->why);
  } else {
    waiting_for_goal_ = false;
    disarm();
    begin_preparing();
  }
}

void supervision::on(const alarm_rang& happened, const instant& now) {
  if (happened.number != alarm_number_) {
    return;
  }
  if (state_ == run_state::stopping) {
    climb(now);
  } else if (state_ == run_state::waiting) {
    if (until_ && lies_ahead(*until_, now)) {
      // The wall clock was set back meanwhile.
      arm(*until_);
      return;
    }
    waiting_for_goal_ = false;
    begin_preparing();
  }
}

bool supervision::is_normal_end(const exit_status& status) const {
  const auto* code = std::get_if<exited>(&status);
  if (mode_ == run_mode::print) {
    return !goal_active_;
  }
  if (code == nullptr) {
    return false;
  }
  return code->code == 0 || (generation_ == 1 && !first_beat_at_);
}

bool supervision::was_healthy(const instant& now) const {
  return first_beat_at_ && now.monotonic - *first_beat_at_ >= limits_.healthy_after;
}

/// Ends the run: at once without a child, by the ladder with one.
void supervision::end_all(int exit_code, std::string reason, const instant& now) {
  if (state_ != run_state::starting && state_ != run_state::running
      && state_ != run_state::stopping) {
    disarm();
    finish_with(exit_code, std::move(reason));
    return;
  }
  if (state_ == run_state::stopping && stop_cause_ == stop_cause::ending) {
    return;
  }
  const bool climbing = state_ == run_state::stopping;
  state_ = run_state::stopping;
  stop_cause_ = stop_cause::ending;
  pending_exit_code_ = exit_code;
  pending_reason_ = std::move(reason);
  reason_ = fmt::format("stopping: {}", pending_reason_);
  if (!climbing) {
    ladder_step_ = 0;
    if (pid_ != 0) {
      climb(now);
    }
  }
}

/// The next step of the ladder. A stopped process acts on no signal but SIGCONT and SIGKILL, and
/// a second SIGTERM ends a Pi that is still shutting down.
void supervision::climb(const instant& now) {
  struct rung {
    int signal_number;
    std::chrono::nanoseconds deadline;
  };
  const rung rungs[] = {
      {SIGTERM, limits_.first_term},
      {SIGTERM, limits_.second_term},
      {SIGCONT, limits_.resume},
      {SIGKILL, limits_.kill},
  };
  const auto last = static_cast<int>(std::size(rungs)) - 1;
  const rung& next = rungs[std::min(ladder_step_, last)];
  ++ladder_step_;
  effects_.emplace_back(send_signal{next.signal_number});
  arm(now.boot + next.deadline);
}

void supervision::after_unexpected_end(bool healthy, const std::string& cause, const instant& now) {
  stop_cause_ = stop_cause::none;
  if (healthy) {
    failures_ = 0;
    ever_healthy_ = true;
    said_probing_ = false;
  } else {
    ++failures_;
  }
  if (goal_wait_ && lies_ahead(goal_wait_->until, now)) {
    waiting_for_goal_ = true;
    wait_until(goal_wait_->until, goal_wait_->why);
    return;
  }
  if (healthy) {
    begin_preparing();
    return;
  }
  if (failures_ < limits_.failures) {
    wait_until(now.boot + limits_.restart.delay(failures_, random_), fmt::format("Pi: {}", cause));
    return;
  }
  if (!ever_healthy_) {
    effects_.emplace_back(show_child_errors{});
    const std::string reason =
        fmt::format("gave up: Pi failed {} times in a row, last: {}", failures_, cause);
    effects_.emplace_back(say{reason});
    effects_.emplace_back(report_crash_loop{reason});
    finish_with(exit_gave_up, reason);
    return;
  }
  if (!std::exchange(said_probing_, true)) {
    const std::string line = fmt::format(
        "Pi failed {} times in a row, last: {}. Trying again every {} minutes.", failures_, cause,
        std::chrono::duration_cast<std::chrono::minutes>(limits_.probe).count());
    effects_.emplace_back(say{line});
    effects_.emplace_back(report_crash_loop{line});
  }
  wait_until(now.boot + limits_.probe, fmt::format("Pi keeps failing: {}", cause));
}

void supervision::begin_preparing() {
  until_.reset();
  state_ = run_state::preparing;
  reason_ = "preparing";
  effects_.emplace_back(show_waiting{});
  effects_.emplace_back(prepare{});
}

void supervision::wait_until(std::variant<wall_time, boot_time> until, std::string why) {
  state_ = run_state::waiting;
  until_ = until;
  reason_ = fmt::format("waiting: {}", why);
  effects_.emplace_back(show_waiting{std::move(why), until});
  arm(until);
}

void supervision::arm(std::variant<wall_time, boot_time> at) {
  effects_.emplace_back(arm_alarm{++alarm_number_, at});
}

void supervision::disarm() {
  ++alarm_number_;
  effects_.emplace_back(disarm_alarm{});
}

void supervision::finish_with(int exit_code, std::string reason) {
  state_ = run_state::ended;
  until_.reset();
  reason_ = reason;
  effects_.emplace_back(show_waiting{});
  effects_.emplace_back(finish{exit_code, std::move(reason)});
}

} // namespace resilient::process
