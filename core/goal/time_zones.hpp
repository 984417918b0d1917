#pragma once

#include "core/support/time.hpp"

#include <date/date.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace resilient::goal {

/// The zone that a text gives for a clock time.
struct zone_mention {
  enum class kind : std::uint8_t {
    none,     ///< no zone was named
    offset,   ///< a fixed distance from UTC
    named,    ///< a zone of the database
    local,    ///< "local time", that of the reader
    unusable, ///< something was named that is no zone, or more than one
  };
  kind what = kind::none;
  std::chrono::minutes offset{0};
  std::string name;    ///< for `named`
  std::size_t end = 0; ///< the position after it
};

/// The zone written at `at`, after optional blanks: ` (Europe/Berlin)`, ` UTC+8`, `+08:00`, `Z`,
/// ` Pacific Time`, ` PST`. `text` keeps its case. Abbreviations that several zones share are
/// `unusable`.
[[nodiscard]] zone_mention zone_at(std::string_view text, std::size_t at);

/// Whether the database knows the zone.
[[nodiscard]] bool zone_exists(std::string_view name);

/// The instants at which a clock in the zone shows `local`: none in an unknown zone, two when the
/// clock is set back. A time that is skipped when the clock is set forward is read with the
/// distance from UTC that held before.
struct zone_instants {
  std::optional<wall_time> first;
  std::optional<wall_time> second;
};
[[nodiscard]] zone_instants instants_in_zone(date::local_time<std::chrono::milliseconds> local,
                                             const zone_mention& zone);

/// What a clock in the zone shows at `when`, or nothing in an unknown zone.
[[nodiscard]] std::optional<date::local_time<std::chrono::milliseconds>>
clock_in_zone(wall_time when, const zone_mention& zone);

} // namespace resilient::goal
