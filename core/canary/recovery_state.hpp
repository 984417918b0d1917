#pragma once

#include "core/canary/recovery_table.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace resilient::canary {

/// The custom type under which the state is kept in the session log.
inline constexpr std::string_view state_entry_type = "resilient-canary";

/// What canary remembers on a session branch. A branch without a record has the default: off.
struct recovery_state {
  bool mode_on = false; ///< a person's choice; kept while the keyword is unusable
  phase where = phase::off;
  std::string handover; ///< verbatim, from its acceptance on, as long as it may be of use
  decision paused_by = decision::nothing; ///< why the phase is `paused`

  [[nodiscard]] bool operator==(const recovery_state&) const = default;
};

/// The record: `{"v":1,"mode":"on"|"off","phase":NAME,"handover"?:TEXT,"paused_by"?:NAME}`.
/// `check_only` is written as `watching`, since another Pi may open the session.
[[nodiscard]] nlohmann::json to_json(const recovery_state& state);

/// Never fails. Anything that is no record means the default. A record that cannot be understood
/// whole (an unknown phase, a recovery under way in another version, a summary without its
/// handover) keeps its mode, and the recovery is `paused`.
[[nodiscard]] recovery_state recovery_state_from(const nlohmann::json& record);

} // namespace resilient::canary
