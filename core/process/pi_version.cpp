#include "core/process/pi_version.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace resilient::process {

std::optional<pi_version> parse_pi_version(std::string_view text) {
  if (text.starts_with('v')) {
    text.remove_prefix(1);
  }
  std::array<int, 3> parts{};
  for (std::size_t index = 0; index < parts.size(); ++index) {
    if (text.empty() || text.front() < '0' || text.front() > '9') {
      return std::nullopt;
    }
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), parts.at(index));
    if (error != std::errc{}) {
      return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (index + 1 < parts.size()) {
      if (!text.starts_with('.')) {
        return std::nullopt;
      }
      text.remove_prefix(1);
    }
  }
  if (!text.empty() && text.front() != '-' && text.front() != '+') {
    return std::nullopt;
  }
  return pi_version{parts[0], parts[1], parts[2]};
}

std::string to_string(const pi_version& version) {
  return fmt::format("{}.{}.{}", version.major, version.minor, version.patch);
}

} // namespace resilient::process
