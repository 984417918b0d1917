#pragma once

#include "actors/guarded_actor.hpp"

#include <deque>
#include <memory>
#include <string>

namespace resilient {

/// Watches the other actors. One that rebuilt itself is noted; when that happens too often, or an
/// actor ends, the child is stopped cleanly and the run ends with the reason.
class supervisor final : public cafx::actor_base<supervisor_actor> {
public:
  supervisor(caf::actor_config& config, resilient::context context);
  void on_exit() override;

protected:
  behavior_type make_behavior() override;

private:
  struct status_request;

  void introduced(const message::introduce& introduction);
  template <class Actor>
  void watch_over(const Actor& actor, const char* name);
  void on_failure(const message::actor_failed& failure);
  void on_control(const message::control_line& request);
  void answer_status(connection_id connection);
  template <class Actor>
  void ask_part(const Actor& actor, const std::shared_ptr<status_request>& request);
  void give_up(const std::string& why);
  void stop_all();

  resilient::context context_;
  std::shared_ptr<const peer_handles> peers_;
  std::deque<monotonic_time> failures_;
  bool stopping_ = false;
};

} // namespace resilient
