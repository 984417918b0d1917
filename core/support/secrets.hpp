#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace resilient {

/// What looks like a token of a well-known service. It may be an example of one.
struct found_secret {
  std::size_t at = 0;
  std::size_t size = 0;
  std::string_view kind; ///< "a GitHub token"
};

/// The first one at or after `from`.
[[nodiscard]] std::optional<found_secret> find_secret(std::string_view text, std::size_t from = 0);

/// The text with each token cut down to its well-known beginning: `sk-***`. A provider that refuses
/// a key may quote it, and what is kept of an error must not hold it.
[[nodiscard]] std::string mask_secrets(std::string_view text);

} // namespace resilient
