#pragma once

#include "core/goal/record.hpp"

#include <string>
#include <vector>

/// The words that the goal says to the agent.
namespace resilient::goal {

/// What happened before a continuation, as far as the agent must know.
struct continuation_context {
  bool first = false;         ///< the goal was just declared
  std::string previous_death; ///< "killed by SIGKILL" when Pi died since the last continuation
  std::vector<std::string> leftovers; ///< what that Pi had left running and was stopped
  std::string after_wait;             ///< why the last wait was; empty when there was none
  std::string check_report; ///< why a completion was not accepted; empty: it was not tried
};

/// Restates the objective, demands a look at the current state before anything is repeated, and
/// says how the goal ends.
[[nodiscard]] std::string continuation_text(const record& goal,
                                            const continuation_context& context);

[[nodiscard]] std::string tool_result_created(const record& goal);
[[nodiscard]] std::string tool_result_complete(const record& goal);
[[nodiscard]] std::string tool_result_checking(const std::string& command, bool runs_already);
[[nodiscard]] std::string tool_result_shown(const record& goal);

/// What the agent is told when the check did not accept its work. `how` is how the command ended,
/// `output` the end of what it wrote.
[[nodiscard]] std::string check_report(const std::string& command, const std::string& how,
                                       const std::string& output);

} // namespace resilient::goal
