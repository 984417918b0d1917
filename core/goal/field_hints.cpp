#include "core/goal/clock_times.hpp"
#include "core/goal/durations.hpp"
#include "core/goal/time_hints.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace resilient::goal {

namespace {

using role = time_hint::role;

/// What a key says about its value.
struct time_key {
  role what;
  double unit; ///< milliseconds of a bare number, 0 if that can only be an epoch
};

bool holds(std::string_view key, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return key.find(word) != std::string_view::npos;
  });
}

/// Providers spell such keys in many ways (`resets_at`, `quotaResetDelay`, `retry_after_ms`), but
/// all of them are made of the same few words.
std::optional<time_key> time_key_of(std::string_view spelled) {
  std::string key;
  for (const char c : spelled) {
    if (c != '_' && c != '-') {
      key += c;
    }
  }
  const bool retry =
      key.starts_with("retry") || holds(key, {"cooldown", "waittime", "waitseconds"});
  const bool reset = holds(key, {"reset", "availableat", "renewsat", "refreshat"});
  // Rate-limit headers in a body are read as headers, together with what remains.
  if ((!retry && !reset) || holds(key, {"ratelimit", "count", "attempt", "maxretries", "policy"})
      || key.size() > 40) {
    return std::nullopt;
  }
  double unit = 0;
  if (key.ends_with("ms") || holds(key, {"millis"})) {
    unit = 1;
  } else if (holds(key, {"minutes", "mins"})) {
    unit = 60'000;
  } else if (holds(key, {"second", "secs", "delay", "after", "in", "wait", "until", "cooldown"})
             || key.ends_with("s")) {
    unit = 1'000;
  }
  if (key.ends_with("at") || holds(key, {"timestamp", "epoch", "date"})
      || (reset && key.ends_with("time"))) {
    unit = 0;
  }
  return time_key{retry && !reset ? role::retry : role::reset, unit};
}

std::optional<time_hint> hint_of(const time_key& key, const std::string& value, wall_time observed,
                                 const assumed_zones& zones) {
  const auto lower = lower_ascii(value);
  const auto number = number_at(lower, 0);
  if (number && number->end == lower.size()) {
    if (const auto when = epoch_value(number->value, observed)) {
      return time_hint{key.what, *when, false};
    }
    // A small number under the name of an instant may be anything.
    const auto length = key.unit > 0 ? length_of(number->value, key.unit) : std::nullopt;
    return length ? std::optional{time_hint{key.what, observed + *length, true}} : std::nullopt;
  }
  if (const auto length = length_value(lower)) {
    return time_hint{key.what, observed + *length, true};
  }
  const auto mention = calendar_at(value, lower, 0);
  if (!mention) {
    return std::nullopt;
  }
  const auto when = resolve(*mention, observed, zones.naive);
  return when ? std::optional{time_hint{key.what, *when, false}} : std::nullopt;
}

} // namespace

std::chrono::milliseconds time_hint::from(wall_time observed) const {
  return std::max(std::chrono::milliseconds{0}, at - observed);
}

std::vector<time_hint> hints_in_fields(const std::vector<message_field>& fields, wall_time observed,
                                       const assumed_zones& zones) {
  std::vector<time_hint> out;
  double used_percent = 100;
  for (const auto& each : fields) {
    if (each.key == "used_percent" || each.key == "usedpercent") {
      const auto number = number_at(each.value, 0);
      used_percent = number ? number->value : 100;
      continue;
    }
    // A body may list all windows of a plan. Those that are not used up do not matter.
    const auto key = used_percent < 100 ? std::nullopt : time_key_of(each.key);
    if (!key) {
      continue;
    }
    if (const auto hint = hint_of(*key, each.value, observed, zones)) {
      out.push_back(*hint);
    }
  }
  return out;
}

} // namespace resilient::goal
