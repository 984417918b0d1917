#pragma once

#include "core/goal/provider_message.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace resilient::goal {

/// The status of an HTTP response that a text tells: `429 {...}`, `HTTP 429`, `status code 503`,
/// `(401)`. Numbers that merely look like one ("processed 402 records") are not taken.
/// `lower` is unfolded and in lower case.
[[nodiscard]] std::optional<int> status_in_text(std::string_view lower);

/// The status that a JSON body tells in `status`, `status_code`, `statusCode` or `code`.
[[nodiscard]] std::optional<int> status_in_fields(const std::vector<message_field>& fields);

} // namespace resilient::goal
