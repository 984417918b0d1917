#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

/// What the hooks of one session remember between their calls, each of which is a process.
struct hook_state {
  /// What one agent was shown since its context began.
  struct context {
    std::string agent;          ///< empty for the main one
    std::set<std::string> seen; ///< keys of articles

    [[nodiscard]] bool operator==(const context&) const = default;
  };
  std::vector<context> contexts; ///< the one that was used last comes last

  /// Articles whose assets were changed, with the fingerprint of the article at that time. An
  /// unknown one never counts as written since.
  std::map<std::string, std::optional<std::string>> pending;

  /// The turn in which the agent was reminded and kept from stopping, until it stops.
  std::optional<std::string> reminded_in;

  [[nodiscard]] bool operator==(const hook_state&) const = default;

  /// What this agent was shown; starts empty. Keeps the 64 that were used last.
  [[nodiscard]] std::set<std::string>& seen_by(const std::string& agent);
  /// The context of this agent begins as that of the main one is now, unless it has begun.
  void inherit(const std::string& agent);
  /// The context of this agent begins anew.
  void forget(const std::string& agent);
};

/// Reads any bytes. The two older formats are understood; what else cannot be read is empty.
[[nodiscard]] hook_state parse_hook_state(std::string_view bytes);

[[nodiscard]] std::string compose_hook_state(const hook_state& state);

} // namespace resilient::canon
