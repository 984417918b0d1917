#pragma once

#include "actors/guarded_actor.hpp"
#include "core/goal/scheduler.hpp"

#include <optional>
#include <vector>

namespace resilient {

/// Owns the goal of the connected session and its alarms.
class goal_scheduler final : public guarded_actor<goal_scheduler_actor> {
public:
  goal_scheduler(caf::actor_config& config, resilient::context context,
                 goal::scheduler_options options);
  void on_exit() override;

protected:
  behavior_type make_behavior() override;
  void rebuild() override;

private:
  goal::outcome feed(const goal::event& happened);
  /// Carries out what is not for Pi.
  void perform(const goal::outcome& outcome);
  void set_alarm(const goal::set_alarm& alarm);
  void publish(const goal::publish& told);
  void run_check(const goal::run_check& check);
  void tell_person(const goal::tell_person& told);
  /// Asks what the user's settings say; the command line goes before them.
  void read_guards();
  void send_to_session(goal::outcome outcome);

  goal::scheduler_options options_;
  goal::scheduler machine_;
  /// What a rebuilt scheduler starts from: the session as it was opened, with its last entry.
  std::optional<goal::attached> session_;
  goal::guards guards_; ///< in force
  bool held_ = false;   ///< by a canary recovery
  std::uint64_t alarm_number_ = 0;
  std::vector<alarms::alarm_id> armed_;
};

} // namespace resilient
