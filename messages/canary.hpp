#pragma once

#include "core/canary/recovery.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

/// To and from `canary_recovery`.
namespace resilient::message {

/// A session was opened in a connected Pi, or another branch of it is current.
struct canary_opened {
  bool has_boundaries = false; ///< this Pi takes drafts at boundaries
  canary::arrival how = canary::arrival::by_person;
  std::optional<nlohmann::json> record; ///< the last canary entry of the branch
};

/// The latest summary request ended.
struct canary_summary {
  std::string stop; ///< Pi's stop reason; empty when no answer came in time
  std::string text;
};

/// `/canary …`, typed by a person.
struct canary_command {
  std::string arguments;
  bool idle = true; ///< Pi has nothing to do now
};

/// From the session, which carries out what the answer says.
struct canary_event {
  std::variant<canary_opened, canary::assistant_message, canary_summary, canary::event,
               canary_command>
      what;
  std::string goal; ///< the objective of the active goal, or empty
};

/// What the person who typed `/canary …` is told.
struct canary_answer {
  std::vector<canary::notice> notices;
  bool wait_idle = false; ///< nothing was done yet; ask again once Pi is idle
  bool reload = false;    ///< Pi loads its settings and extensions again
};

/// What the session must do in Pi, in order, and how canary stands then.
struct canary_outcome {
  std::vector<canary::effect> effects;
  bool enforced = false;   ///< every message that ends must be told
  bool holds_goal = false; ///< a goal must not continue
  std::string rule;        ///< for the system prompt; empty when nothing is enforced
  std::string footer;
  std::optional<canary_answer> answer; ///< only for `canary_command`
};

} // namespace resilient::message
