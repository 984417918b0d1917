#include "core/goal/record.hpp"

#include "core/support/json_fields.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace resilient::goal {

namespace {

using nlohmann::json;

std::int64_t milliseconds_of(wall_time time) {
  return time.time_since_epoch().count();
}

/// Far above what any goal counts, and far below where adding to it would overflow.
constexpr std::int64_t most = 1'000'000'000'000'000;
/// The last instant of the year 9999.
constexpr std::int64_t last_time = 253'402'300'799'999;
constexpr std::chrono::hours longest{400 * 24};

std::int64_t whole_of(json_fields& fields, const char* key) {
  return std::clamp<std::int64_t>(fields.whole_or_zero(key), 0, most);
}

wall_time time_of(json_fields& fields, const char* key) {
  return wall_time{
      std::chrono::milliseconds{std::clamp<std::int64_t>(fields.whole_or_zero(key), 0, last_time)}};
}

int count_of(json_fields& fields, const char* key) {
  return static_cast<int>(std::clamp<std::int64_t>(fields.whole_or_zero(key), 0, 1'000'000));
}

template <class Enum, std::size_t Count>
std::optional<Enum> by_name(const std::string& name, const Enum (&values)[Count]) {
  for (const Enum value : values) {
    if (name == to_string(value)) {
      return value;
    }
  }
  return std::nullopt;
}

constexpr phase phases[] = {phase::none, phase::active, phase::paused, phase::complete};
constexpr waiting::kind kinds[] = {waiting::kind::backoff, waiting::kind::reset,
                                   waiting::kind::probe, waiting::kind::slow};

result<waiting> waiting_from_json(const json& data) {
  if (!data.is_object()) {
    return fail(error_kind::data, "the wait of the goal is not an object");
  }
  json_fields fields{data};
  waiting wait;
  const auto kind = by_name(fields.text("kind"), kinds);
  wait.why = fields.text_or_empty("why");
  wait.started_at = time_of(fields, "started_at");
  wait.length = std::min<std::chrono::milliseconds>(
      longest, std::chrono::milliseconds{whole_of(fields, "length_ms")});
  if (data.contains("reset_at")) {
    wait.reset_at = time_of(fields, "reset_at");
  }
  if (!fields.problem().empty()) {
    return fail(error_kind::data, "in the wait of the goal, {}", fields.problem());
  }
  if (!kind) {
    return fail(error_kind::data, "the wait of the goal has an unknown kind");
  }
  wait.what = *kind;
  return wait;
}

} // namespace

const char* to_string(phase value) noexcept {
  switch (value) {
  case phase::none:
    return "none";
  case phase::active:
    return "active";
  case phase::paused:
    return "paused";
  case phase::complete:
    return "complete";
  }
  return "unknown";
}

const char* to_string(waiting::kind value) noexcept {
  switch (value) {
  case waiting::kind::backoff:
    return "backoff";
  case waiting::kind::reset:
    return "reset";
  case waiting::kind::probe:
    return "probe";
  case waiting::kind::slow:
    return "slow";
  }
  return "unknown";
}

std::chrono::milliseconds waiting::left(wall_time now) const {
  using std::chrono::milliseconds;
  if (reset_at) {
    return std::max(milliseconds{0}, *reset_at - now);
  }
  return std::clamp(started_at + length - now, milliseconds{0}, length);
}

json to_json(const record& goal) {
  json data{{"version", 1},
            {"id", goal.id},
            {"objective", goal.objective},
            {"state", to_string(goal.state)},
            {"pause_reason", goal.pause_reason},
            {"revision", goal.revision},
            {"created_at", milliseconds_of(goal.created_at)},
            {"continuations", goal.continuations},
            {"turns", goal.turns},
            {"input_tokens", goal.input_tokens},
            {"output_tokens", goal.output_tokens},
            {"cost", goal.cost},
            {"active_ms", goal.active.count()},
            {"extra", goal.extra},
            {"check", goal.check},
            {"check_failures", goal.check_failures},
            {"check_report", goal.check_report},
            {"failures", goal.failures},
            {"overflows", goal.overflows},
            {"without_tools", goal.without_tools},
            {"blocked", goal.blocked},
            {"last_error", goal.last_error}};
  if (goal.wait) {
    json wait{{"kind", to_string(goal.wait->what)},
              {"why", goal.wait->why},
              {"started_at", milliseconds_of(goal.wait->started_at)},
              {"length_ms", goal.wait->length.count()}};
    if (goal.wait->reset_at) {
      wait["reset_at"] = milliseconds_of(*goal.wait->reset_at);
    }
    data["wait"] = std::move(wait);
  }
  return data;
}

result<record> record_from_json(const json& data) {
  if (!data.is_object()) {
    return fail(error_kind::data, "the goal entry is not an object");
  }
  json_fields fields{data};
  if (fields.whole_or_zero("version") != 1) {
    return fail(error_kind::data,
                "the goal entry has version {}, this pi-resilient reads version 1: update it",
                fields.whole_or_zero("version"));
  }
  record goal;
  goal.id = fields.text("id");
  goal.objective = fields.text("objective");
  const auto state = by_name(fields.text("state"), phases);
  goal.pause_reason = fields.text_or_empty("pause_reason");
  goal.revision = whole_of(fields, "revision");
  goal.created_at = time_of(fields, "created_at");
  goal.continuations = whole_of(fields, "continuations");
  goal.turns = whole_of(fields, "turns");
  goal.input_tokens = whole_of(fields, "input_tokens");
  goal.output_tokens = whole_of(fields, "output_tokens");
  goal.cost = fields.real_or_zero("cost");
  goal.active = std::chrono::milliseconds{whole_of(fields, "active_ms")};
  goal.extra = fields.reals_or_zero<4>("extra");
  goal.check = fields.text_or_empty("check");
  goal.check_failures = count_of(fields, "check_failures");
  goal.check_report = fields.text_or_empty("check_report");
  goal.failures = count_of(fields, "failures");
  goal.overflows = count_of(fields, "overflows");
  goal.without_tools = count_of(fields, "without_tools");
  goal.blocked = count_of(fields, "blocked");
  goal.last_error = fields.text_or_empty("last_error");
  if (!fields.problem().empty()) {
    return fail(error_kind::data, "in the goal entry, {}", fields.problem());
  }
  if (!state) {
    return fail(error_kind::data, "the goal entry has an unknown state");
  }
  goal.state = *state;
  if (const auto wait = data.find("wait"); wait != data.end()) {
    auto read = waiting_from_json(*wait);
    if (!read) {
      return tl::unexpected{read.error()};
    }
    goal.wait = std::move(*read);
  }
  return goal;
}

} // namespace resilient::goal
