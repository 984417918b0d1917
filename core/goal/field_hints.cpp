#include "core/goal/clock_times.hpp"
#include "core/goal/durations.hpp"
#include "core/goal/time_hints.hpp"

#include <algorithm>
#include <array>

namespace resilient::goal {

namespace {

using role = time_hint::role;

/// A key that holds a time. What a bare number means depends on the key.
struct time_key {
  std::string_view name;
  role what;
  double unit; ///< milliseconds of a bare number, 0 for an epoch
};

constexpr std::array time_keys = {
    time_key{"resets_at", role::reset, 0},
    time_key{"reset_at", role::reset, 0},
    time_key{"resetsat", role::reset, 0},
    time_key{"resetat", role::reset, 0},
    time_key{"reset_time", role::reset, 0},
    time_key{"resettime", role::reset, 0},
    time_key{"reset_timestamp", role::reset, 0},
    time_key{"resettimestamp", role::reset, 0},
    time_key{"quotaresettimestamp", role::reset, 0},
    time_key{"quota_reset_at", role::reset, 0},
    time_key{"quotaresettime", role::reset, 0},
    time_key{"limit_reset", role::reset, 0},
    time_key{"next_reset", role::reset, 0},
    time_key{"next_reset_at", role::reset, 0},
    time_key{"available_at", role::reset, 0},
    time_key{"resets_in_seconds", role::reset, 1000},
    time_key{"reset_in_seconds", role::reset, 1000},
    time_key{"resets_in", role::reset, 1000},
    time_key{"reset_in", role::reset, 1000},
    time_key{"reset_seconds", role::reset, 1000},
    time_key{"reset_after", role::reset, 1000},
    time_key{"reset_after_seconds", role::reset, 1000},
    time_key{"seconds_until_reset", role::reset, 1000},
    time_key{"quotaresetdelay", role::reset, 1000},
    time_key{"retrydelay", role::retry, 1000},
    time_key{"retry_delay", role::retry, 1000},
    time_key{"retry_after", role::retry, 1000},
    time_key{"retry-after", role::retry, 1000},
    time_key{"retryafter", role::retry, 1000},
    time_key{"retry_after_seconds", role::retry, 1000},
    time_key{"retry_after_s", role::retry, 1000},
    time_key{"retryafterseconds", role::retry, 1000},
    time_key{"retry_in", role::retry, 1000},
    time_key{"retry_in_seconds", role::retry, 1000},
    time_key{"wait_seconds", role::retry, 1000},
    time_key{"wait_time", role::retry, 1000},
    time_key{"cooldown_seconds", role::retry, 1000},
    time_key{"retry_after_ms", role::retry, 1},
    time_key{"retry-after-ms", role::retry, 1},
    time_key{"retryafterms", role::retry, 1},
    time_key{"retrydelayms", role::retry, 1},
    time_key{"retry_delay_ms", role::retry, 1},
    time_key{"resets_in_ms", role::reset, 1},
    time_key{"retry_at", role::retry, 0},
};

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
    const auto key = std::find_if(time_keys.begin(), time_keys.end(),
                                  [&](const time_key& known) { return known.name == each.key; });
    // A body may list all windows of a plan. Those that are not used up do not matter.
    if (key == time_keys.end() || used_percent < 100) {
      continue;
    }
    if (const auto hint = hint_of(*key, each.value, observed, zones)) {
      out.push_back(*hint);
    }
  }
  return out;
}

} // namespace resilient::goal
