#pragma once

#include "core/support/time.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

namespace resilient {

/// The deadlines of one actor's open requests, for which one timer suffices. CAF keeps the timer of
/// a request until its deadline, also once it is answered: those of many short requests would add
/// up.
///
/// The owner calls `wait` after each `begin` and each `ring`, and `ring` once that time is over.
class request_deadlines {
public:
  /// A request is sent that may take `patience`. `overdue` is called when nothing ends it in time.
  [[nodiscard]] std::uint64_t begin(monotonic_time now, std::chrono::nanoseconds patience,
                                    std::function<void()> overdue);
  /// It was answered. False when that came too late: `overdue` was called.
  [[nodiscard]] bool end(std::uint64_t number);
  /// How long a new timer has to run; nothing when one runs that rings early enough, or when
  /// nothing is open. A timer that was begun before may ring as well.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> wait(monotonic_time now);
  /// A timer rang: calls what is overdue.
  void ring(monotonic_time now);

private:
  struct open_request {
    monotonic_time deadline;
    std::function<void()> overdue;
  };

  std::map<std::uint64_t, open_request> open_; ///< by age
  std::uint64_t last_ = 0;
  std::optional<monotonic_time> rings_at_; ///< of the timer that rings first
};

} // namespace resilient
