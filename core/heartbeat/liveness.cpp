#include "core/heartbeat/liveness.hpp"

namespace resilient::heartbeat {

void liveness::started(monotonic_time now, bool armed) {
  state_ = armed ? health::starting : health::unarmed;
  since_ = now;
  last_beat_.reset();
}

void liveness::beat(monotonic_time now) {
  if (state_ == health::none || state_ == health::frozen) {
    return;
  }
  state_ = health::alive;
  since_ = now;
  last_beat_ = now;
}

void liveness::ended() {
  state_ = health::none;
  last_beat_.reset();
}

void liveness::resumed(monotonic_time now) {
  if (state_ == health::starting || state_ == health::alive) {
    since_ = now;
  }
}

finding liveness::check(monotonic_time now, monotonic_time planned) {
  const auto due = next_check();
  if (!due) {
    return finding::nothing;
  }
  if (now - planned > limits_.late) {
    since_ = now;
    return finding::nothing;
  }
  if (now < *due) {
    return finding::nothing;
  }
  const finding found = state_ == health::starting ? finding::no_first_beat : finding::stale;
  state_ = health::frozen;
  return found;
}

std::optional<monotonic_time> liveness::next_check() const {
  if (state_ != health::starting && state_ != health::alive) {
    return std::nullopt;
  }
  return since_ + limit();
}

std::chrono::nanoseconds liveness::limit() const {
  return state_ == health::starting ? limits_.startup : limits_.stale;
}

} // namespace resilient::heartbeat
