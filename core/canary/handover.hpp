#pragma once

#include "core/canary/message.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace resilient::canary {

/// Why a response is no handover; `none` when it is one.
enum class handover_flaw : std::uint8_t {
  none,
  tool_calls, ///< it called tools
  incomplete, ///< it did not end by itself (cut by length, failed, aborted)
  too_long,   ///< longer than can be kept verbatim
  prefix,     ///< it does not begin with the prefix
  heading,    ///< the prefix is not followed by the heading and a line end
  content,    ///< nothing stands below the heading
};

/// The line that a handover begins with, behind the prefix.
inline constexpr std::string_view handover_heading = "# Canary handover";

/// A handover is complete, calls no tool, and reads `keyword: # Canary handover`, a line end (LF or
/// CR LF), and content that is more than spaces. Nothing may follow the heading on its line.
[[nodiscard]] handover_flaw judge_handover(const assistant_message& message,
                                           std::string_view keyword);

/// What was wrong, as the end of the sentence "it ...".
[[nodiscard]] std::string_view describe(handover_flaw flaw) noexcept;

} // namespace resilient::canary
