#pragma once

#include <cstdint>
#include <string>

/// To `heartbeat_monitor`.
namespace resilient::message {

/// A child was started. Unless `armed`, its startup limit begins with its first beat, because it
/// may have to ask its user before extensions run.
struct watch_child {
  std::string generation;
  bool armed = true;
};

/// A beat, or the hello, of a generation.
struct beat {
  std::string generation;
};

/// The child ended.
struct unwatch_child {};

/// The child and we were stopped together and go on.
struct child_resumed {};

/// The monitor's own timer.
struct check_liveness {
  std::uint64_t number = 0;
};

} // namespace resilient::message
