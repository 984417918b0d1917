#include "core/goal/schedule.hpp"

#include <fmt/format.h>

namespace resilient::goal {

namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

/// The place of a session in the spread after a reset: the same for the same session, even over
/// sessions.
milliseconds place_in(milliseconds spread, const std::string& session_id) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char each : session_id) {
    hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001b3ULL;
  }
  return milliseconds{static_cast<std::int64_t>(
      jitter{hash}.next() % (static_cast<std::uint64_t>(spread.count()) + 1))};
}

planned_wait back_off(std::string why, const backoff& delays, int failures,
                      std::optional<milliseconds> floor, jitter& random) {
  planned_wait plan;
  plan.why = std::move(why);
  plan.length = duration_cast<milliseconds>(delays.delay(failures, random));
  if (floor) {
    plan.length = std::max(plan.length, *floor);
  }
  return plan;
}

planned_wait probe(std::string why, std::chrono::nanoseconds every, std::string advice) {
  planned_wait plan;
  plan.kind = waiting::kind::probe;
  plan.why = std::move(why);
  plan.length = duration_cast<milliseconds>(every);
  plan.advice = std::move(advice);
  return plan;
}

planned_wait give_back(std::string reason, std::string why, std::string advice) {
  planned_wait plan;
  plan.pause_reason = std::move(reason);
  plan.why = std::move(why);
  plan.advice = std::move(advice);
  return plan;
}

} // namespace

planned_wait plan_after_failure(const record& goal, const verdict& verdict,
                                const std::string& session_id, const schedule_limits& limits,
                                jitter& random, wall_time now) {
  switch (verdict.kind) {
  case error_class::transient:
    return back_off("the provider failed", limits.transient, goal.failures, verdict.retry_after,
                    random);
  case error_class::rate_limit:
    return back_off("rate limit", limits.transient, goal.failures, verdict.retry_after, random);
  case error_class::usage_exhausted: {
    if (!verdict.reset_at || verdict.what != action::wait) {
      planned_wait plan =
          probe(std::string{usage_limit}, limits.usage_probe,
                verdict.reset_at ? "The reset that the provider named lies more than 8 days ahead."
                                 : "The provider named no reset time.");
      return plan;
    }
    const milliseconds after_reset =
        limits.reset_margin + place_in(limits.reset_spread, session_id);
    if (goal.failures > 1 && *verdict.reset_at - now < limits.reset_due) {
      const milliseconds left = std::max(milliseconds{0}, *verdict.reset_at - now);
      return back_off(std::string{usage_limit}, limits.transient, goal.failures, left + after_reset,
                      random);
    }
    planned_wait plan;
    plan.kind = waiting::kind::reset;
    plan.why = usage_limit;
    plan.reset_at = *verdict.reset_at + after_reset;
    plan.length = std::max(milliseconds{0}, *plan.reset_at - now);
    return plan;
  }
  case error_class::overflow:
    if (goal.overflows >= limits.overflows) {
      return give_back("overflow", "the conversation does not fit the model",
                       "Compacting did not help. Shorten the conversation (/compact) or choose a "
                       "model with a larger context, then /goal resume.");
    }
    return back_off("the conversation was too long", limits.transient, goal.overflows, std::nullopt,
                    random);
  case error_class::auth:
    return probe("the provider refused the credentials", limits.auth_probe,
                 "Log in again or mend the key. It is also tried again by itself, since another "
                 "program may renew the token.");
  case error_class::config:
    return give_back("config", "the request itself was refused",
                     "Trying again cannot help. Mend the model or provider settings, then /goal "
                     "resume.");
  case error_class::abort:
    return give_back("abort", "the run was stopped", "/goal resume goes on.");
  case error_class::unknown:
    break;
  }
  return back_off("an error of an unknown kind", limits.unknown, goal.failures, verdict.retry_after,
                  random);
}

planned_wait plan_after_idle_answer(const record& goal, const schedule_limits& limits) {
  planned_wait plan;
  plan.kind = waiting::kind::slow;
  const int paid = goal.without_tools - limits.free_answers;
  if (paid > 0) {
    plan.length = duration_cast<milliseconds>(limits.slow.ceiling(paid));
    plan.why = fmt::format("{} answers in a row without any tool call", goal.without_tools);
  }
  return plan;
}

} // namespace resilient::goal
