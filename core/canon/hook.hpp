#pragma once

#include "core/canon/hook_event.hpp"
#include "core/canon/hook_state.hpp"
#include "core/canon/places.hpp"
#include "core/support/time.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace resilient::canon {

/// A packet is not longer than this, in bytes; hosts cut or hide what is longer than about 10,000.
inline constexpr std::size_t longest_packet = 9000;

/// What a hook prints when it has nothing to say.
inline constexpr const char* nothing_to_say = "{}";

/// What a hook may ask of the machine beside the store.
struct hook_surroundings {
  std::string home; ///< the user's, for `~` in commands; may be empty
  wall_time now;
  /// When a file was last changed in content, name or permissions. Nothing when that tells nothing:
  /// for a folder, for what is not there, and where it cannot be told.
  std::function<std::optional<wall_time>(const std::string& path)> changed_at;
  /// Whether the transcript says that the call failed, see `transcript_says_failure`.
  std::function<bool(const told_later& call)> has_failed;
};

/// A call whose file was not changed for so long has not changed it, whatever its response says:
/// Codex tells of a shell command only what it printed, not how it ended. Longer than nearly every
/// command takes.
inline constexpr std::chrono::hours unchanged_for{1};

/// Answers one event of a host and changes the state of its session: the JSON object to print.
///
/// - `PostToolUse`, `PostToolBatch`: the lines of the articles that govern what the calls touched,
///   each once in an agent's context, as `additionalContext`. What a call changed and did not fail
///   to change is pending.
/// - `Stop`: once, the articles that are pending and were not written since, as the reason to go
/// on.
/// - `SessionStart`: a new context begins, except with the source `resume`.
/// - `SubagentStart`: a fork begins with the context of the main agent.
/// - `PostCompact` of a subagent: its context begins anew.
/// - anything else: nothing.
///
/// Reads the governing articles and the paths that the calls name; never a listing of the store.
[[nodiscard]] std::string answer_hook(const hook_event& event, const places& where,
                                      const hook_surroundings& around, hook_state& state);

} // namespace resilient::canon
