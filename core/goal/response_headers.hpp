#pragma once

#include "core/support/time.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace resilient::goal {

using header_list = std::vector<std::pair<std::string, std::string>>;

/// What the headers of a refused request say.
struct header_reading {
  /// `Retry-After` or `retry-after-ms`.
  std::optional<std::chrono::milliseconds> retry_after;
  /// Until the last of the empty request or token buckets is filled again.
  std::optional<std::chrono::milliseconds> bucket_reset;
  /// The plan is used up: Anthropic's unified limit rejects, or a Codex window is full.
  bool plan_exhausted = false;
  /// When the used-up window of the plan ends; windows that are not used up do not count.
  std::optional<wall_time> plan_reset;
};

/// Reads `Retry-After`, `retry-after-ms`, `x-ratelimit-*`, `ratelimit-reset`, `x-codex-*`,
/// `anthropic-ratelimit-*` and `anthropic-ratelimit-unified-*`. Values that make no sense are as
/// good as missing.
[[nodiscard]] header_reading read_headers(const header_list& headers, wall_time observed);

} // namespace resilient::goal
