#pragma once

#include "core/support/time.hpp"

#include <optional>

namespace resilient::heartbeat {

using namespace std::chrono_literals;

/// The extension beats this often.
inline constexpr std::chrono::nanoseconds beat_interval = 5s;

struct limits {
  std::chrono::nanoseconds startup = 120s; ///< from the start of the child to its first beat
  std::chrono::nanoseconds stale = 30s;    ///< from one beat to the next
  /// A check that runs this much later than it was due proves that we were stalled ourselves.
  std::chrono::nanoseconds late = 2s;
};

enum class health {
  none,     ///< there is no child
  unarmed,  ///< started, but its user must answer a question first: no startup limit
  starting, ///< started, no beat yet
  alive,
  frozen, ///< reported; nothing more is said of this generation
};

/// What a check found.
enum class finding {
  nothing,
  no_first_beat, ///< no beat within the startup limit
  stale,         ///< the last beat is older than the limit
};

/// Judges one child generation by its beats. Ages come from the monotonic clock, which stands
/// still while the machine sleeps; steps of the wall clock mean nothing here.
///
/// A check that comes late means that this process was stalled (stopped, starved, or its machine
/// was), and then the beats of the same time may not have been read yet: it grants the child one
/// fresh limit and proves nothing.
class liveness {
public:
  explicit liveness(limits limits) : limits_{limits} {}

  /// A child was started. Unless `armed`, its startup limit begins with its first beat.
  void started(monotonic_time now, bool armed);
  /// A beat came; the hello is the first.
  void beat(monotonic_time now);
  /// The child ended.
  void ended();
  /// The child and we were stopped together and go on: it gets a fresh limit.
  void resumed(monotonic_time now);

  /// Judges. `planned` is when this check was meant to run. A frozen child is reported once.
  [[nodiscard]] finding check(monotonic_time now, monotonic_time planned);
  /// When `check` must run next; nothing when there is nothing to wait for.
  [[nodiscard]] std::optional<monotonic_time> next_check() const;

  [[nodiscard]] health state() const { return state_; }
  [[nodiscard]] std::optional<monotonic_time> last_beat() const { return last_beat_; }

private:
  [[nodiscard]] std::chrono::nanoseconds limit() const;

  limits limits_;
  health state_ = health::none;
  monotonic_time since_{};
  std::optional<monotonic_time> last_beat_;
};

} // namespace resilient::heartbeat
