#include "core/goal/scheduler.hpp"
#include "core/goal/texts.hpp"
#include "core/support/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace resilient::goal {

namespace {

/// How much longer than its deadline a check may be waited for.
constexpr std::chrono::minutes check_slack = 1min;
constexpr std::size_t longest_report = 4000; // UTF-16 code units

std::string names_of(const std::vector<budget>& budgets) {
  std::vector<std::string> names;
  names.reserve(budgets.size());
  for (const budget each : budgets) {
    names.emplace_back(to_string(each));
  }
  return fmt::format("{}", fmt::join(names, " and "));
}

/// The end of the text, where a program says what went wrong.
std::string end_of(const std::string& output) {
  const std::string readable = to_valid_utf8(output);
  std::string_view end = trim_end(readable);
  while (utf16_length(end) > longest_report) {
    const std::size_t line = end.find('\n');
    // A single overlong line keeps its beginning.
    if (line == std::string_view::npos) {
      end = utf16_prefix(end, longest_report);
      break;
    }
    end.remove_prefix(line + 1);
  }
  return std::string{end};
}

} // namespace

/// On the boot clock, which goes on while the machine sleeps and is never set.
std::chrono::milliseconds scheduler::active_until(const instant& now) const {
  using std::chrono::milliseconds;
  if (!counted_until_ || goal_.state != phase::active || !inert_.empty()) {
    return goal_.active;
  }
  const auto passed = std::chrono::duration_cast<milliseconds>(now.boot - *counted_until_);
  return goal_.active + std::max(milliseconds{0}, passed);
}

void scheduler::count_time(const instant& now) {
  if (!counted_until_ || goal_.state != phase::active || !inert_.empty()) {
    counted_until_ = now.boot;
    return;
  }
  // What is less than a millisecond stays for the next time.
  const std::chrono::milliseconds counted = active_until(now);
  *counted_until_ += counted - goal_.active;
  goal_.active = counted;
}

void scheduler::on(const guards_known& happened, const instant&) {
  guards_ = happened.limits;
  for (const std::string& problem : happened.problems) {
    out_.effects.emplace_back(notify{notice_level::warning, problem});
  }
}

// -- budgets
// ---------------------------------------------------------------------------------------

/// A run that is going on is not cut off: budgets are looked at between runs.
void scheduler::enforce_budgets() {
  if (goal_.state != phase::active || !inert_.empty() || !attached_ || running_ || check_
      || pause_at_) {
    return;
  }
  const std::vector<budget> ended = used_up(goal_, guards_);
  if (!ended.empty()) {
    pause(pause_reason_of(ended.front()),
          fmt::format("The goal is paused: its budget of {} is used up ({}). /goal extend grants "
                      "as much again.",
                      names_of(ended), describe_budgets(goal_, guards_)));
  }
}

void scheduler::extend_budgets() {
  const bool was_paused_for_it = starts_with(goal_.pause_reason, "budget_");
  const std::vector<budget> grown = extend(goal_, guards_);
  if (grown.empty()) {
    answer(notice_level::warning,
           "No budget is set, so there is nothing to extend. Budgets are "
           "set with --max-turns, --max-hours, --max-tokens and --max-cost.");
    return;
  }
  ++goal_.revision;
  std::string told = fmt::format("The budget of {} is extended: {}.", names_of(grown),
                                 describe_budgets(goal_, guards_));
  if (goal_.state == phase::paused && was_paused_for_it) {
    change_phase(phase::active, "");
    begin_at_.reset();
    told += " The goal is active again.";
    announce("resumed", told);
  } else if (goal_.state == phase::paused) {
    told += " The goal stays paused; /goal resume goes on.";
  }
  answer(notice_level::info, std::move(told));
}

// -- the check
// -------------------------------------------------------------------------------------

const std::string& scheduler::check_command() const {
  return goal_.check.empty() ? guards_.check : goal_.check;
}

void scheduler::ask_for_completion(const instant& now) {
  if (check_command().empty()) {
    complete("The agent marked the goal complete.");
    answer_agent(tool_result_complete(goal_), false);
    return;
  }
  const bool runs_already = check_.has_value();
  if (!runs_already) {
    check_ = running_check{random_.next(), goal_.id, goal_.revision, now.wall,
                           now.boot + options_.limits.check_deadline + check_slack};
    out_.effects.emplace_back(run_check{check_->number, check_command(), working_folder_,
                                        options_.limits.check_deadline});
  }
  answer_agent(tool_result_checking(check_command(), runs_already), false);
}

void scheduler::on(const check_finished& happened, const instant&) {
  if (!check_ || check_->number != happened.number) {
    return;
  }
  const running_check ended = *check_;
  check_.reset();
  // Whatever a person changed meanwhile, the check knew nothing of it.
  if (ended.goal != goal_.id || ended.revision != goal_.revision) {
    return;
  }
  if (happened.accepted) {
    complete("The agent marked the goal complete, and its check passed.");
    return;
  }
  ++goal_.check_failures;
  ++goal_.revision;
  goal_.check_report = check_report(check_command(), happened.how, end_of(happened.output));
  if (goal_.check_failures >= options_.limits.check_failures && goal_.state == phase::active) {
    pause("check", fmt::format("The goal is paused: its check did not pass, {} times in a row "
                               "({}: {}). /goal resume goes on.",
                               goal_.check_failures, check_command(), happened.how));
    return;
  }
  out_.effects.emplace_back(
      notify{notice_level::warning, fmt::format("The check of the goal did not pass ({}: {}).",
                                                check_command(), happened.how)});
  save();
}

void scheduler::complete(std::string notice) {
  change_phase(phase::complete, "");
  goal_.last_error.clear();
  announce("complete", notice);
  out_.effects.emplace_back(notify{notice_level::info, std::move(notice)});
  save();
}

// -- for people
// ------------------------------------------------------------------------------------

void scheduler::on(const run_changed& happened, const instant&) {
  announce(happened.what.c_str(), happened.detail);
}

void scheduler::on(const person_told& happened, const instant&) {
  untold_ = happened.problem.empty() ? std::string{}
                                     : fmt::format("The command of --on-event failed for {} ({}).",
                                                   happened.event, happened.problem);
}

} // namespace resilient::goal
