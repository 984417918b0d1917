#pragma once

#include "core/goal/scheduler.hpp"

/// To and from `goal_scheduler`.
namespace resilient::message {

/// From the session, which carries out what the answer says.
struct goal_event {
  goal::event what;
};

/// From anybody else; what follows is sent to the session.
struct goal_nudge {
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
