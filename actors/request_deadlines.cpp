#include "actors/request_deadlines.hpp"

#include <algorithm>
#include <utility>

namespace resilient {

std::uint64_t request_deadlines::begin(monotonic_time now, std::function<void()> overdue) {
  open_.emplace(++last_, open_request{now + patience_, std::move(overdue)});
  return last_;
}

bool request_deadlines::end(std::uint64_t number) {
  return open_.erase(number) > 0;
}

void request_deadlines::fail(std::uint64_t number) {
  if (const auto failed = open_.extract(number)) {
    failed.mapped().overdue();
  }
}

std::optional<std::chrono::nanoseconds> request_deadlines::wait(monotonic_time now) {
  if (timer_runs_ || open_.empty()) {
    return std::nullopt;
  }
  timer_runs_ = true;
  return std::max(std::chrono::nanoseconds::zero(),
                  std::chrono::nanoseconds{open_.begin()->second.deadline - now});
}

void request_deadlines::ring(monotonic_time now) {
  timer_runs_ = false;
  while (!open_.empty() && open_.begin()->second.deadline <= now) {
    fail(open_.begin()->first);
  }
}

} // namespace resilient
