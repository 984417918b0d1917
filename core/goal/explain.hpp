#pragma once

#include "core/goal/classify.hpp"

#include <string>

namespace resilient::goal {

/// The decision as one line of JSON without a newline:
/// `{"class","reset_at","retry_after_s","action","rule"}`. `reset_at` is ISO 8601 in UTC or null,
/// `retry_after_s` a number of seconds or null.
[[nodiscard]] std::string explain_json(const verdict& decided);

/// The decision as one sentence for a person: what happened, what is done about it, when, and the
/// rule that matched.
[[nodiscard]] std::string explain_sentence(const failure& seen, const verdict& decided);

/// `2026-03-29T01:30:00Z`; with milliseconds only where there are any.
[[nodiscard]] std::string format_instant(wall_time when);

} // namespace resilient::goal
