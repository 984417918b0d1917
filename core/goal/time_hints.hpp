#pragma once

#include "core/goal/provider_message.hpp"
#include "core/goal/time_zones.hpp"
#include "core/support/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace resilient::goal {

/// The zones for times that name none.
struct assumed_zones {
  zone_mention naive; ///< what a bare clock time of this provider means
  zone_mention local; ///< the zone of this machine, for "local time"
};

/// A time that the provider exposed.
struct time_hint {
  enum class role : std::uint8_t {
    reset,  ///< when a limit ends
    retry,  ///< when to try again
    client, ///< how long a client in between said that it waits
  };
  role what = role::reset;
  /// The instant it stands for.
  wall_time at;
  /// It was given as a length rather than as an instant.
  bool relative = false;

  /// The time from `observed` on, at least 0.
  [[nodiscard]] std::chrono::milliseconds from(wall_time observed) const;
};

/// The times in the fields of a body, in order of appearance.
[[nodiscard]] std::vector<time_hint> hints_in_fields(const std::vector<message_field>& fields,
                                                     wall_time observed,
                                                     const assumed_zones& zones);

/// The times in the prose of a message, in order of appearance. Only a time that the words around
/// it tie to a reset or a retry counts: windows ("5-hour limit"), frequencies ("every week") and
/// time stamps of log lines do not.
[[nodiscard]] std::vector<time_hint> hints_in_prose(const provider_message& message,
                                                    wall_time observed, const assumed_zones& zones);

} // namespace resilient::goal
