#include "actors/heartbeat_monitor.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace resilient {

namespace {

const char* name_of(heartbeat::health state) {
  switch (state) {
  case heartbeat::health::none:
    return "none";
  case heartbeat::health::unarmed:
    return "unarmed";
  case heartbeat::health::starting:
    return "starting";
  case heartbeat::health::alive:
    return "alive";
  case heartbeat::health::frozen:
    return "frozen";
  }
  return "unknown";
}

std::int64_t seconds_of(std::chrono::nanoseconds length) {
  return std::chrono::duration_cast<std::chrono::seconds>(length).count();
}

} // namespace

heartbeat_monitor::heartbeat_monitor(caf::actor_config& config, resilient::context context,
                                     heartbeat::limits limits)
    : guarded_actor{config, std::move(context), "heartbeat_monitor"}, limits_{limits},
      child_{limits} {}

heartbeat_monitor::behavior_type heartbeat_monitor::make_behavior() {
  return {
      handle<message::watch_child>([this](const auto& child) { start(child); }),
      handle<message::beat>([this](const auto& beat) {
        if (beat.generation == generation_) {
          child_.beat(now().monotonic);
          arm();
        }
      }),
      handle<message::unwatch_child>([this](const auto&) { child_.ended(); }),
      handle<message::child_resumed>([this](const auto&) { child_.resumed(now().monotonic); }),
      handle<message::check_liveness>([this](const auto& timer) { check(timer); }),
      handle_introduction(),
      answer<message::status_part, message::describe>([this](const auto&) { return describe(); }),
      handle_stop(),
  };
}

/// A fresh limit for the child that lives: what was known of its beats is gone.
void heartbeat_monitor::rebuild() {
  const bool had_child =
      child_.state() != heartbeat::health::none && child_.state() != heartbeat::health::frozen;
  child_ = heartbeat::liveness{limits_};
  timer_pending_ = false;
  if (had_child) {
    child_.started(now().monotonic, true);
    child_.beat(now().monotonic);
    arm();
  }
}

void heartbeat_monitor::start(const message::watch_child& child) {
  generation_ = child.generation;
  child_.started(now().monotonic, child.armed);
  arm();
}

void heartbeat_monitor::check(const message::check_liveness& timer) {
  if (timer.number != timer_) {
    return;
  }
  timer_pending_ = false;
  switch (child_.check(now().monotonic, planned_)) {
  case heartbeat::finding::nothing:
    break;
  case heartbeat::finding::no_first_beat:
    cafx::tell(peers()->child_process_manager,
               message::child_frozen{generation_, fmt::format("no first heartbeat within {} s",
                                                              seconds_of(limits_.startup))});
    break;
  case heartbeat::finding::stale:
    cafx::tell(peers()->child_process_manager,
               message::child_frozen{
                   generation_, fmt::format("no heartbeat for {} s", seconds_of(limits_.stale))});
    break;
  }
  arm();
}

/// One timer at a time. A beat moves the limit, not the timer: the timer looks again when it rings.
void heartbeat_monitor::arm() {
  const auto next = child_.next_check();
  if (!next || (timer_pending_ && planned_ <= *next)) {
    return;
  }
  timer_pending_ = true;
  planned_ = *next;
  const auto delay =
      std::max(std::chrono::nanoseconds::zero(), std::chrono::nanoseconds{*next - now().monotonic});
  cafx::tell_after(this, delay, self_handle(), message::check_liveness{++timer_});
}

message::status_part heartbeat_monitor::describe() const {
  nlohmann::json data{{"state", name_of(child_.state())}};
  if (const auto beat = child_.last_beat()) {
    data["last_beat_age_ms"] =
        std::chrono::duration_cast<std::chrono::milliseconds>(now().monotonic - *beat).count();
  }
  return {"heartbeat", data.dump()};
}

} // namespace resilient
