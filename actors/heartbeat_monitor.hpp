#pragma once

#include "actors/guarded_actor.hpp"
#include "core/heartbeat/liveness.hpp"

#include <string>

namespace resilient {

/// Feeds beats to `heartbeat::liveness` and reports a frozen child to the child process manager.
class heartbeat_monitor final : public guarded_actor<heartbeat_monitor_actor> {
public:
  heartbeat_monitor(caf::actor_config& config, resilient::context context,
                    heartbeat::limits limits);

protected:
  behavior_type make_behavior() override;
  void rebuild() override;

private:
  void start(const message::watch_child& child);
  void check(const message::check_liveness& timer);
  void arm();
  message::status_part describe() const;

  heartbeat::limits limits_;
  heartbeat::liveness child_;
  std::string generation_;
  std::uint64_t timer_ = 0;
  bool timer_pending_ = false;
  monotonic_time planned_{};
};

} // namespace resilient
