#pragma once

#include "core/support/time.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

namespace resilient {

/// The deadlines of one actor's open requests, for which a single timer suffices. CAF keeps the
/// timer of a request until its deadline, also once it is answered: with a long patience those of
/// many short requests would add up.
///
/// The owner calls `wait` after each `begin` and each `ring`, and `ring` once that time is over.
class request_deadlines {
public:
  /// Every request may take this long.
  explicit request_deadlines(std::chrono::nanoseconds patience) : patience_{patience} {}

  /// A request is sent. `overdue` is called when nothing ends it in time.
  [[nodiscard]] std::uint64_t begin(monotonic_time now, std::function<void()> overdue);
  /// It was answered. False when that came too late: `overdue` was called.
  [[nodiscard]] bool end(std::uint64_t number);
  /// It will never be answered: calls `overdue`.
  void fail(std::uint64_t number);
  /// How long the one timer has to run; nothing when it runs already or nothing is open.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> wait(monotonic_time now);
  /// The timer rang: calls what is overdue.
  void ring(monotonic_time now);

private:
  struct open_request {
    monotonic_time deadline;
    std::function<void()> overdue;
  };

  std::chrono::nanoseconds patience_;
  std::map<std::uint64_t, open_request> open_; ///< by age
  std::uint64_t last_ = 0;
  bool timer_runs_ = false;
};

} // namespace resilient
