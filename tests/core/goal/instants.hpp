#pragma once

#include "core/goal/clock_times.hpp"
#include "core/goal/plain_text.hpp"

#include <stdexcept>
#include <string>

namespace resilient::goal::test {

/// The instant of an ISO 8601 text in UTC. A text that is none is a defect of the test.
inline wall_time at(const std::string& text) {
  const auto mention = calendar_at(text, lower_ascii(text), 0);
  const auto found = mention ? resolve(*mention, wall_time{}, zone_mention{}) : std::nullopt;
  if (!found) {
    throw std::invalid_argument("not an instant: " + text);
  }
  return *found;
}

} // namespace resilient::goal::test
