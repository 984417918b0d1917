#pragma once

#include "core/canon/hook_event.hpp"
#include "core/canon/hook_state.hpp"
#include "core/canon/places.hpp"

#include <cstddef>
#include <string>

namespace resilient::canon {

/// A packet is not longer than this, in bytes; hosts cut or hide what is longer than about 10,000.
inline constexpr std::size_t longest_packet = 9000;

/// What a hook prints when it has nothing to say.
inline constexpr const char* nothing_to_say = "{}";

/// Answers one event of a host and changes the state of its session: the JSON object to print.
///
/// - `PostToolUse`, `PostToolBatch`: the lines of the articles that govern what the calls touched,
///   each once in an agent's context, as `additionalContext`. What a call changed and did not fail
///   to change is pending.
/// - `Stop`: once, the articles that are pending and were not written since, as the reason to go
/// on.
/// - `SessionStart`: a new context begins, except with the source `resume`.
/// - anything else: nothing.
///
/// Reads the governing articles and the paths that the calls name; never a listing of the store.
/// `home` is the user's home folder, for `~` in commands; may be empty.
[[nodiscard]] std::string answer_hook(const hook_event& event, const places& where,
                                      const std::string& home, hook_state& state);

} // namespace resilient::canon
