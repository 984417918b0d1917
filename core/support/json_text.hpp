#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string_view>

namespace resilient {

/// Copying, comparing and writing a value is recursive in the JSON library, so that hostile nesting
/// would use up the stack. What we read nests a few levels.
inline constexpr std::size_t most_json_nesting = 128;

/// Whether this JSON text has more objects and lists inside of each other than that.
[[nodiscard]] bool nests_too_deep(std::string_view text) noexcept;

/// The value that a text from outside holds. It is discarded (`is_discarded()`) when the text is no
/// JSON, or nests too deep. Never throws.
[[nodiscard]] nlohmann::json parse_json(std::string_view text);

} // namespace resilient
