#pragma once

#include "core/goal/classify.hpp"
#include "core/goal/phrases.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace resilient::goal {

/// How sure words are about what they seem to say.
enum class phrase_weight : std::uint8_t {
  certain,  ///< decides before status and general codes
  doubtful, ///< a usage limit that is a mere throttle if the provider asks for a short pause
  general,  ///< decides only if there is neither a status nor a code
};

/// What the words of a message mean.
struct phrase_meaning {
  error_class kind = error_class::unknown;
  phrase_weight weight = phrase_weight::certain;
  std::string_view id; ///< the rule's name, such as "usage-limit"
};

/// The meaning of the words of an error text, by the first rule that matches. `status` (or 0)
/// rules some of them out: what a gateway writes under a 503 is never about credentials.
[[nodiscard]] std::optional<phrase_meaning> meaning_of_phrases(const phrase_text& text, int status);

/// The meaning of words that only count if nothing else said anything.
[[nodiscard]] std::optional<phrase_meaning> meaning_of_vague_phrases(const phrase_text& text);

} // namespace resilient::goal
