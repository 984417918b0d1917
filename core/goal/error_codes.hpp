#pragma once

#include "core/goal/classify.hpp"
#include "core/goal/provider_message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace resilient::goal {

/// How much a code tells by itself.
enum class code_weight : std::uint8_t {
  certain, ///< decides before any words are read
  general, ///< decides only if the words say nothing
};

/// What a machine-readable code of a provider means.
struct code_meaning {
  error_class kind = error_class::unknown;
  code_weight weight = code_weight::general;
  std::string code; ///< in lower case, words joined by `-`, for the rule's id
};

/// The meaning of the codes in a message: the values of its fields `type`, `code`, `status`,
/// `reason` and the like, and identifiers in its prose (`overloaded_error`, `ECONNRESET`,
/// `ThrottlingException`). The first certain one wins, else the first general one.
/// `provider` tells whose numbers bare numeric codes are.
[[nodiscard]] std::optional<code_meaning> meaning_of_codes(const provider_message& message,
                                                           std::string_view provider);

/// Whether times that such a provider prints without a zone are Chinese time.
[[nodiscard]] bool prints_chinese_time(const provider_message& message, std::string_view provider);

} // namespace resilient::goal
