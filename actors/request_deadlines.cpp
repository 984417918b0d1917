#include "actors/request_deadlines.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace resilient {

std::uint64_t request_deadlines::begin(monotonic_time now, std::chrono::nanoseconds patience,
                                       std::function<void()> overdue) {
  open_.emplace(++last_, open_request{now + patience, std::move(overdue)});
  return last_;
}

bool request_deadlines::end(std::uint64_t number) {
  return open_.erase(number) > 0;
}

std::optional<std::chrono::nanoseconds> request_deadlines::wait(monotonic_time now) {
  const auto first =
      std::min_element(open_.begin(), open_.end(), [](const auto& one, const auto& other) {
        return one.second.deadline < other.second.deadline;
      });
  if (first == open_.end() || (rings_at_ && *rings_at_ <= first->second.deadline)) {
    return std::nullopt;
  }
  rings_at_ = first->second.deadline;
  return std::max(std::chrono::nanoseconds::zero(), std::chrono::nanoseconds{*rings_at_ - now});
}

void request_deadlines::ring(monotonic_time now) {
  if (rings_at_ && *rings_at_ <= now) {
    rings_at_.reset();
  }
  std::vector<std::uint64_t> due;
  for (const auto& [number, request] : open_) {
    if (request.deadline <= now) {
      due.push_back(number);
    }
  }
  for (const std::uint64_t number : due) {
    // One that is given up may end others.
    if (const auto request = open_.extract(number)) {
      request.mapped().overdue();
    }
  }
}

} // namespace resilient
