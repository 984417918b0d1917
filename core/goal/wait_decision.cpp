#include "core/goal/wait_decision.hpp"

#include "core/goal/clock_times.hpp"
#include "core/goal/error_codes.hpp"
#include "core/goal/time_hints.hpp"

#include <algorithm>

namespace resilient::goal {

namespace {

using std::chrono::milliseconds;
using role = time_hint::role;

/// A throttle that asks for this much is a used-up plan, whatever it calls itself.
constexpr std::chrono::hours plan_length{1};
/// "Your quota will reset after 0s": a throttle that talks of quotas.
constexpr std::chrono::minutes throttle_length{2};
/// What a client in between says about its own pauses counts only if it is so long that it must
/// come from the provider.
constexpr std::chrono::minutes own_backoff{30};
/// Two ways of telling one reset may differ by this much; then the later one is the safer.
constexpr std::chrono::minutes same_reset{15};
/// Standard libraries send a short `Retry-After` with everything, also with a used-up plan.
constexpr std::chrono::minutes meant_for_plan{1};
/// No daily quota is filled again within this time.
constexpr std::chrono::minutes daily_quota_retry{5};

zone_mention zone_named(std::string name) {
  if (name.empty()) {
    return {};
  }
  if (name == "UTC" || name == "Z") {
    return {zone_mention::kind::offset, std::chrono::minutes{0}, {}, 0};
  }
  return {zone_mention::kind::named, std::chrono::minutes{0}, std::move(name), 0};
}

/// All times of a message, sorted by how much they can be trusted.
struct exposed_times {
  std::vector<time_hint> fields;
  std::vector<time_hint> prose;
};

exposed_times times_of(const failure& seen, const provider_message& message) {
  assumed_zones zones;
  zones.local = zone_named(seen.local_zone);
  zones.naive =
      prints_chinese_time(message, seen.provider) ? zone_named("Asia/Shanghai") : zones.local;
  exposed_times out;
  out.fields = hints_in_fields(message.fields, seen.observed_at, zones);
  out.prose = hints_in_prose(message, seen.observed_at, zones);
  if (out.prose.empty() && seen.text.find('\n') != std::string::npos) {
    out.prose =
        hints_in_prose(read_message(seen.text, line_joint::nothing), seen.observed_at, zones);
  }
  return out;
}

template <class Value>
void keep_later(std::optional<Value>& kept, Value other) {
  if (!kept || *kept < other) {
    kept = other;
  }
}

/// How long a throttle asks to wait: the longest of all requests.
std::optional<milliseconds> throttle_of(const failure& seen, const exposed_times& times,
                                        const header_reading& headers, bool resets_count) {
  auto longest = headers.retry_after;
  for (const auto* hints : {&times.fields, &times.prose}) {
    for (const auto& hint : *hints) {
      if (hint.what == role::retry || (hint.what == role::reset && resets_count)) {
        keep_later(longest, hint.from(seen.observed_at));
      }
    }
  }
  if (!longest && resets_count) {
    longest = headers.bucket_reset;
  }
  return longest;
}

/// The first reset in order of trust, or a later one that means the same. Requests to retry that
/// are shorter than `least_retry` count for nothing.
std::optional<wall_time> reset_of(const failure& seen, const exposed_times& times,
                                  const header_reading& headers, milliseconds least_retry) {
  std::vector<wall_time> candidates;
  const auto take = [&](const std::vector<time_hint>& hints, role wanted) {
    for (const auto& hint : hints) {
      const auto length = hint.from(seen.observed_at);
      if (hint.what == wanted && (wanted != role::client || length >= own_backoff)
          && (wanted != role::retry || length >= least_retry)) {
        candidates.push_back(hint.at);
      }
    }
  };
  if (headers.plan_reset) {
    candidates.push_back(*headers.plan_reset);
  }
  take(times.fields, role::reset);
  take(times.prose, role::reset);
  take(times.fields, role::retry);
  take(times.prose, role::retry);
  if (headers.retry_after && *headers.retry_after >= meant_for_plan) {
    candidates.push_back(seen.observed_at + *headers.retry_after);
  }
  if (headers.bucket_reset && *headers.bucket_reset >= meant_for_plan) {
    candidates.push_back(seen.observed_at + *headers.bucket_reset);
  }
  take(times.prose, role::client);
  // What has passed is no reset: the limit was lifted meanwhile, or the text is stale.
  candidates.erase(
      std::remove_if(candidates.begin(), candidates.end(),
                     [&](wall_time when) { return when + just_passed < seen.observed_at; }),
      candidates.end());
  if (candidates.empty()) {
    return std::nullopt;
  }
  auto reset = candidates.front();
  for (const auto when : candidates) {
    if (when > reset && when - candidates.front() <= same_reset) {
      reset = when;
    }
  }
  return reset;
}

void settle_usage(const failure& seen, const exposed_times& times, const header_reading& headers,
                  verdict& out) {
  // Google adds a retry of some seconds also when the quota of the whole day is used up.
  const auto least_retry =
      out.rule == "quota-id.per-day" ? milliseconds{daily_quota_retry} : milliseconds{0};
  out.reset_at = reset_of(seen, times, headers, least_retry);
  out.retry_after = headers.retry_after;
  for (const auto* hints : {&times.fields, &times.prose}) {
    for (const auto& hint : *hints) {
      if (hint.relative && hint.what != role::client) {
        keep_later(out.retry_after, hint.from(seen.observed_at));
      }
    }
  }
  out.what = action::probe;
  if (out.reset_at && *out.reset_at - seen.observed_at <= trusted_reset_distance) {
    out.what = action::wait;
  }
}

} // namespace

header_reading read_all_headers(const failure& seen, const provider_message& message) {
  header_list all;
  for (const auto& each : message.fields) {
    if (each.key.find("ratelimit-") != std::string::npos || each.key.rfind("x-codex-", 0) == 0) {
      all.emplace_back(each.key, each.value);
    }
  }
  all.insert(all.end(), seen.headers.begin(), seen.headers.end());
  return read_headers(all, seen.observed_at);
}

verdict decide_wait(const failure& seen, const provider_message& message,
                    const header_reading& headers, error_class kind, std::string rule,
                    bool doubtful) {
  verdict out;
  out.kind = kind;
  out.rule = std::move(rule);
  switch (kind) {
  case error_class::transient: {
    const auto times = times_of(seen, message);
    out.retry_after = throttle_of(seen, times, headers, false);
    out.what = action::retry;
    // "Please try again in 3 hours" and nothing else is said by plans, not by broken networks.
    if (doubtful && out.retry_after && *out.retry_after >= plan_length) {
      out.kind = error_class::usage_exhausted;
      settle_usage(seen, times, headers, out);
    }
    return out;
  }
  case error_class::rate_limit:
  case error_class::usage_exhausted: {
    const auto times = times_of(seen, message);
    const auto asked = throttle_of(seen, times, headers, true);
    if (kind == error_class::usage_exhausted && doubtful && asked
        && *asked < (message.lower.find("will reset") != std::string::npos
                         ? milliseconds{throttle_length}
                         : milliseconds{plan_length})) {
      out.kind = error_class::rate_limit;
    }
    if (out.kind == error_class::rate_limit && asked && *asked >= plan_length) {
      out.kind = error_class::usage_exhausted;
    }
    if (out.kind == error_class::usage_exhausted) {
      settle_usage(seen, times, headers, out);
    } else {
      out.retry_after = asked;
      out.what = action::retry;
    }
    return out;
  }
  case error_class::overflow:
    out.what = action::compact;
    return out;
  case error_class::config:
  case error_class::abort:
    out.what = action::pause;
    return out;
  case error_class::auth:
  case error_class::unknown:
    out.what = action::probe;
    return out;
  }
  return out;
}

} // namespace resilient::goal
