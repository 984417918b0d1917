#include "core/canary/handover.hpp"

#include "core/canary/prefix.hpp"
#include "core/support/text.hpp"

namespace resilient::canary {

namespace {

bool take(std::string_view& text, std::string_view expected) noexcept {
  if (!starts_with(text, expected)) {
    return false;
  }
  text.remove_prefix(expected.size());
  return true;
}

} // namespace

handover_flaw judge_handover(const assistant_message& message, std::string_view keyword) {
  if (message.has_tool_calls) {
    return handover_flaw::tool_calls;
  }
  if (message.stop != "stop") {
    return handover_flaw::incomplete;
  }
  if (message.text_truncated) {
    return handover_flaw::too_long;
  }
  std::string_view text = message.text;
  if (!take(text, prefix_of(keyword))) {
    return handover_flaw::prefix;
  }
  if (!take(text, handover_heading)) {
    return handover_flaw::heading;
  }
  if (!take(text, "\n") && !take(text, "\r\n")) {
    return handover_flaw::heading;
  }
  return trim(text).empty() ? handover_flaw::content : handover_flaw::none;
}

std::string_view describe(handover_flaw flaw) noexcept {
  switch (flaw) {
  case handover_flaw::none:
    return "was accepted";
  case handover_flaw::tool_calls:
    return "called tools";
  case handover_flaw::incomplete:
    return "was cut off before its end";
  case handover_flaw::too_long:
    return "was too long to be kept";
  case handover_flaw::prefix:
    return "did not begin with the required prefix";
  case handover_flaw::heading:
    return "did not have the required first line";
  case handover_flaw::content:
    return "had nothing below its first line";
  }
  return "was not accepted";
}

} // namespace resilient::canary
