#pragma once

#include "core/canary/proposal.hpp"
#include "core/goal/proposal.hpp"

#include <string>
#include <variant>

/// Who acts when Pi has settled.
namespace resilient::boundary {

struct proposals {
  bool user_input_pending = false; ///< the person wrote something that Pi has not begun
  canary::proposal recovery;       ///< what a canary recovery that is under way wants
  goal::proposal goal;
  bool goal_waits = false; ///< if it does not go on now, it does later
};

/// Exactly one acts: queued user input, then a running recovery (which answers its own boundaries),
/// then the goal.
[[nodiscard]] goal::proposal decide(const proposals& proposed);

/// How what canon has to say goes out.
enum class canon_part {
  held,                    ///< not now
  with_continuation,       ///< in the text that continues the goal: one message, not two
  with_later_continuation, ///< when the goal's wait is over
  with_the_next_prompt,    ///< Pi keeps it until somebody writes
  before_next_request,     ///< in the run that goes on
};

/// At the end of a turn: only a run that goes on by itself is told at once, since a message would
/// make another one go on.
[[nodiscard]] canon_part canon_at_turn(bool has_tool_calls, const canary::proposal& recovery);

/// At a boundary for which `decide` has decided. `settled` is false where Pi may still go on by
/// itself.
[[nodiscard]] canon_part canon_at_boundary(const proposals& proposed, const goal::proposal& decided,
                                           bool settled);

} // namespace resilient::boundary
