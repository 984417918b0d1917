#pragma once

#include "core/support/error.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

/// A tool call that has ended, as a host tells it to a hook.
struct hook_call {
  std::string id; ///< may be empty
  std::string tool;
  nlohmann::json input;
  std::string answer;     ///< the text of the response, as far as it is text
  bool is_failed = false; ///< the response says that nothing was done
};

/// What a host tells a hook, of Claude Code as well as of Codex. What a host leaves out is empty.
struct hook_event {
  std::string name;       ///< `PostToolUse`, `Stop`, ...
  std::string session;    ///< stays the same when a session is resumed
  std::string agent;      ///< of a subagent, which has a context of its own; empty for the main one
  std::string agent_kind; ///< of a subagent; a `fork` inherits what the main agent has seen
  std::string turn;       ///< changes with each prompt
  std::string folder;     ///< what relative paths in calls are taken from; follows the agent's `cd`
  std::string transcript; ///< the file in which the host writes down what happens
  std::string source;     ///< of `SessionStart`: startup, resume, clear, compact
  bool is_stop_hook_active = false; ///< of `Stop`: it follows a stop that a hook prevented
  std::vector<hook_call> calls;     ///< of `PostToolUse` one, of `PostToolBatch` all of the batch
};

/// Reads the event from what stands on stdin. Fails when it is no JSON object with an event name;
/// anything else that is odd counts as left out.
[[nodiscard]] result<hook_event> parse_hook_event(std::string_view bytes);

/// Whether a tool's response says that the call failed: a shell's exit code, the sentences with
/// which hosts refuse an edit, or a field such as `isError`. Hosts send texts, lists of blocks or
/// objects.
[[nodiscard]] bool says_failure(const nlohmann::json& response);

} // namespace resilient::canon
