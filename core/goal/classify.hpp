#pragma once

#include "core/support/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace resilient::goal {

/// What kind of provider failure a turn ended with.
enum class error_class : std::uint8_t {
  transient,       ///< overload, 5xx, cut streams, dead networks: trying again helps
  rate_limit,      ///< a throttle of seconds or minutes
  usage_exhausted, ///< the plan, quota or balance is used up
  overflow,        ///< the conversation does not fit the model
  auth,            ///< the credentials are missing, wrong or expired
  config,          ///< the request itself is wrong and stays wrong
  abort,           ///< the user stopped it
  unknown,         ///< none of the above can be told
};

/// What the scheduler should do about it.
enum class action : std::uint8_t {
  retry,   ///< bounded exponential backoff, never earlier than `retry_after`
  wait,    ///< wait for `reset_at`
  probe,   ///< try again slowly: nobody said when it will work
  compact, ///< the host must shorten the conversation first
  pause,   ///< a person has to do something
};

/// What the host shows of a failure. Only text of the provider's error channel belongs here,
/// never what the model or a tool wrote.
struct failure {
  /// The error text, in any encoding and any size (only the first 16 KiB are read).
  std::string text;
  /// The status of the HTTP response, if the host told it apart from the text.
  std::optional<int> status;
  /// Response headers; the case of the names does not matter.
  std::vector<std::pair<std::string, std::string>> headers;
  /// The host's name of the provider ("anthropic", "openai-codex", "zai"), or empty.
  std::string provider;
  /// The host's stop reason of the turn ("error", "aborted"), or empty.
  std::string stop_reason;
  /// When the failure was seen. Relative times count from here.
  wall_time observed_at{};
  /// IANA name of the time zone of this machine, or empty when it is not known. It is used for
  /// clock times that name no zone.
  std::string local_zone;
};

/// The decision about one failure.
struct verdict {
  error_class kind = error_class::unknown;
  /// When the usage limit ends. Only for `usage_exhausted`, and only if the provider said so.
  std::optional<wall_time> reset_at;
  /// How long the provider asked to wait, at least 0.
  std::optional<std::chrono::milliseconds> retry_after;
  action what = action::probe;
  /// Stable readable id of the rule that matched, such as "code.insufficient-quota".
  std::string rule;

  [[nodiscard]] bool operator==(const verdict&) const = default;
};

/// A reset farther away than this is shown to people but not waited for.
inline constexpr std::chrono::hours trusted_reset_distance{8 * 24};

/// Tells what `seen` means. Structured facts (status, headers, JSON types and codes) count before
/// words. Never throws because of its input, never invents an instant: `reset_at` and
/// `retry_after` are set only if the text, a header or a JSON field held one.
///
/// Clock times are resolved with the time zone database of the system, which is read at the first
/// call that needs it.
[[nodiscard]] verdict classify(const failure& seen);

/// The stable names: "transient", "rate_limit", "usage_exhausted", ...
[[nodiscard]] std::string_view to_string(error_class kind) noexcept;
/// The stable names: "retry", "wait", "probe", "compact", "pause".
[[nodiscard]] std::string_view to_string(action what) noexcept;

/// The class of a name that `to_string` gave, or nothing.
[[nodiscard]] std::optional<error_class> error_class_from(std::string_view name) noexcept;
/// The action of a name that `to_string` gave, or nothing.
[[nodiscard]] std::optional<action> action_from(std::string_view name) noexcept;

} // namespace resilient::goal
