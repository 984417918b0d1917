#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace resilient::canary {

/// Where the recovery stands.
enum class phase : std::uint8_t {
  off,             ///< nothing is enforced
  check_only,      ///< enforced, but this Pi has no boundary drafts: misses are only reported
  watching,        ///< enforced; a recovery may start
  first_handover,  ///< the first handover response is awaited; tools are blocked
  second_handover, ///< the second and last one is awaited; tools are blocked
  summarising,     ///< a handover was accepted, the summary is awaited; tools are blocked
  restarting,      ///< the fresh context was written; its first message is awaited
  restarted,       ///< enforced; the one restart of this user message is used up
  paused,          ///< the recovery gave up; a person decides
};
inline constexpr std::size_t phase_count = 9;

/// Everything that can happen to a recovery.
enum class event : std::uint8_t {
  turned_on,  ///< by a person, with a valid keyword
  turned_off, ///< by a person

  // -- an assistant message ended ----------------------------------------------------------------
  kept_running,                ///< prefix kept or nothing visible; the agent goes on
  kept_final,                  ///< prefix kept or nothing visible; the agent is done
  missed_running,              ///< prefix missed; the agent goes on
  missed_running_before_input, ///< the same while a person's message waits
  missed_final,                ///< prefix missed; the agent is done
  handover,                    ///< a complete handover
  failed,                      ///< the provider failed; Pi may try again by itself
  deferred,                    ///< the provider will answer later
  aborted,                     ///< by a person, not by a Pi that is about to end

  // -- the summary came back ---------------------------------------------------------------------
  summary_ready,
  summary_empty,
  summary_truncated,
  summary_failed, ///< the provider failed, or no answer came in time
  summary_cancelled,

  // -- the world around --------------------------------------------------------------------------
  user_input,           ///< a person's message was sent or queued
  own_continuation,     ///< a message of an extension was sent or queued
  settled,              ///< Pi is idle: retries and continuations are over
  bridge_lost,          ///< the connection to Pi broke; its extension lifted the gate
  process_restarted,    ///< a new Pi process continues the session on its own
  reopened,             ///< a person reloaded, resumed, forked or moved in the tree
  recovery_unavailable, ///< the session continues in a Pi without boundary drafts
};
inline constexpr std::size_t event_count = 23;

/// What a decision makes happen, besides the change of phase.
enum class action : std::uint16_t {
  none = 0,
  close_gate = 1U << 0U,      ///< block tools
  open_gate = 1U << 1U,       ///< stop blocking tools
  ask_handover = 1U << 2U,    ///< put the instruction into the session and continue the run
  ask_summary = 1U << 3U,     ///< one model request without tools
  cancel_summary = 1U << 4U,  ///< its answer is not wanted any more
  write_restart = 1U << 5U,   ///< append compaction and handover together, continue the run
  resume_restart = 1U << 6U,  ///< continue the fresh context in a new process
  stop_run = 1U << 7U,        ///< abort the agent's run
  pause_goal = 1U << 8U,      ///< an active goal waits for a person
  forget_handover = 1U << 9U, ///< the accepted handover has served
};

[[nodiscard]] constexpr action operator|(action left, action right) noexcept {
  return static_cast<action>(static_cast<unsigned>(left) | static_cast<unsigned>(right));
}
[[nodiscard]] constexpr bool contains(action set, action one) noexcept {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(one)) != 0;
}

/// The decisions, each defined once. Names say what is done and, for a pause, why.
enum class decision : std::uint8_t {
  nothing,
  turn_on,
  turn_off,
  warn_final_miss,
  warn_needs_newer_pi,
  let_input_go_first,
  start,
  ask_again,
  summarise,
  restart,
  settle_in,
  settle_in_with_warning,
  settle_in_before_input,
  yield_to_user,
  begin_anew,
  report_unused_summary,
  report_idle_restart,
  ask_after_process_end,
  resume_after_process_end,
  pause_no_second_handover,
  pause_second_handover_running,
  pause_missed_after_restart,
  pause_missed_again,
  pause_deferred,
  pause_aborted,
  pause_no_response,
  pause_overtaken,
  pause_overtaken_running,
  pause_summary_empty,
  pause_summary_truncated,
  pause_summary_failed,
  pause_summary_cancelled,
  pause_bridge_lost,
  pause_process_ended,
  pause_process_ended_in_summary,
  pause_reopened,
  pause_unavailable,
};
inline constexpr std::size_t decision_count = 37;

/// What a decision means.
struct meaning {
  decision made = decision::nothing;
  std::string_view name;     ///< stable: stored as the reason of a pause, shown in the table
  std::optional<phase> next; ///< nothing: the phase stays
  action actions = action::none;
};

[[nodiscard]] decision decide(phase where, event what) noexcept;
[[nodiscard]] const meaning& meaning_of(decision made) noexcept;

[[nodiscard]] std::string_view to_string(phase where) noexcept;
[[nodiscard]] std::string_view to_string(event what) noexcept;
[[nodiscard]] std::optional<phase> phase_from(std::string_view name) noexcept;
[[nodiscard]] std::optional<decision> decision_from(std::string_view name) noexcept;

/// One action as a word: "open gate".
[[nodiscard]] std::string_view to_string(action one) noexcept;

[[nodiscard]] const std::array<phase, phase_count>& all_phases() noexcept;
[[nodiscard]] const std::array<event, event_count>& all_events() noexcept;
[[nodiscard]] const std::array<meaning, decision_count>& all_meanings() noexcept;
[[nodiscard]] const std::array<action, 10>& all_actions() noexcept;

} // namespace resilient::canary
