#pragma once

#include "core/goal/plain_text.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace resilient::goal {

/// One `"key": value` of a JSON body (or of a Python or JavaScript rendering of one).
struct message_field {
  std::string key; ///< in lower case
  std::string value;
  bool is_string = false;
};

/// A provider's error text taken apart.
struct provider_message {
  /// What a person would read: the text around the bodies and the messages in them, without web
  /// addresses. Parts that do not belong to one sentence are separated by `\n`.
  std::string prose;
  /// `prose` with ASCII letters in lower case; the same length.
  std::string lower;
  /// Everything that a body said, in order of appearance, bodies within bodies included.
  std::vector<message_field> fields;
  /// The status of the response as the text tells it.
  std::optional<int> status;
  /// The text is a web page, as gateways and proxies answer.
  bool html = false;
  /// The web page asks the visitor to prove to be human.
  bool challenge = false;

  /// The first non-empty value of `key`, or an empty text.
  [[nodiscard]] std::string_view field(std::string_view key) const noexcept;
};

/// Takes a text apart. Bodies may be cut off, wrapped, escaped, or written with single quotes.
[[nodiscard]] provider_message read_message(std::string_view text, line_joint joint);

} // namespace resilient::goal
