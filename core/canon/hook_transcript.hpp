#pragma once

#include <string>
#include <string_view>

namespace resilient::canon {

/// Whether a session's transcript says that the tool call `id` failed. Codex tells a hook what a
/// shell command printed, and its transcript, of which each line is a JSON object, how it ended.
/// Anything that is not understood says nothing of a failure; a first line may be cut.
[[nodiscard]] bool transcript_says_failure(std::string_view transcript, const std::string& id);

} // namespace resilient::canon
