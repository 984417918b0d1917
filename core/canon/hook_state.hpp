#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace resilient::canon {

/// A call whose end the host tells in its transcript only.
struct told_later {
  std::string call;
  std::string transcript; ///< path of the file

  [[nodiscard]] bool operator==(const told_later&) const = default;
  [[nodiscard]] bool operator<(const told_later& other) const {
    return std::tie(call, transcript) < std::tie(other.call, other.transcript);
  }
};

/// An article whose asset was changed.
struct owed_article {
  /// Of the article at that time. An unknown one never counts as written since.
  std::optional<std::string> fingerprint;
  /// The calls that changed it, unless all of them turn out to have failed. Empty: it was changed.
  std::set<told_later> unless_failed;

  [[nodiscard]] bool operator==(const owed_article&) const = default;
};

/// What the hooks of one session remember between their calls, each of which is a process.
struct hook_state {
  /// What one agent was shown since its context began.
  struct context {
    std::string agent;          ///< empty for the main one
    std::set<std::string> seen; ///< keys of articles

    [[nodiscard]] bool operator==(const context&) const = default;
  };
  std::vector<context> contexts; ///< the one that was used last comes last

  std::map<std::string, owed_article> pending; ///< by key of the article

  /// The turn in which the agent was reminded and kept from stopping, until it stops.
  std::optional<std::string> reminded_in;

  [[nodiscard]] bool operator==(const hook_state&) const = default;

  /// A call changed what the article governs, `later` tells whether it failed; without one it did
  /// not. The fingerprint is that of the article now.
  void owe(const std::string& key, const std::string& fingerprint,
           const std::optional<told_later>& later);
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
