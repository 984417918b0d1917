#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
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

/// The object that a text holds; an empty one when it holds anything else. Never throws.
[[nodiscard]] nlohmann::json parse_json_object(std::string_view text);

/// What an object has under a key; null when there is nothing, or when it is no object. Lives as
/// long as `value`, or for ever.
[[nodiscard]] const nlohmann::json& json_member(const nlohmann::json& value, const char* key);

/// The value on one line. What is no UTF-8 in it is replaced; never throws.
template <class Json>
[[nodiscard]] std::string json_line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Likewise, indented for people.
template <class Json>
[[nodiscard]] std::string json_page(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace);
}

} // namespace resilient
