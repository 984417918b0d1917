#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace resilient::goal {

/// A `"key": value` found in a text.
struct loose_field {
  std::string key;
  std::string value;      ///< with the escapes of a string resolved
  bool is_string = false; ///< the value stood in quotes
  bool container = false; ///< the value is an object or a list; it begins at `end`
  std::size_t end = 0;    ///< where reading goes on
};

/// The field that begins exactly at `at`, if one does. Looser than JSON, because error texts carry
/// bodies that were cut off, wrapped by a terminal, escaped inside another text, or printed by
/// Python: single quotes, `None`, raw line ends and missing closing brackets are accepted.
[[nodiscard]] std::optional<loose_field> loose_field_at(std::string_view text, std::size_t at);

} // namespace resilient::goal
