#pragma once

#include "actors/run.hpp"
#include "launcher/bridge/connection.hpp"
#include "launcher/child/port.hpp"
#include "launcher/io/loop.hpp"

#include <memory>

namespace resilient::launcher {

/// The actor system of this process and the way from the I/O thread to its actors.
class actor_host {
public:
  explicit actor_host(io_loop& loop);
  actor_host(const actor_host&) = delete;
  actor_host& operator=(const actor_host&) = delete;
  ~actor_host();

  /// Starts the actors. When the supervisor ends by itself the loop ends.
  void start(const context& world, run_options options, std::shared_ptr<files> disk);

  /// For the I/O thread. Before `start` nothing happens.
  void tell(child_event event) const;
  void tell(bridge_event event) const;

  /// Stops the actors after the loop has ended. False when one did not end in time, for instance
  /// because its disk hangs: then the process must not wait for it.
  [[nodiscard]] bool stop();

private:
  struct state;

  io_loop& loop_;
  std::unique_ptr<state> state_;
};

} // namespace resilient::launcher
