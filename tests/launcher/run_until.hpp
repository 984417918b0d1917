#pragma once

#include "launcher/io/loop.hpp"

#include <chrono>

namespace resilient::tests {

/// Runs the loop until `reached` holds, for at most `patience`. Whether it holds.
template <class Condition>
[[nodiscard]] bool run_until(launcher::io_loop& loop, Condition reached,
                             std::chrono::milliseconds patience = std::chrono::seconds{20}) {
  const auto give_up_at = std::chrono::steady_clock::now() + patience;
  while (!reached()) {
    if (std::chrono::steady_clock::now() >= give_up_at) {
      return false;
    }
    if (loop.context().stopped()) {
      loop.context().restart();
    }
    loop.context().run_one_for(std::chrono::milliseconds{20});
  }
  return true;
}

/// Runs the loop for a time in which nothing is expected to happen.
inline void run_for(launcher::io_loop& loop, std::chrono::milliseconds time) {
  [[maybe_unused]] const bool never = run_until(
      loop, [] { return false; }, time);
}

} // namespace resilient::tests
