#pragma once

#include <chrono>
#include <string>
#include <variant>

/// What the goal wants at a boundary.
namespace resilient::goal {

/// Nothing: the run ends here, or a wait goes on elsewhere.
struct let_settle {
  [[nodiscard]] bool operator==(const let_settle&) const = default;
};

/// Continue the agent with this text.
struct continue_with {
  std::string text;
  std::string token; ///< goal id, revision and count; comes back in `send_finished`
  [[nodiscard]] bool operator==(const continue_with&) const = default;
};

/// Print mode: keep Pi from ending for this long, a continuation will come.
struct keep_open {
  std::chrono::milliseconds length{0};
  [[nodiscard]] bool operator==(const keep_open&) const = default;
};

using proposal = std::variant<let_settle, continue_with, keep_open>;

} // namespace resilient::goal
