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
};

/// Exactly one acts: queued user input, then a running recovery (which answers its own boundaries),
/// then the goal.
[[nodiscard]] goal::proposal decide(const proposals& proposed);

} // namespace resilient::boundary
