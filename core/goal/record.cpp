#include "core/goal/record.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace resilient::goal {

namespace {

using nlohmann::json;

std::int64_t milliseconds_of(wall_time time) {
  return time.time_since_epoch().count();
}

/// Reads typed fields and remembers the first one that is wrong.
class reader {
public:
  explicit reader(const json& data) : data_{data} {}

  std::string text(const char* key, bool required = false) {
    const auto found = data_.find(key);
    if (found == data_.end()) {
      complain(required, key, "missing");
      return {};
    }
    if (!found->is_string()) {
      complain(true, key, "not a text");
      return {};
    }
    return found->get<std::string>();
  }

  std::int64_t number(const char* key) {
    const auto found = data_.find(key);
    if (found == data_.end()) {
      return 0;
    }
    if (!found->is_number()) {
      complain(true, key, "not a number");
      return 0;
    }
    if (found->is_number_float()) {
      const double value = found->get<double>();
      if (!(value > -9e15 && value < 9e15)) {
        complain(true, key, "out of range");
        return 0;
      }
      return static_cast<std::int64_t>(value);
    }
    return found->get<std::int64_t>();
  }

  int count(const char* key) {
    return static_cast<int>(std::clamp<std::int64_t>(number(key), 0, 1'000'000));
  }

  double real(const char* key) {
    const auto found = data_.find(key);
    if (found == data_.end()) {
      return 0;
    }
    if (!found->is_number()) {
      complain(true, key, "not a number");
      return 0;
    }
    return found->get<double>();
  }

  template <std::size_t Count>
  std::array<double, Count> reals(const char* key) {
    std::array<double, Count> values{};
    const auto found = data_.find(key);
    if (found == data_.end()) {
      return values;
    }
    if (!found->is_array() || found->size() != Count) {
      complain(true, key, "not a list of the right length");
      return values;
    }
    for (std::size_t at = 0; at < Count; ++at) {
      const json& each = (*found)[at];
      if (!each.is_number()) {
        complain(true, key, "not a list of numbers");
        return {};
      }
      values[at] = each.template get<double>();
    }
    return values;
  }

  wall_time time(const char* key) { return wall_time{std::chrono::milliseconds{number(key)}}; }

  [[nodiscard]] const std::string& problem() const { return problem_; }

private:
  void complain(bool wrong, const char* key, const char* what) {
    if (wrong && problem_.empty()) {
      problem_ = fmt::format("field \"{}\" is {}", key, what);
    }
  }

  const json& data_;
  std::string problem_;
};

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
  reader fields{data};
  waiting wait;
  const auto kind = by_name(fields.text("kind", true), kinds);
  wait.why = fields.text("why");
  wait.started_at = fields.time("started_at");
  wait.length = std::chrono::milliseconds{std::max<std::int64_t>(0, fields.number("length_ms"))};
  if (data.contains("reset_at")) {
    wait.reset_at = fields.time("reset_at");
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
  reader fields{data};
  if (fields.number("version") != 1) {
    return fail(error_kind::data,
                "the goal entry has version {}, this pi-resilient reads version 1: update it",
                fields.number("version"));
  }
  record goal;
  goal.id = fields.text("id", true);
  goal.objective = fields.text("objective", true);
  const auto state = by_name(fields.text("state", true), phases);
  goal.pause_reason = fields.text("pause_reason");
  goal.revision = fields.number("revision");
  goal.created_at = fields.time("created_at");
  goal.continuations = fields.number("continuations");
  goal.turns = fields.number("turns");
  goal.input_tokens = fields.number("input_tokens");
  goal.output_tokens = fields.number("output_tokens");
  goal.cost = fields.real("cost");
  goal.active = std::chrono::milliseconds{std::max<std::int64_t>(0, fields.number("active_ms"))};
  goal.extra = fields.reals<4>("extra");
  goal.check = fields.text("check");
  goal.check_failures = fields.count("check_failures");
  goal.check_report = fields.text("check_report");
  goal.failures = fields.count("failures");
  goal.overflows = fields.count("overflows");
  goal.without_tools = fields.count("without_tools");
  goal.blocked = fields.count("blocked");
  goal.last_error = fields.text("last_error");
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
