#include "core/process/sleep_inhibition.hpp"

#include <fmt/format.h>

#include <utility>

namespace resilient::process {

std::vector<sleep_effect> sleep_inhibition::goal_is(bool active) {
  const bool was_active = std::exchange(active_, active);
  if (!wanted_ || was_active == active) {
    return {};
  }
  if (active) {
    held_ = true;
    failure_.clear();
    return {keep_awake{++number_}};
  }
  if (std::exchange(held_, false)) {
    return {let_sleep{}};
  }
  return {};
}

std::vector<sleep_effect> sleep_inhibition::inhibitor_ended(std::uint64_t number,
                                                            const std::string& why) {
  // One that was let go, or an older one, matters to nobody.
  if (!held_ || number != number_) {
    return {};
  }
  held_ = false;
  failure_ = why;
  if (std::exchange(told_, true)) {
    return {};
  }
  return {tell_unprotected{fmt::format(
      "The machine may fall asleep although a goal is active: {}. The run goes on.", why)}};
}

std::string sleep_inhibition::describe() const {
  if (!wanted_) {
    return "off";
  }
  if (!active_) {
    return "not needed";
  }
  return held_ ? "kept awake" : failure_;
}

} // namespace resilient::process
