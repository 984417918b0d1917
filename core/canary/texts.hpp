#pragma once

#include "core/canary/handover.hpp"
#include "core/canary/recovery_state.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace resilient::canary {

enum class notice_level : std::uint8_t { info, warning };

/// One message for a person.
struct notice {
  notice_level level = notice_level::info;
  std::string text;

  [[nodiscard]] bool operator==(const notice&) const = default;
};

/// The rule for the end of the system prompt while canary is enforced.
[[nodiscard]] std::string system_prompt_rule(std::string_view keyword);

/// The first line of every instruction that flags a miss, for tests and people who search.
inline constexpr std::string_view flag_mark = "CANARY FAILED";

/// Flags the miss and asks for the first handover. `goal` is the active objective or empty.
[[nodiscard]] std::string handover_instruction(std::string_view keyword, std::string_view goal);

/// Asks for the second and last handover and says what was wrong with the first.
[[nodiscard]] std::string second_handover_instruction(std::string_view keyword,
                                                      std::string_view goal, handover_flaw flaw);

/// Asks for the second and last handover after a Pi that ended before the first was judged.
[[nodiscard]] std::string handover_instruction_after_process_end(std::string_view keyword,
                                                                 std::string_view goal);

/// Introduces the verbatim handover in the fresh context.
[[nodiscard]] std::string resume_message(std::string_view keyword, std::string_view handover);

/// Continues the fresh context in a Pi that was started again before it answered.
[[nodiscard]] std::string resume_after_process_end(std::string_view keyword);

/// The tool result of a blocked call.
[[nodiscard]] std::string gate_reason(std::string_view keyword);

/// System prompt and instruction of the summary request.
[[nodiscard]] std::string summary_system_prompt();
[[nodiscard]] std::string summary_instruction(std::string_view goal);

/// What a person is told about a decision; nothing when there is nothing to tell.
[[nodiscard]] std::optional<notice> notice_for(decision made, std::string_view keyword);
/// Why a goal is paused with the recovery, and how it goes on. For a decision that pauses the goal.
[[nodiscard]] std::string goal_pause_reason(decision made);

/// What `/canary` answers. `saved_to` is the settings file that now holds the keyword, empty when
/// nothing was saved.
[[nodiscard]] notice told_on(std::string_view keyword, bool has_boundaries,
                             std::string_view saved_to);
[[nodiscard]] notice told_off();
/// For `/canary` alone: the mode, `in_force` (the keyword that is enforced, or empty), the keyword
/// that the settings hold in `saved_to`, if any, and how to change that.
[[nodiscard]] notice told_state(const recovery_state& state, std::string_view in_force,
                                const std::optional<std::string>& saved, std::string_view saved_to);
/// Why the mode stays as it was: `why` is a full sentence.
[[nodiscard]] notice told_unchanged(std::string_view why);
/// `/canary on` without a keyword in the settings.
[[nodiscard]] notice told_no_keyword();

/// A session whose mode is on, without a usable keyword. `why` is a full sentence or empty.
[[nodiscard]] notice told_not_enforced(std::string_view why);

/// The text for the footer; empty when canary is off.
[[nodiscard]] std::string footer(const recovery_state& state, std::string_view keyword);

} // namespace resilient::canary
