#pragma once

#include "core/support/error.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace resilient::settings {

/// The bytes of `text` with the member `key` of its top-level object set to the string `value`.
/// Every byte outside the value stays as it is: order, indentation, line ends, numbers, BOM. Of a
/// key that is there several times the last is changed, which is the one that JSON.parse uses.
///
/// A new member goes behind the last one and is laid out like it; an object on one line stays on
/// one line. An empty text becomes a new file of two-space indentation. Fails with `data` when the
/// text is not valid JSON (whitespace alone is not) or is no object; `shown` is the path to name.
[[nodiscard]] result<std::string> set_string(std::string_view text, std::string_view key,
                                             std::string_view value, std::string_view shown);

/// Whether the top-level object has the member, whatever its value. An empty text has none. Fails
/// as above.
[[nodiscard]] result<bool> has_member(std::string_view text, std::string_view key,
                                      std::string_view shown);

} // namespace resilient::settings
