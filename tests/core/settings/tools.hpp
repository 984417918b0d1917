#pragma once

#include "core/settings/settings_lock.hpp"

#include <chrono>
#include <thread>

namespace resilient::settings {

inline wall_time wall_now() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

/// The real clock and a real sleep.
inline lock_tools real_tools() {
  return {[] { return wall_now(); },
          [](std::chrono::milliseconds length) { std::this_thread::sleep_for(length); }};
}

} // namespace resilient::settings
