#pragma once

#include "core/goal/classify.hpp"
#include "core/goal/record.hpp"
#include "core/support/backoff.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// How long to wait after what happened. The figures are the product's defaults.
namespace resilient::goal {

using namespace std::chrono_literals;

/// What people read while a plan is used up.
inline constexpr std::string_view usage_limit = "usage limit";

struct schedule_limits {
  backoff transient{2s, 5min};
  backoff unknown{30s, 15min};
  std::chrono::nanoseconds usage_probe = 15min;
  std::chrono::nanoseconds auth_probe = 30min;
  /// Added to a provider's reset, since clocks differ.
  std::chrono::milliseconds reset_margin = 15s;
  /// Spread over this, one place per session, so that the sessions of an account do not wake
  /// together.
  std::chrono::milliseconds reset_spread = 30s;
  /// A reset nearer than this, named once more after a failure, is one that does not come: the
  /// pauses grow then as if the provider had failed.
  std::chrono::milliseconds reset_due = 1min;
  /// Answers without any tool call in a row that cost nothing.
  int free_answers = 2;
  backoff slow{1s, 15min};
  int overflows = 2;      ///< so many overflows in a row pause the goal
  int blocked = 3;        ///< so many declarations in a row are believed
  int check_failures = 3; ///< so many refusals by the check pause the goal
  std::chrono::milliseconds check_deadline = 30min; ///< a check that takes longer has failed
  std::chrono::nanoseconds abort_grace = 1s;        ///< an abort followed by a shutdown is no pause
  std::chrono::nanoseconds settle_grace = 1s; ///< a session that just opened may get a prompt first
  std::chrono::nanoseconds begin_deadline = 60s; ///< a sent continuation must begin within
};

/// A wait that should begin, or a pause when `pause_reason` is set.
struct planned_wait {
  waiting::kind kind = waiting::kind::backoff;
  std::string why;
  std::chrono::milliseconds length{0};
  std::optional<wall_time> reset_at; ///< with margin and spread
  std::string pause_reason;
  std::string advice; ///< what the person can do; for a notice
};

/// What follows from a failed run. `goal` already counts it in `failures` and `overflows`.
[[nodiscard]] planned_wait plan_after_failure(const record& goal, const verdict& verdict,
                                              const std::string& session_id,
                                              const schedule_limits& limits, jitter& random,
                                              wall_time now);

/// What follows from an answer without any tool call: a length of zero means go on at once. `goal`
/// already counts it in `without_tools`.
[[nodiscard]] planned_wait plan_after_idle_answer(const record& goal,
                                                  const schedule_limits& limits);

} // namespace resilient::goal
