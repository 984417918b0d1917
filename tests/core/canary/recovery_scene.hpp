#pragma once

#include "core/canary/recovery.hpp"

#include <string>
#include <utility>
#include <vector>

namespace resilient::canary {

inline surroundings with_boundaries() {
  return {"chirp", true, ""};
}

inline assistant_message message(std::string text, bool has_tool_calls, std::string stop = "") {
  assistant_message made;
  made.text = std::move(text);
  made.has_tool_calls = has_tool_calls;
  made.stop = !stop.empty() ? std::move(stop) : (has_tool_calls ? "toolUse" : "stop");
  return made;
}

inline assistant_message good_running() {
  return message("chirp: working", true);
}
inline assistant_message good_final() {
  return message("chirp: done", false);
}
inline assistant_message bad_running() {
  return message("working", true);
}
inline assistant_message bad_final() {
  return message("done", false);
}

inline const std::string& handover_text() {
  static const std::string text = "chirp: # Canary handover\nDo the rest, {carefully}.\n";
  return text;
}
inline assistant_message good_handover() {
  return message(handover_text(), false);
}

/// The effects of one kind, in order.
template <class Kind>
std::vector<Kind> only(const std::vector<effect>& effects) {
  std::vector<Kind> found;
  for (const effect& one : effects) {
    if (const Kind* match = std::get_if<Kind>(&one)) {
      found.push_back(*match);
    }
  }
  return found;
}

/// A session with canary on, driven step by step; keeps what the session log would keep.
class scene {
public:
  explicit scene(surroundings around = with_boundaries()) : around_{std::move(around)} {
    take(on_event({}, event::turned_on, around_));
  }

  scene& ends(const assistant_message& one) { return take(on_message(state_, one, around_)); }
  scene& happens(event what) { return take(on_event(state_, what, around_)); }
  scene& summary(std::string_view stop, std::string_view text) {
    return take(on_summary(state_, stop, text, around_));
  }
  /// Opens the branch again from what was kept.
  scene& opens(arrival how) { return take(restore(record_, how, around_)); }

  [[nodiscard]] phase where() const { return state_.where; }
  [[nodiscard]] const recovery_state& state() const { return state_; }
  [[nodiscard]] const std::vector<effect>& effects() const { return effects_; }
  [[nodiscard]] const std::optional<nlohmann::json>& record() const { return record_; }
  [[nodiscard]] bool gate_closed() const { return gate_closed_; }

  template <class Kind>
  [[nodiscard]] std::vector<Kind> all() const {
    return only<Kind>(effects_);
  }
  [[nodiscard]] std::string told() const {
    std::string text;
    for (const notice& one : all<notice>()) {
      text += one.text + "\n";
    }
    return text;
  }
  [[nodiscard]] bool quiet() const { return effects_.empty(); }

  surroundings& around() { return around_; }

private:
  scene& take(outcome next) {
    state_ = std::move(next.state);
    effects_ = std::move(next.effects);
    for (const effect& one : effects_) {
      if (const auto* kept = std::get_if<keep_state>(&one)) {
        record_ = kept->record.data;
      } else if (const auto* wanted = std::get_if<propose>(&one)) {
        for (const draft& entry : wanted->wanted.entries) {
          if (const auto* state = std::get_if<state_draft>(&entry)) {
            record_ = state->data;
          }
        }
      } else if (const auto* gate = std::get_if<set_gate>(&one)) {
        gate_closed_ = !gate->reason.empty();
      }
    }
    return *this;
  }

  surroundings around_;
  recovery_state state_;
  std::vector<effect> effects_;
  std::optional<nlohmann::json> record_;
  bool gate_closed_ = false;
};

} // namespace resilient::canary
