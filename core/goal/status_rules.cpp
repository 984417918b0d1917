#include "core/goal/status_rules.hpp"

#include "core/goal/plain_text.hpp"

namespace resilient::goal {

namespace {

/// Whether the text says more than its own status line.
bool has_message(const provider_message& message) {
  std::size_t letters = 0;
  std::string_view rest = message.lower;
  for (const std::string_view empty : {"status code (no body)", "provider returned error",
                                       "bad request", "error", "status", "http", "api"}) {
    if (const auto at = rest.find(empty); at < 8) {
      rest.remove_prefix(at + empty.size());
    }
  }
  for (const char c : rest) {
    letters += is_letter(c) || static_cast<unsigned char>(c) >= 0x80 ? 1U : 0U;
  }
  return letters > 12;
}

} // namespace

std::optional<error_class> class_of_status(int status, const provider_message& message,
                                           std::string_view provider) {
  switch (status) {
  case 0:
    return std::nullopt;
  case 400:
    if (lower_ascii(provider).find("cerebras") != std::string::npos && !has_message(message)) {
      return error_class::overflow;
    }
    return has_message(message) ? std::optional{error_class::config} : std::nullopt;
  case 401:
  case 403:
  case 407:
    return error_class::auth;
  case 402:
    return error_class::usage_exhausted;
  case 404:
  case 405:
  case 406:
  case 410:
  case 411:
  case 414:
  case 415:
  case 416:
  case 417:
  case 422:
  case 426:
  case 431:
  case 451:
  case 501:
  case 505:
    return error_class::config;
  case 408:
  case 409:
  case 421:
  case 423:
  case 424:
  case 425:
  case 444:
  case 460:
  case 498:
  case 499:
    return error_class::transient;
  case 413:
    return error_class::overflow;
  case 429:
    return error_class::rate_limit;
  default:
    break;
  }
  return status >= 500 && status < 600 ? std::optional{error_class::transient} : std::nullopt;
}

bool contradicts(error_class kind, int status) {
  switch (kind) {
  case error_class::config:
    // A 400 that says nothing but "invalid request" is left to the status.
    return status == 429 || status >= 500 || status == 401 || status == 413;
  case error_class::auth:
    return status >= 502 || status == 429;
  case error_class::rate_limit:
    return status >= 500 || status == 413;
  default:
    return false;
  }
}

std::optional<error_class> quota_period(const provider_message& message) {
  std::optional<error_class> found;
  for (const auto& each : message.fields) {
    if (each.key != "quotaid" && each.key != "quota_id") {
      continue;
    }
    // Several quotas may be exceeded at once: the longest one decides.
    if (each.value.find("PerDay") != std::string::npos
        || each.value.find("PerMonth") != std::string::npos
        || each.value.find("PerWeek") != std::string::npos) {
      return error_class::usage_exhausted;
    }
    if (each.value.find("PerMinute") != std::string::npos
        || each.value.find("PerSecond") != std::string::npos) {
      found = error_class::rate_limit;
    }
  }
  return found;
}

} // namespace resilient::goal
