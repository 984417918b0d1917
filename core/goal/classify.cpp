#include "core/goal/classify.hpp"

#include "core/goal/error_codes.hpp"
#include "core/goal/phrase_rules.hpp"
#include "core/goal/provider_message.hpp"
#include "core/goal/response_headers.hpp"
#include "core/goal/status_rules.hpp"
#include "core/goal/time_hints.hpp"
#include "core/goal/wait_decision.hpp"

namespace resilient::goal {

namespace {

/// A class with the rule that gave it.
struct finding {
  error_class kind = error_class::unknown;
  std::string rule;
  bool doubtful = false; ///< others use these words as well
};

int known_status(const failure& seen, const provider_message& message) {
  if (seen.status && *seen.status >= 400 && *seen.status < 600) {
    return *seen.status;
  }
  return message.status.value_or(0);
}

/// Words that were split by a terminal are found only when the lines are joined without a blank.
bool is_folded(std::string_view text) {
  return text.substr(0, readable_bytes).find('\n') != std::string_view::npos;
}

std::optional<phrase_meaning> phrases_of(const failure& seen, const provider_message& message,
                                         int status) {
  auto found = meaning_of_phrases(phrase_text{message.lower}, status);
  if (!found && is_folded(seen.text)) {
    const auto joined = read_message(seen.text, line_joint::nothing);
    found = meaning_of_phrases(phrase_text{joined.lower}, status);
  }
  return found;
}

finding find_class(const failure& seen, const provider_message& message,
                   const header_reading& headers) {
  const auto status = known_status(seen, message);
  if (seen.stop_reason == "aborted") {
    return {error_class::abort, "stop-reason.aborted"};
  }
  if (status == 402) {
    return {error_class::usage_exhausted, "status.402"};
  }
  if (headers.plan_exhausted && (status == 429 || status == 0)) {
    return {error_class::usage_exhausted, "headers.plan-exhausted"};
  }
  const auto code = meaning_of_codes(message, seen.provider);
  if (code && code->weight == code_weight::certain) {
    return {code->kind, "code." + code->code};
  }
  if (const auto quota = quota_period(message)) {
    return {*quota, *quota == error_class::rate_limit ? "quota-id.per-minute" : "quota-id.per-day"};
  }
  if (const auto phrase = phrases_of(seen, message, status)) {
    return {phrase->kind, "phrase." + std::string{phrase->id},
            phrase->weight == phrase_weight::doubtful};
  }
  if (message.challenge) {
    return {error_class::auth, "page.challenge"};
  }
  if (code && !contradicts(code->kind, status)) {
    return {code->kind, "code." + code->code};
  }
  if (const auto kind = class_of_status(status, message, seen.provider)) {
    return {*kind, "status." + std::to_string(status)};
  }
  if (status != 400) {
    if (const auto phrase = meaning_of_vague_phrases(phrase_text{message.lower})) {
      return {phrase->kind, "phrase." + std::string{phrase->id}, true};
    }
  }
  return {error_class::unknown, "none"};
}

} // namespace

verdict classify(const failure& seen) {
  const auto message = read_message(seen.text, line_joint::blank);
  const auto headers = read_all_headers(seen, message);
  const auto found = find_class(seen, message, headers);
  return decide_wait(seen, message, headers, found.kind, found.rule, found.doubtful);
}

} // namespace resilient::goal
