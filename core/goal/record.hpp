#pragma once

#include "core/support/error.hpp"
#include "core/support/time.hpp"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

/// A goal as it stands in Pi's session log.
namespace resilient::goal {

enum class phase : std::uint8_t {
  none,     ///< no goal, or it was cleared
  active,   ///< continued until it is complete
  paused,   ///< kept, not continued; `pause_reason` says why
  complete, ///< done
};

[[nodiscard]] const char* to_string(phase value) noexcept;

/// Why the next continuation is not sent yet, and until when.
struct waiting {
  enum class kind : std::uint8_t {
    backoff, ///< after a failure that passes
    reset,   ///< until the provider's own instant
    probe,   ///< nobody said when it will work again
    slow,    ///< answers without any tool call
  };

  kind what = kind::backoff;
  std::string why;        ///< for people: "usage limit of openai-codex"
  wall_time started_at{}; ///< when the wait began
  /// How long we chose to wait. Never longer, whatever the wall clock does.
  std::chrono::milliseconds length{0};
  /// The provider's instant with our margin; it counts on the wall clock, whatever `length` is.
  std::optional<wall_time> reset_at;

  [[nodiscard]] bool operator==(const waiting&) const = default;

  /// How much of the wait is left, for a process that did not see it begin.
  [[nodiscard]] std::chrono::milliseconds left(wall_time now) const;
};

[[nodiscard]] const char* to_string(waiting::kind value) noexcept;

/// Everything a goal needs to go on in another process.
struct record {
  std::string id;
  std::string objective;
  phase state = phase::none;
  std::string
      pause_reason; ///< `user`, `abort`, `fork`, `config`, `overflow`, `blocked`, `canary`,
                    ///< `check`, `budget_turns`, `budget_hours`, `budget_tokens`, `budget_cost`
  std::int64_t revision = 0; ///< changed by every command and tool call on the goal
  wall_time created_at{};
  std::int64_t continuations = 0;
  std::int64_t turns = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  double cost = 0;
  std::chrono::milliseconds active{0}; ///< time in which the goal was active, waits included
  std::array<double, 4> extra{};       ///< what was granted beyond each budget, in its unit
  std::string check;        ///< shell command that accepts a completion, typed with the goal
  int check_failures = 0;   ///< completions in a row that the check did not accept
  std::string check_report; ///< what the agent must still be told about the last of them
  int failures = 0;         ///< failed runs in a row
  int overflows = 0;        ///< context overflows in a row
  int without_tools = 0;    ///< answers without any tool call in a row
  int blocked = 0;          ///< runs in a row in which the agent called itself blocked
  std::string last_error;
  std::optional<waiting> wait;

  [[nodiscard]] bool operator==(const record&) const = default;
};

/// The data of the session entry.
[[nodiscard]] nlohmann::json to_json(const record& goal);

/// Reads what `to_json` wrote. Anything else is refused with the reason: an entry that cannot be
/// read must not be taken for "no goal".
[[nodiscard]] result<record> record_from_json(const nlohmann::json& data);

} // namespace resilient::goal
