#pragma once

#include <string>

namespace resilient::canary {

/// An assistant message that ended, as far as canary looks at it.
struct assistant_message {
  std::string text;            ///< the visible text; thinking and tool calls are not in it
  bool text_truncated = false; ///< `text` is only the beginning of what the model wrote
  std::string stop; ///< Pi's stop reason: stop, toolUse, length, error, aborted, deferred
  bool has_tool_calls = false; ///< the agent goes on after it
  /// A person's message waits for its turn. Messages queued by extensions do not count.
  bool input_waiting = false;
};

} // namespace resilient::canary
