#pragma once

#include <chrono>

namespace resilient {

/// The clocks of the product. None of them has a `now()`: whoever needs the time is given an
/// `instant`, so that tests decide what time it is.
///
/// - monotonic: never steps, stands still while the machine sleeps. Ages of heartbeats.
/// - boot: never steps, goes on while the machine sleeps. Our own backoffs and probes.
/// - wall: the calendar. Deadlines that a provider named, and what people read.
struct monotonic_clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<monotonic_clock>;
  static constexpr bool is_steady = true;
};

struct boot_clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<boot_clock>;
  static constexpr bool is_steady = true;
};

using monotonic_time = monotonic_clock::time_point;
using boot_time = boot_clock::time_point;
/// Milliseconds since 1970-01-01T00:00:00Z.
using wall_time = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;

/// One moment, read from all three clocks at once.
struct instant {
  monotonic_time monotonic;
  boot_time boot;
  wall_time wall;

  /// The moment `elapsed` later on a machine that neither slept nor had its clock set.
  [[nodiscard]] constexpr instant after(std::chrono::nanoseconds elapsed) const {
    return {monotonic + elapsed, boot + elapsed,
            wall + std::chrono::duration_cast<std::chrono::milliseconds>(elapsed)};
  }
};

} // namespace resilient
