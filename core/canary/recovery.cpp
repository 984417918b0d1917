#include "core/canary/recovery.hpp"

#include "core/canary/prefix.hpp"
#include "core/support/text.hpp"

namespace resilient::canary {

namespace {

/// Long enough for any summary that is of use, short enough for every model's limit.
constexpr int summary_max_tokens = 8192;

/// What came with an event and goes into the texts.
struct circumstances {
  std::string handover; ///< of an accepted handover
  std::string summary;
  handover_flaw flaw = handover_flaw::none;
};

class transition {
public:
  transition(const recovery_state& before, const surroundings& around)
      : before_{before}, around_{around}, after_{before} {}

  outcome run(event what, const circumstances& given) {
    made_ = decide(before_.where, what);
    change_state(what, given);
    const action actions = meaning_of(made_).actions;
    std::vector<effect> later;
    const bool kept_with_proposal = add_proposal(actions, given, later);
    if (!kept_with_proposal && to_json(before_) != to_json(after_)) {
      effects_.emplace_back(keep_state{record()});
    }
    add_gate(actions);
    for (effect& one : later) {
      effects_.push_back(std::move(one));
    }
    add_rest(actions);
    return {std::move(after_), std::move(effects_)};
  }

private:
  void change_state(event what, const circumstances& given) {
    const meaning& means = meaning_of(made_);
    if (what == event::turned_on || what == event::turned_off) {
      after_.mode_on = what == event::turned_on;
    }
    if (made_ == decision::summarise) {
      after_.handover = given.handover;
    }
    if (contains(means.actions, action::forget_handover)) {
      after_.handover.clear();
    }
    if (means.next) {
      after_.where = *means.next;
      after_.paused_by = *means.next == phase::paused ? made_ : decision::nothing;
    }
    if (after_.where == phase::watching && !around_.has_boundaries) {
      after_.where = phase::check_only;
    }
  }

  /// Whether the state is part of a proposal, so that both are written together.
  bool add_proposal(action actions, const circumstances& given, std::vector<effect>& later) {
    proposal wanted;
    wanted.continue_run = true;
    wanted.holds_goal = true;
    if (contains(actions, action::ask_handover)) {
      wanted.entries.emplace_back(
          message_draft{std::string{flag_message_type}, instruction(given.flaw)});
    } else if (contains(actions, action::write_restart)) {
      wanted.entries.emplace_back(compaction_draft{given.summary, {{"by", "canary"}}});
      wanted.entries.emplace_back(message_draft{std::string{restart_message_type},
                                                resume_message(around_.keyword, before_.handover)});
    } else if (contains(actions, action::resume_restart)) {
      wanted.entries.emplace_back(message_draft{std::string{restart_message_type},
                                                resume_after_process_end(around_.keyword)});
    } else {
      return false;
    }
    wanted.entries.emplace_back(record());
    later.emplace_back(propose{std::move(wanted)});
    return true;
  }

  [[nodiscard]] std::string instruction(handover_flaw flaw) const {
    if (made_ == decision::start) {
      return handover_instruction(around_.keyword, around_.goal);
    }
    if (made_ == decision::ask_after_process_end) {
      return handover_instruction_after_process_end(around_.keyword, around_.goal);
    }
    return second_handover_instruction(around_.keyword, around_.goal, flaw);
  }

  void add_gate(action actions) {
    if (contains(actions, action::close_gate)) {
      effects_.emplace_back(set_gate{gate_reason(around_.keyword)});
    } else if (contains(actions, action::open_gate)) {
      effects_.emplace_back(set_gate{});
    }
  }

  void add_rest(action actions) {
    if (contains(actions, action::ask_summary)) {
      effects_.emplace_back(request_summary{summary_system_prompt(),
                                            summary_instruction(around_.goal), summary_max_tokens});
    }
    // Only a running request can be cancelled.
    if (contains(actions, action::cancel_summary) && before_.where == phase::summarising) {
      effects_.emplace_back(cancel_summary{});
    }
    // A Pi without boundaries is only watched, whatever state the session brought along.
    if (contains(actions, action::stop_run) && around_.has_boundaries) {
      effects_.emplace_back(stop_run{});
    }
    auto told = notice_for(made_, around_.keyword);
    if (contains(actions, action::pause_goal)) {
      effects_.emplace_back(pause_goal{goal_pause_reason(made_)});
    }
    if (told) {
      effects_.emplace_back(*std::move(told));
    }
  }

  [[nodiscard]] state_draft record() const {
    return {std::string{state_entry_type}, to_json(after_)};
  }

  const recovery_state& before_;
  const surroundings& around_;
  recovery_state after_;
  decision made_ = decision::nothing;
  std::vector<effect> effects_;
};

outcome step(const recovery_state& state, event what, const surroundings& around,
             const circumstances& given = {}) {
  return transition{state, around}.run(what, given);
}

/// Appends what `next` did to what was done before.
outcome joined(outcome first, outcome next) {
  for (effect& one : next.effects) {
    first.effects.push_back(std::move(one));
  }
  return {std::move(next.state), std::move(first.effects)};
}

/// A recovery that is not finished, in a phase of which a person's message is the way out.
bool recovering(phase where) noexcept {
  return where == phase::first_handover || where == phase::second_handover
         || where == phase::summarising;
}

std::optional<event> event_of(arrival how) noexcept {
  switch (how) {
  case arrival::same_run:
    return std::nullopt;
  case arrival::reconnect:
    return event::bridge_lost;
  case arrival::by_person:
    return event::reopened;
  case arrival::by_launcher:
    return event::process_restarted;
  }
  return std::nullopt;
}

} // namespace

event classify(const assistant_message& message, std::string_view keyword) {
  if (message.stop == "error") {
    return event::failed;
  }
  if (message.stop == "aborted") {
    return event::aborted;
  }
  if (message.stop == "deferred") {
    return event::deferred;
  }
  if (judge_handover(message, keyword) == handover_flaw::none) {
    return event::handover;
  }
  const bool missed = check_prefix(message.text, keyword) == prefix_check::missed;
  if (!message.has_tool_calls) {
    return missed ? event::missed_final : event::kept_final;
  }
  if (!missed) {
    return event::kept_running;
  }
  return message.input_waiting ? event::missed_running_before_input : event::missed_running;
}

event classify_summary(std::string_view stop, std::string_view text) {
  if (stop == "aborted") {
    return event::summary_cancelled;
  }
  if (stop == "length") {
    return event::summary_truncated;
  }
  if (stop != "stop") {
    return event::summary_failed;
  }
  return trim(text).empty() ? event::summary_empty : event::summary_ready;
}

outcome on_message(const recovery_state& state, const assistant_message& message,
                   const surroundings& around) {
  if (!enforces(state)) {
    return {state, {}};
  }
  circumstances given;
  given.handover = message.text;
  given.flaw = judge_handover(message, around.keyword);
  const event what = classify(message, around.keyword);
  if (message.input_waiting && recovering(state.where)) {
    outcome yielded = step(state, event::user_input, around);
    outcome judged = step(yielded.state, what, around, given);
    return joined(std::move(yielded), std::move(judged));
  }
  return step(state, what, around, given);
}

outcome on_summary(const recovery_state& state, std::string_view stop, std::string_view text,
                   const surroundings& around) {
  circumstances given;
  given.summary = text;
  return step(state, classify_summary(stop, text), around, given);
}

outcome on_event(const recovery_state& state, event what, const surroundings& around) {
  return step(state, what, around);
}

outcome restore(const std::optional<nlohmann::json>& record, arrival how,
                const surroundings& around) {
  recovery_state state = record ? recovery_state_from(*record) : recovery_state{};
  if (!state.mode_on || around.keyword.empty()) {
    state.where = phase::off;
    state.handover.clear();
    state.paused_by = decision::nothing;
  } else if (state.where == phase::off) {
    state.where = phase::watching;
  }
  if (!around.has_boundaries && state.where == phase::watching) {
    state.where = phase::check_only;
  }
  outcome opened{state, {}};
  const std::optional<event> what =
      around.has_boundaries ? event_of(how) : std::optional{event::recovery_unavailable};
  if (what) {
    opened = step(state, *what, around);
  }
  // The extension keeps its gate across a reload; it must agree with the state whatever it was.
  const bool gated = blocks_tools(opened.state);
  opened.effects.insert(opened.effects.begin(),
                        set_gate{gated ? gate_reason(around.keyword) : std::string{}});
  return opened;
}

bool enforces(const recovery_state& state) noexcept {
  return state.where != phase::off;
}

bool holds_goal(const recovery_state& state) noexcept {
  return recovering(state.where) || state.where == phase::restarting
         || state.where == phase::paused;
}

bool blocks_tools(const recovery_state& state) noexcept {
  return recovering(state.where);
}

} // namespace resilient::canary
