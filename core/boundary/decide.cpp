#include "core/boundary/decide.hpp"

namespace resilient::boundary {

goal::proposal decide(const proposals& proposed) {
  if (proposed.user_input_pending || proposed.recovery.holds_goal) {
    return goal::let_settle{};
  }
  return proposed.goal;
}

} // namespace resilient::boundary
