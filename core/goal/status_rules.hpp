#pragma once

#include "core/goal/classify.hpp"
#include "core/goal/provider_message.hpp"

#include <optional>
#include <string_view>

namespace resilient::goal {

/// What a status alone means (0: no status). A bare 400 says nothing, except from providers that
/// answer an overlong prompt that way.
[[nodiscard]] std::optional<error_class>
class_of_status(int status, const provider_message& message, std::string_view provider);

/// Whether a general code cannot be meant under this status, such as an "invalid request" on a
/// 429 or 503.
[[nodiscard]] bool contradicts(error_class kind, int status);

/// What Google's `quotaId` says: a quota per minute is a throttle, one per day is a plan.
[[nodiscard]] std::optional<error_class> quota_period(const provider_message& message);

} // namespace resilient::goal
