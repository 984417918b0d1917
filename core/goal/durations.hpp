#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

namespace resilient::goal {

/// A length of time found in a text.
struct duration_mention {
  std::chrono::milliseconds length{0};
  std::size_t end = 0; ///< the position after it
};

/// No provider asks for more than this; longer lengths are taken as no length at all.
inline constexpr std::chrono::hours longest_length{400 * 24};

/// The length of time that begins exactly at `at`: `3h 47m`, `5 days 22 hours 11 minutes`,
/// `161h39m41.3s`, `1,5 Stunden`, `30 秒`, `PT5M`. Adjectives such as in "5-hour limit" are none.
/// `lower` is in lower case.
[[nodiscard]] std::optional<duration_mention> duration_at(std::string_view lower, std::size_t at);

/// `H:MM:SS`, `D.HH:MM:SS`, or `M:SS minutes`, as a length, for places where a length is expected.
[[nodiscard]] std::optional<duration_mention> stopwatch_at(std::string_view lower, std::size_t at);

/// A whole text that is a length (`2m59.56s`, `40s`, `6ms`), or a bare number of seconds.
[[nodiscard]] std::optional<std::chrono::milliseconds> length_value(std::string_view lower);

/// A decimal number at `at` with the position after it. A comma before exactly three digits
/// separates thousands, otherwise it is a decimal comma.
struct number_mention {
  double value = 0;
  bool fraction = false; ///< it has a fractional part
  std::size_t end = 0;
};
[[nodiscard]] std::optional<number_mention> number_at(std::string_view lower, std::size_t at);

/// `count` units of `unit` milliseconds, or nothing if that is negative or absurdly long.
[[nodiscard]] std::optional<std::chrono::milliseconds> length_of(double count, double unit);

} // namespace resilient::goal
