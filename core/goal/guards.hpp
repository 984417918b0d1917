#pragma once

#include "core/goal/record.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What bounds a goal. Only a person sets it: on the command line, by `/goal`, or in the user's own
/// settings.
namespace resilient::goal {

struct guards {
  std::optional<std::int64_t> max_turns;
  std::optional<double> max_hours; ///< of the time in which the goal was active, waits included
  std::optional<std::int64_t> max_tokens; ///< input and output together
  std::optional<double> max_cost;         ///< in the provider's currency
  std::string check;                      ///< shell command that accepts a completion; empty: none
  std::string on_event;                   ///< shell command that is told what happens; empty: none

  [[nodiscard]] bool operator==(const guards&) const = default;
};

/// What `first` says, and where it says nothing what `second` says.
[[nodiscard]] guards laid_over(const guards& first, const guards& second);

enum class budget : std::uint8_t { turns, hours, tokens, cost };

/// "budget_turns": the reason of the pause when this budget is used up.
[[nodiscard]] const char* pause_reason_of(budget which) noexcept;
/// "turns", "hours", "tokens", "cost".
[[nodiscard]] const char* to_string(budget which) noexcept;

/// The budgets that are used up, in the order of `budget`.
[[nodiscard]] std::vector<budget> used_up(const record& goal, const guards& limits);

/// How much active time is left; nothing without a budget of hours.
[[nodiscard]] std::optional<std::chrono::milliseconds> time_left(const record& goal,
                                                                 const guards& limits);

/// Grants one more of the same: a budget that is used up reaches as far again from where the goal
/// is now; when none is, every budget that is set grows by itself. Returns the ones that grew.
std::vector<budget> extend(record& goal, const guards& limits);

/// "12 of 20 turns, 0.4 of 8 hours"; empty without budgets.
[[nodiscard]] std::string describe_budgets(const record& goal, const guards& limits);

} // namespace resilient::goal
