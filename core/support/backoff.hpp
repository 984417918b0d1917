#pragma once

#include "core/support/random.hpp"

#include <algorithm>
#include <chrono>

namespace resilient {

/// Bounded exponential backoff with full jitter: the n-th delay is a random length between zero
/// and `min(cap, base * 2^(n-1))`.
struct backoff {
  std::chrono::nanoseconds base;
  std::chrono::nanoseconds cap;

  /// The longest the delay after `failures` failures in a row (1 or more) can be.
  [[nodiscard]] constexpr std::chrono::nanoseconds ceiling(int failures) const {
    std::chrono::nanoseconds delay = base;
    for (int doubled = 1; doubled < failures && delay < cap; ++doubled) {
      delay *= 2;
    }
    return std::min(delay, cap);
  }

  [[nodiscard]] constexpr std::chrono::nanoseconds delay(int failures, jitter& random) const {
    return random.up_to(ceiling(failures));
  }
};

} // namespace resilient
