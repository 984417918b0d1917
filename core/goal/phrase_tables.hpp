#pragma once

#include "core/goal/phrase_rules.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace resilient::goal {

/// Under which statuses a rule may speak. A status of 0 means that none is known.
enum class status_gate : std::uint8_t {
  any,
  no_gateway,    ///< not above 500: gateways know nothing of accounts and models
  no_response,   ///< only if no error response arrived
  client_error,  ///< none, 4xx except 429, or 500
  not_throttled, ///< not 429
};

/// One rule: any of `phrases`, any of `with` if there are some, and none of `unless` (see
/// `phrase_text::has`). A rule with both is of the kind "something about a key" and "something is
/// invalid", for wordings that nobody has seen yet.
struct phrase_rule {
  std::string_view id;
  error_class kind = error_class::unknown;
  phrase_weight weight = phrase_weight::certain;
  status_gate where = status_gate::any;
  std::span<const std::string_view> phrases;
  std::span<const std::string_view> unless;
  std::span<const std::string_view> with = {};
};

/// The rules that decide before status and general codes, in their order.
[[nodiscard]] std::span<const phrase_rule> phrase_rules();
/// The rules for texts that hold neither a status nor a code, in their order.
[[nodiscard]] std::span<const phrase_rule> vague_phrase_rules();

/// Texts that as a whole say that the user stopped the request.
extern const std::span<const std::string_view> whole_abort_texts;

} // namespace resilient::goal
