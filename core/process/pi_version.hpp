#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace resilient::process {

/// A version of Pi as its package.json names it. A suffix such as `-beta.1` is not kept: what
/// matters here is which features a version has.
struct pi_version {
  int major = 0;
  int minor = 0;
  int patch = 0;

  // clang-tidy 14 takes the 0 in the generated comparison for a null pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  [[nodiscard]] auto operator<=>(const pi_version&) const = default;
};

/// The oldest version that is supported; an older one is refused.
inline constexpr pi_version oldest_supported_pi{0, 80, 6};

/// The first version above the tested ones; from here on one warning is due, and features are
/// judged by what the extension reports.
inline constexpr pi_version first_untested_pi{1, 7, 0};

/// Reads "1.6.0", "v1.6.0" or "1.6.0-beta.1+build". Nothing for any other text.
[[nodiscard]] std::optional<pi_version> parse_pi_version(std::string_view text);

/// "1.6.0"
[[nodiscard]] std::string to_string(const pi_version& version);

} // namespace resilient::process
