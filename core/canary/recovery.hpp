#pragma once

#include "core/canary/message.hpp"
#include "core/canary/proposal.hpp"
#include "core/canary/recovery_state.hpp"
#include "core/canary/texts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace resilient::canary {

/// What the recovery needs to know about the session, besides its own state.
struct surroundings {
  std::string keyword;         ///< valid, or empty when there is none: then nothing is enforced
  bool has_boundaries = false; ///< this Pi takes boundary drafts (0.87 and later)
  std::string goal;            ///< the objective of the active goal, or empty
};

// -- effects, to be carried out in the order in which they are returned --------------------------

/// Write the state to the session log; nothing after it may happen before it is written.
struct keep_state {
  state_draft record;
  [[nodiscard]] bool operator==(const keep_state&) const = default;
};
/// Block tool calls with this reason; an empty reason lets them run.
struct set_gate {
  std::string reason;
  [[nodiscard]] bool operator==(const set_gate&) const = default;
};
/// The answer to the boundary that brought the event. With no boundary open (a process that was
/// started again) the state is written and the message sent as soon as Pi is idle.
struct propose {
  proposal wanted;
  [[nodiscard]] bool operator==(const propose&) const = default;
};
/// One request to the current model, without tools, the history without thinking. The answer
/// comes back through `on_summary`.
struct request_summary {
  std::string system_prompt;
  std::string instruction;
  int max_tokens = 0;
  [[nodiscard]] bool operator==(const request_summary&) const = default;
};
struct cancel_summary {
  [[nodiscard]] bool operator==(const cancel_summary&) const = default;
};
/// Abort the agent's run.
struct stop_run {
  [[nodiscard]] bool operator==(const stop_run&) const = default;
};
/// Pause an active goal, with the reason `canary`.
struct pause_goal {
  std::string detail;
  [[nodiscard]] bool operator==(const pause_goal&) const = default;
};

using effect = std::variant<keep_state, set_gate, propose, request_summary, cancel_summary,
                            stop_run, pause_goal, notice>;

struct outcome {
  recovery_state state;
  std::vector<effect> effects;
};

/// The custom types of the messages that canary writes into the session.
inline constexpr std::string_view flag_message_type = "resilient-canary-flag";
inline constexpr std::string_view restart_message_type = "resilient-canary-restart";

/// An assistant message ended.
[[nodiscard]] outcome on_message(const recovery_state& state, const assistant_message& message,
                                 const surroundings& around);

/// The latest summary request ended. `stop` is Pi's stop reason, empty when no answer came in time;
/// `text` is what the model wrote. An answer to an earlier request must not be passed on.
[[nodiscard]] outcome on_summary(const recovery_state& state, std::string_view stop,
                                 std::string_view text, const surroundings& around);

/// Anything else happened. `turned_on` needs a valid keyword in `around`.
[[nodiscard]] outcome on_event(const recovery_state& state, event what, const surroundings& around);

/// How a session came to us.
enum class arrival : std::uint8_t {
  same_run,    ///< only our side was started again; Pi goes on as it was
  reconnect,   ///< the same Pi after a lost connection
  by_person,   ///< started, reloaded, resumed, forked, moved in the tree by a person
  by_launcher, ///< a new Pi process that was started to continue an unattended session
};

/// The state of a session branch that was just opened, from the record that it holds (nothing when
/// it holds none), with the effects that bring Pi in line with it. A new session has no record.
[[nodiscard]] outcome restore(const std::optional<nlohmann::json>& record, arrival how,
                              const surroundings& around);

// -- what others ask about a state ---------------------------------------------------------------

/// The rule and the check are in force.
[[nodiscard]] bool enforces(const recovery_state& state) noexcept;
/// A recovery runs or waits for a person: a goal must not continue.
[[nodiscard]] bool holds_goal(const recovery_state& state) noexcept;
/// Tool calls are blocked.
[[nodiscard]] bool blocks_tools(const recovery_state& state) noexcept;

/// The event that an ended message is.
[[nodiscard]] event classify(const assistant_message& message, std::string_view keyword);
/// The event that an ended summary is.
[[nodiscard]] event classify_summary(std::string_view stop, std::string_view text);

} // namespace resilient::canary
