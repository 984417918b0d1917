#pragma once

#include "core/goal/scheduler.hpp"

/// To and from `goal_scheduler`.
namespace resilient::message {

struct goal_event {
  goal::event what;
};

/// What the session must do in Pi, in order, and the answer to what it asked.
struct goal_outcome {
  goal::outcome what;
};

/// An alarm of the goal scheduler rang; older ones are ignored by number.
struct goal_alarm {
  std::uint64_t number = 0;
};

} // namespace resilient::message
