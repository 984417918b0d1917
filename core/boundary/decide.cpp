#include "core/boundary/decide.hpp"

namespace resilient::boundary {

goal::proposal decide(const proposals& proposed) {
  if (proposed.user_input_pending || proposed.recovery.holds_goal) {
    return goal::let_settle{};
  }
  return proposed.goal;
}

canon_part canon_at_turn(bool has_tool_calls, const canary::proposal& recovery) {
  const bool acts = recovery.holds_goal || recovery.continue_run || !recovery.entries.empty();
  return has_tool_calls && !acts ? canon_part::before_next_request : canon_part::held;
}

canon_part canon_at_boundary(const proposals& proposed, const goal::proposal& decided,
                             bool settled) {
  if (proposed.recovery.holds_goal) {
    return canon_part::held;
  }
  if (std::holds_alternative<goal::continue_with>(decided)) {
    return canon_part::with_continuation;
  }
  if (!settled) {
    return canon_part::held;
  }
  return proposed.goal_waits && !proposed.user_input_pending ? canon_part::with_later_continuation
                                                             : canon_part::with_the_next_prompt;
}

} // namespace resilient::boundary
