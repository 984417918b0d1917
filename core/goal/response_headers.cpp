#include "core/goal/response_headers.hpp"

#include "core/goal/clock_times.hpp"
#include "core/goal/durations.hpp"
#include "core/goal/plain_text.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace resilient::goal {

namespace {

using std::chrono::milliseconds;
using header_map = std::map<std::string, std::string, std::less<>>;

std::string trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return std::string{text.substr(0, 128)};
}

std::optional<double> plain_number(std::string_view value) {
  const auto number = number_at(value, 0);
  if (!number || number->end != value.size()) {
    return std::nullopt;
  }
  return number->value;
}

template <class Value>
void keep_later(std::optional<Value>& kept, const std::optional<Value>& other) {
  if (other && (!kept || *kept < *other)) {
    kept = other;
  }
}

/// A value that is a moment: an epoch or a date.
std::optional<wall_time> moment(std::string_view value, wall_time observed) {
  if (const auto number = plain_number(value)) {
    return epoch_value(*number, observed);
  }
  return instant_value(value, observed);
}

/// A value that is a moment or a length, as the time from now on.
std::optional<milliseconds> distance(std::string_view value, wall_time observed) {
  if (const auto when = moment(value, observed)) {
    return std::max(milliseconds{0}, *when - observed);
  }
  return length_value(lower_ascii(value));
}

void read_retry_after(const header_map& headers, wall_time observed, header_reading& out) {
  for (const std::string_view name : {"retry-after", "x-retry-after"}) {
    if (const auto found = headers.find(name); found != headers.end()) {
      keep_later(out.retry_after, distance(found->second, observed));
    }
  }
  for (const std::string_view name : {"retry-after-ms", "x-ms-retry-after-ms"}) {
    if (const auto found = headers.find(name); found != headers.end()) {
      if (const auto number = plain_number(found->second)) {
        keep_later(out.retry_after, length_of(*number, 1));
      }
    }
  }
}

/// Buckets come in pairs of `...remaining...` and `...reset...`. Only an empty bucket makes one
/// wait.
void read_buckets(const header_map& headers, wall_time observed, header_reading& out) {
  for (const auto& [name, value] : headers) {
    const auto reset = name.find("reset");
    if (name.find("ratelimit") == std::string::npos || reset == std::string::npos
        || name.find("unified") != std::string::npos) {
      continue;
    }
    auto partner = name;
    partner.replace(reset, 5, "remaining");
    const auto remaining = headers.find(partner);
    const bool general = name.ends_with("ratelimit-reset");
    if (remaining == headers.end() ? !general : plain_number(remaining->second).value_or(1) > 0) {
      continue;
    }
    keep_later(out.bucket_reset, distance(value, observed));
  }
}

void read_unified_limit(const header_map& headers, wall_time observed, header_reading& out) {
  constexpr std::string_view prefix = "anthropic-ratelimit-unified-";
  const auto value_of = [&](const std::string& name) -> std::string_view {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view{} : std::string_view{found->second};
  };
  const auto overall = value_of(std::string{prefix} + "status");
  if (!overall.empty() && overall != "rejected") {
    return;
  }
  for (const auto& [name, value] : headers) {
    if (!name.starts_with(prefix) || !name.ends_with("-status") || value != "rejected") {
      continue;
    }
    const auto window = name.substr(0, name.size() - 7);
    // Paid overage that is refused says nothing about the windows of the plan.
    if (window == std::string{prefix} + "overage" || window.size() < prefix.size()) {
      continue;
    }
    out.plan_exhausted = true;
    keep_later(out.plan_reset, moment(value_of(window + "-reset"), observed));
  }
  if (overall == "rejected") {
    out.plan_exhausted = true;
    if (!out.plan_reset) {
      out.plan_reset = moment(value_of(std::string{prefix} + "reset"), observed);
    }
  }
}

void read_codex_windows(const header_map& headers, wall_time observed, header_reading& out) {
  constexpr std::string_view suffix = "-used-percent";
  for (const auto& [name, value] : headers) {
    if (!name.starts_with("x-codex-") || !name.ends_with(suffix)
        || plain_number(value).value_or(0) < 100) {
      continue;
    }
    out.plan_exhausted = true;
    const auto window = name.substr(0, name.size() - suffix.size());
    std::optional<wall_time> reset;
    if (const auto found = headers.find(window + "-reset-at"); found != headers.end()) {
      reset = moment(found->second, observed);
    }
    if (const auto found = headers.find(window + "-reset-after-seconds");
        !reset && found != headers.end()) {
      if (const auto length = length_value(found->second)) {
        reset = observed + *length;
      }
    }
    keep_later(out.plan_reset, reset);
  }
}

} // namespace

header_reading read_headers(const header_list& headers, wall_time observed) {
  header_reading out;
  if (headers.empty()) {
    return out;
  }
  header_map known;
  for (const auto& [name, value] : headers) {
    known.insert_or_assign(lower_ascii(trimmed(name)), trimmed(value));
  }
  read_retry_after(known, observed, out);
  read_buckets(known, observed, out);
  read_unified_limit(known, observed, out);
  read_codex_windows(known, observed, out);
  return out;
}

} // namespace resilient::goal
