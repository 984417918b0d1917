#include "core/canary/recovery_table.hpp"

#include <cstddef>

namespace resilient::canary {

namespace {

using d = decision;
using a = action;

constexpr action let_go = a::open_gate | a::forget_handover;
constexpr action give_up = a::open_gate | a::pause_goal;
constexpr action give_up_and_stop = give_up | a::stop_run;

constexpr std::array<meaning, decision_count> meanings = {{
    // clang-format off
    {d::nothing,                        "nothing",                        std::nullopt,           a::none},
    {d::turn_on,                        "turn_on",                        phase::watching,        let_go | a::cancel_summary},
    {d::turn_off,                       "turn_off",                       phase::off,             let_go | a::cancel_summary},
    {d::warn_final_miss,                "warn_final_miss",                std::nullopt,           a::none},
    {d::warn_needs_newer_pi,            "warn_needs_newer_pi",            std::nullopt,           a::pause_goal},
    {d::let_input_go_first,             "let_input_go_first",             std::nullopt,           a::none},
    {d::start,                          "start",                          phase::first_handover,  a::close_gate | a::ask_handover},
    {d::ask_again,                      "ask_again",                      phase::second_handover, a::close_gate | a::ask_handover},
    {d::summarise,                      "summarise",                      phase::summarising,     a::close_gate | a::ask_summary},
    {d::restart,                        "restart",                        phase::restarting,      let_go | a::write_restart},
    {d::settle_in,                      "settle_in",                      phase::restarted,       a::none},
    {d::settle_in_with_warning,         "settle_in_with_warning",         phase::restarted,       a::none},
    {d::settle_in_before_input,         "settle_in_before_input",         phase::restarted,       a::none},
    {d::yield_to_user,                  "yield_to_user",                  phase::watching,        let_go | a::cancel_summary},
    {d::begin_anew,                     "begin_anew",                     phase::watching,        let_go},
    {d::report_unused_summary,          "report_unused_summary",          std::nullopt,           a::none},
    {d::report_idle_restart,            "report_idle_restart",            phase::restarted,       a::none},
    {d::ask_after_process_end,          "ask_after_process_end",          phase::second_handover, a::close_gate | a::ask_handover},
    {d::resume_after_process_end,       "resume_after_process_end",       phase::restarted,       a::open_gate | a::resume_restart},
    {d::pause_no_second_handover,       "pause_no_second_handover",       phase::paused,          give_up},
    {d::pause_second_handover_running,  "pause_second_handover_running",  phase::paused,          give_up_and_stop},
    {d::pause_missed_after_restart,     "pause_missed_after_restart",     phase::paused,          give_up_and_stop},
    {d::pause_missed_again,             "pause_missed_again",             phase::paused,          give_up_and_stop},
    {d::pause_deferred,                 "pause_deferred",                 phase::paused,          give_up},
    {d::pause_aborted,                  "pause_aborted",                  phase::paused,          give_up | a::cancel_summary},
    {d::pause_no_response,              "pause_no_response",              phase::paused,          give_up},
    {d::pause_overtaken,                "pause_overtaken",                phase::paused,          give_up | a::cancel_summary},
    {d::pause_overtaken_running,        "pause_overtaken_running",        phase::paused,          give_up_and_stop | a::cancel_summary},
    {d::pause_summary_empty,            "pause_summary_empty",            phase::paused,          give_up},
    {d::pause_summary_truncated,        "pause_summary_truncated",        phase::paused,          give_up},
    {d::pause_summary_failed,           "pause_summary_failed",           phase::paused,          give_up},
    {d::pause_summary_cancelled,        "pause_summary_cancelled",        phase::paused,          give_up},
    {d::pause_bridge_lost,              "pause_bridge_lost",              phase::paused,          give_up | a::cancel_summary},
    {d::pause_process_ended,            "pause_process_ended",            phase::paused,          give_up},
    {d::pause_process_ended_in_summary, "pause_process_ended_in_summary", phase::paused,          give_up},
    {d::pause_reopened,                 "pause_reopened",                 phase::paused,          give_up | a::cancel_summary},
    {d::pause_unavailable,              "pause_unavailable",              phase::paused,          give_up},
    // clang-format on
}};

using row = std::array<decision, phase_count>;

/// Rows are events, columns are phases; every cell is written out.
struct event_row {
  event what;
  std::string_view name;
  row cells;
};

// clang-format off
constexpr std::array<event_row, event_count> table = {{
    //                                off                       check_only              watching               first_handover           second_handover                   summarising                        restarting                  restarted                      paused
    {event::turned_on, "turned_on",
                                     {d::turn_on,               d::nothing,             d::nothing,            d::turn_on,              d::turn_on,                       d::turn_on,                        d::turn_on,                 d::turn_on,                    d::turn_on}},
    {event::turned_off, "turned_off",
                                     {d::nothing,               d::turn_off,            d::turn_off,           d::turn_off,             d::turn_off,                      d::turn_off,                       d::turn_off,                d::turn_off,                   d::turn_off}},
    {event::kept_running, "kept_running",
                                     {d::nothing,               d::nothing,             d::nothing,            d::ask_again,            d::pause_second_handover_running, d::pause_overtaken_running,        d::settle_in,               d::nothing,                    d::nothing}},
    {event::kept_final, "kept_final",
                                     {d::nothing,               d::nothing,             d::nothing,            d::ask_again,            d::pause_no_second_handover,      d::pause_overtaken,                d::settle_in,               d::nothing,                    d::nothing}},
    {event::missed_running, "missed_running",
                                     {d::nothing,               d::warn_needs_newer_pi, d::start,              d::ask_again,            d::pause_second_handover_running, d::pause_overtaken_running,        d::pause_missed_after_restart, d::pause_missed_after_restart, d::pause_missed_again}},
    {event::missed_running_before_input, "missed_running_before_input",
                                     {d::nothing,               d::warn_needs_newer_pi, d::let_input_go_first, d::yield_to_user,        d::yield_to_user,                 d::yield_to_user,                  d::settle_in_before_input,  d::let_input_go_first,         d::let_input_go_first}},
    {event::missed_final, "missed_final",
                                     {d::nothing,               d::warn_final_miss,     d::warn_final_miss,    d::ask_again,            d::pause_no_second_handover,      d::pause_overtaken,                d::settle_in_with_warning,  d::warn_final_miss,            d::warn_final_miss}},
    {event::handover, "handover",
                                     {d::nothing,               d::nothing,             d::nothing,            d::summarise,            d::summarise,                     d::pause_overtaken,                d::settle_in,               d::nothing,                    d::nothing}},
    {event::failed, "failed",
                                     {d::nothing,               d::nothing,             d::nothing,            d::nothing,              d::nothing,                       d::pause_overtaken,                d::nothing,                 d::nothing,                    d::nothing}},
    {event::deferred, "deferred",
                                     {d::nothing,               d::nothing,             d::nothing,            d::pause_deferred,       d::pause_deferred,                d::pause_overtaken,                d::nothing,                 d::nothing,                    d::nothing}},
    {event::aborted, "aborted",
                                     {d::nothing,               d::nothing,             d::nothing,            d::pause_aborted,        d::pause_aborted,                 d::pause_aborted,                  d::settle_in,               d::nothing,                    d::nothing}},
    {event::summary_ready, "summary_ready",
                                     {d::report_unused_summary, d::report_unused_summary, d::report_unused_summary, d::report_unused_summary, d::report_unused_summary,    d::restart,                        d::report_unused_summary,   d::report_unused_summary,      d::report_unused_summary}},
    {event::summary_empty, "summary_empty",
                                     {d::nothing,               d::nothing,             d::nothing,            d::nothing,              d::nothing,                       d::pause_summary_empty,            d::nothing,                 d::nothing,                    d::nothing}},
    {event::summary_truncated, "summary_truncated",
                                     {d::nothing,               d::nothing,             d::nothing,            d::nothing,              d::nothing,                       d::pause_summary_truncated,        d::nothing,                 d::nothing,                    d::nothing}},
    {event::summary_failed, "summary_failed",
                                     {d::nothing,               d::nothing,             d::nothing,            d::nothing,              d::nothing,                       d::pause_summary_failed,           d::nothing,                 d::nothing,                    d::nothing}},
    {event::summary_cancelled, "summary_cancelled",
                                     {d::nothing,               d::nothing,             d::nothing,            d::nothing,              d::nothing,                       d::pause_summary_cancelled,        d::nothing,                 d::nothing,                    d::nothing}},
    {event::user_input, "user_input",
                                     {d::nothing,               d::nothing,             d::nothing,            d::yield_to_user,        d::yield_to_user,                 d::yield_to_user,                  d::begin_anew,              d::begin_anew,                 d::begin_anew}},
    {event::own_continuation, "own_continuation",
                                     {d::nothing,               d::nothing,             d::nothing,            d::nothing,              d::nothing,                       d::nothing,                        d::nothing,                 d::nothing,                    d::nothing}},
    {event::settled, "settled",
                                     {d::nothing,               d::nothing,             d::nothing,            d::pause_no_response,    d::pause_no_response,             d::pause_overtaken,                d::report_idle_restart,     d::nothing,                    d::nothing}},
    {event::bridge_lost, "bridge_lost",
                                     {d::nothing,               d::nothing,             d::nothing,            d::pause_bridge_lost,    d::pause_bridge_lost,             d::pause_bridge_lost,              d::settle_in,               d::nothing,                    d::nothing}},
    {event::process_restarted, "process_restarted",
                                     {d::nothing,               d::nothing,             d::nothing,            d::ask_after_process_end, d::pause_process_ended,          d::pause_process_ended_in_summary, d::resume_after_process_end, d::nothing,                   d::nothing}},
    {event::reopened, "reopened",
                                     {d::nothing,               d::nothing,             d::nothing,            d::pause_reopened,       d::pause_reopened,                d::pause_reopened,                 d::settle_in,               d::nothing,                    d::nothing}},
    {event::recovery_unavailable, "recovery_unavailable",
                                     {d::nothing,               d::nothing,             d::begin_anew,         d::pause_unavailable,    d::pause_unavailable,             d::pause_unavailable,              d::begin_anew,              d::begin_anew,                 d::nothing}},
}};
// clang-format on

constexpr bool rows_in_order() {
  for (std::size_t at = 0; at < event_count; ++at) {
    if (static_cast<std::size_t>(table.at(at).what) != at) {
      return false;
    }
  }
  for (std::size_t at = 0; at < decision_count; ++at) {
    if (static_cast<std::size_t>(meanings.at(at).made) != at || meanings.at(at).name.empty()) {
      return false;
    }
  }
  return true;
}
static_assert(rows_in_order(), "a row is looked up by the number of its event or decision");

constexpr std::array<std::string_view, phase_count> phase_names = {
    "off",         "check_only", "watching",  "first_handover", "second_handover",
    "summarising", "restarting", "restarted", "paused"};

constexpr std::array<phase, phase_count> phases = {phase::off,
                                                   phase::check_only,
                                                   phase::watching,
                                                   phase::first_handover,
                                                   phase::second_handover,
                                                   phase::summarising,
                                                   phase::restarting,
                                                   phase::restarted,
                                                   phase::paused};

constexpr std::array<action, 10> actions = {
    a::close_gate,    a::open_gate,      a::ask_handover, a::ask_summary, a::cancel_summary,
    a::write_restart, a::resume_restart, a::stop_run,     a::pause_goal,  a::forget_handover};

constexpr std::array<event, event_count> make_events() {
  std::array<event, event_count> events{};
  for (std::size_t at = 0; at < event_count; ++at) {
    events.at(at) = table.at(at).what;
  }
  return events;
}
constexpr std::array<event, event_count> events = make_events();

} // namespace

decision decide(phase where, event what) noexcept {
  return table.at(static_cast<std::size_t>(what)).cells.at(static_cast<std::size_t>(where));
}

const meaning& meaning_of(decision made) noexcept {
  return meanings.at(static_cast<std::size_t>(made));
}

std::string_view to_string(phase where) noexcept {
  return phase_names.at(static_cast<std::size_t>(where));
}

std::string_view to_string(event what) noexcept {
  return table.at(static_cast<std::size_t>(what)).name;
}

std::optional<phase> phase_from(std::string_view name) noexcept {
  for (const phase candidate : phases) {
    if (to_string(candidate) == name) {
      return candidate;
    }
  }
  return std::nullopt;
}

std::optional<decision> decision_from(std::string_view name) noexcept {
  for (const meaning& candidate : meanings) {
    if (candidate.name == name) {
      return candidate.made;
    }
  }
  return std::nullopt;
}

std::string_view to_string(action one) noexcept {
  switch (one) {
  case a::none:
    return "";
  case a::close_gate:
    return "block tools";
  case a::open_gate:
    return "unblock tools";
  case a::ask_handover:
    return "ask for a handover, continue";
  case a::ask_summary:
    return "ask for a summary";
  case a::cancel_summary:
    return "cancel the summary";
  case a::write_restart:
    return "append compaction and handover, continue";
  case a::resume_restart:
    return "continue the fresh context";
  case a::stop_run:
    return "stop the run";
  case a::pause_goal:
    return "pause the goal";
  case a::forget_handover:
    return "drop the handover";
  }
  return "";
}

const std::array<phase, phase_count>& all_phases() noexcept {
  return phases;
}
const std::array<event, event_count>& all_events() noexcept {
  return events;
}
const std::array<meaning, decision_count>& all_meanings() noexcept {
  return meanings;
}
const std::array<action, 10>& all_actions() noexcept {
  return actions;
}

} // namespace resilient::canary
