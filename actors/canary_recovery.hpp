#pragma once

#include "actors/guarded_actor.hpp"
#include "core/canary/keyword.hpp"

#include <optional>
#include <string>

namespace resilient {

/// Owns the canary of the connected session: the keyword in force and where the recovery stands.
class canary_recovery final : public guarded_actor<canary_recovery_actor> {
public:
  canary_recovery(caf::actor_config& config, resilient::context context);

protected:
  behavior_type make_behavior() override;
  void rebuild() override;

private:
  using answered = caf::result<message::canary_outcome>;

  answered feed(const message::canary_event& event);
  answered on(const message::canary_opened& opened);
  answered on(const canary::assistant_message& ended);
  answered on(const message::canary_summary& ended);
  answered on(canary::event happened);
  answered on(const message::canary_command& typed);
  answered carry_out(const canary::turn_on& wanted);
  answered carry_out(const canary::turn_off& wanted);
  answered carry_out(const canary::show_state& wanted);
  answered carry_out(const canary::use_keyword& wanted);

  /// Takes the record of `session_` with the keyword of the settings, which may be missing.
  message::canary_outcome open(const message::keyword_values& values);
  message::canary_outcome turn_on(std::string keyword, const std::string& saved_to);
  /// For `/canary` alone.
  message::canary_outcome told(const message::keyword_values& values);
  message::canary_outcome unchanged(const std::string& why);
  /// Makes a step final and says how canary stands now.
  message::canary_outcome finish(canary::outcome stepped);

  canary::recovery_state state_;
  canary::surroundings around_;
  /// What a rebuilt actor starts from: the session as it was opened, with its last record.
  std::optional<message::canary_opened> session_;
};

} // namespace resilient
