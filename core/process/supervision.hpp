#pragma once

#include "core/process/exit_status.hpp"
#include "core/support/backoff.hpp"
#include "core/support/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The life of the child: when it is started, stopped, started again, and when that ends.
namespace resilient::process {

using namespace std::chrono_literals;

enum class run_mode {
  terminal,
  rpc,
  print, ///< print and json: ends by itself after its answer
};

/// Exit codes of our own; otherwise the program exits with Pi's status or a code of `error_kind`.
inline constexpr int exit_gave_up = 100;
inline constexpr int exit_interrupted = 130;

struct supervision_limits {
  /// A child that lived this long after its first beat was healthy.
  std::chrono::nanoseconds healthy_after = 10s;
  backoff restart{1s, 60s};
  /// A run whose children were never healthy ends after so many failures in a row; one that was
  /// healthy before goes on with a start every `probe`.
  int failures = 5;
  std::chrono::nanoseconds probe = 5min;
  /// How long each step of the stop ladder may take: SIGTERM, SIGTERM, SIGCONT; then SIGKILL,
  /// which is repeated until the child is gone.
  std::chrono::nanoseconds first_term = 5s;
  std::chrono::nanoseconds second_term = 3s;
  std::chrono::nanoseconds resume = 2s;
  std::chrono::nanoseconds kill = 5s;
};

/// Until when the child may not be started, as the goal asked: a provider's instant on the wall
/// clock or our own backoff on the boot clock.
struct not_before {
  std::variant<wall_time, boot_time> until;
  std::string why; ///< for the waiting line, "usage limit"
};

// -- events --------------------------------------------------------------------------------------

struct start {};
/// Lease, session file and leftovers are in order.
struct prepared {};
/// They are not: the run ends with this text.
struct refused {
  std::string message;
  int exit_code = 0;
};
struct child_started {
  int pid = 0;
};
/// The child could not be executed.
struct child_failed {
  std::string message;
  bool is_lasting = false; ///< trying again cannot help: the working folder is gone
};
/// The hello of the current generation.
struct first_beat {};
struct child_ended {
  exit_status status;
  std::string last_words = {}; ///< what it wrote last to a person; empty: nothing
};
struct child_frozen {
  std::string finding; ///< "no heartbeat for 30 s"
};
/// SIGINT reached us.
struct interrupt {};
/// SIGTERM or SIGHUP reached us.
struct terminate {
  int signal_number = 0;
};
/// A person asked to stop everything: `pi-resilient stop`, `/resilient-stop`.
struct stop_requested {
  std::string who;
  int exit_code = 0;
};
/// The session turned out to be somebody else's: stop the child and end.
struct evicted {
  std::string message;
  int exit_code = 0;
};
/// Enter at the waiting line.
struct try_now {};
struct goal_changed {
  bool active = false;
  std::optional<not_before> wait;
};
/// An alarm that was armed has rung.
struct alarm_rang {
  std::uint64_t number = 0;
};

using event = std::variant<start, prepared, refused, child_started, child_failed, first_beat,
                           child_ended, child_frozen, interrupt, terminate, stop_requested, evicted,
                           try_now, goal_changed, alarm_rang>;

// -- effects -------------------------------------------------------------------------------------

/// Take the lease, mend the session file, stop what a dead generation left; then `prepared` or
/// `refused`.
struct prepare {};
/// Start generation `number` (1, 2, …); then `child_started` or `child_failed`.
struct spawn {
  int number = 0;
};
/// Signal the current child.
struct send_signal {
  int signal_number = 0;
};
/// Send `alarm_rang{number}` then. A newer alarm replaces the older one.
struct arm_alarm {
  std::uint64_t number = 0;
  std::variant<wall_time, boot_time> at;
};
struct disarm_alarm {};
/// After the child's end: the terminal as it was.
struct clean_up_after_child {};
/// Show why nothing runs and until when; an empty text takes it away.
struct show_waiting {
  std::string why;
  std::optional<std::variant<wall_time, boot_time>> until;
};
/// One line for the person.
struct say {
  std::string line;
};
/// Show the end of the child's stderr.
struct show_child_errors {};
/// Pi keeps failing: the run ends, or starts are tried slowly from now on.
struct report_crash_loop {
  std::string why;
};
/// Remember this death.
struct record_death {
  int number = 0; ///< generation
  std::string cause;
  bool healthy = false;
  bool expected = false;
};
/// The person does not want to wait any longer: the goal probes now.
struct probe_goal {};
/// The run is over.
struct finish {
  int exit_code = 0;
  std::string reason;
};

using effect = std::variant<prepare, spawn, send_signal, arm_alarm, disarm_alarm,
                            clean_up_after_child, show_waiting, say, show_child_errors,
                            report_crash_loop, record_death, probe_goal, finish>;

enum class run_state {
  idle,      ///< before the start
  preparing, ///< lease, session file, leftovers
  starting,  ///< a child is being executed
  running,   ///< a child lives
  stopping,  ///< a child is being stopped
  waiting,   ///< no child; a start is due later
  ended,
};

[[nodiscard]] const char* to_string(run_state state) noexcept;

/// What is a normal end of the child, and what is not:
/// - exit 0 in terminal or RPC mode is an end, whoever caused it;
/// - print mode without an active goal ends with any end of Pi, since what it printed may be half
///   an answer and nobody asked for a second one;
/// - a first generation that exits with a code before its first beat ends the run, so that a wrong
///   flag does not loop;
/// - any end after a SIGINT that reached us is the person's;
/// - everything else is unexpected and leads to a restart: at once when the child was healthy,
///   else after a growing delay, and never before the moment that the goal waits for.
class supervision {
public:
  supervision(run_mode mode, supervision_limits limits, std::uint64_t seed)
      : mode_{mode}, limits_{limits}, random_{seed} {}

  [[nodiscard]] std::vector<effect> handle(const event& happened, const instant& now);

  /// Takes over a child that lives, after the actor that owned this state was rebuilt. The child
  /// counts as having beaten.
  void adopt(int generation, int pid, const instant& now);
  /// Goes on after generation `generation`, which is gone, with a fresh preparation.
  [[nodiscard]] std::vector<effect> resume_after(int generation);

  [[nodiscard]] run_state state() const { return state_; }
  [[nodiscard]] int generation() const { return generation_; }
  [[nodiscard]] int pid() const { return pid_; }
  [[nodiscard]] int failures() const { return failures_; }
  [[nodiscard]] bool goal_active() const { return goal_active_; }
  /// For people: "running", "waiting: usage limit", "stopping: frozen".
  [[nodiscard]] const std::string& reason() const { return reason_; }
  /// While waiting: until when.
  [[nodiscard]] const std::optional<std::variant<wall_time, boot_time>>& until() const {
    return until_;
  }

private:
  enum class stop_cause { none, frozen, ending };

  void on(const start&, const instant& now);
  void on(const prepared&, const instant& now);
  void on(const refused& happened, const instant& now);
  void on(const child_started& happened, const instant& now);
  void on(const child_failed& happened, const instant& now);
  void on(const first_beat&, const instant& now);
  void on(const child_ended& happened, const instant& now);
  void on(const child_frozen& happened, const instant& now);
  void on(const interrupt&, const instant& now);
  void on(const terminate& happened, const instant& now);
  void on(const stop_requested& happened, const instant& now);
  void on(const evicted& happened, const instant& now);
  void on(const try_now&, const instant& now);
  void on(const goal_changed& happened, const instant& now);
  void on(const alarm_rang& happened, const instant& now);

  [[nodiscard]] bool is_normal_end(const exit_status& status) const;
  [[nodiscard]] bool was_healthy(const instant& now) const;
  void end_all(int exit_code, std::string reason, const instant& now);
  void climb(const instant& now);
  void after_unexpected_end(bool healthy, const std::string& cause, const instant& now);
  void begin_preparing();
  void wait_until(std::variant<wall_time, boot_time> until, std::string why);
  void arm(std::variant<wall_time, boot_time> at);
  void disarm();
  void finish_with(int exit_code, std::string reason);

  run_mode mode_;
  supervision_limits limits_;
  jitter random_;

  run_state state_ = run_state::idle;
  std::string reason_;
  std::optional<std::variant<wall_time, boot_time>> until_;
  int generation_ = 0;
  int pid_ = 0;
  std::optional<monotonic_time> first_beat_at_;
  bool interrupted_ = false;
  int failures_ = 0;
  bool ever_healthy_ = false;
  bool said_probing_ = false;
  bool goal_active_ = false;
  std::optional<not_before> goal_wait_;
  bool waiting_for_goal_ = false;
  stop_cause stop_cause_ = stop_cause::none;
  std::string frozen_finding_;
  int ladder_step_ = 0;
  int pending_exit_code_ = 0;
  std::string pending_reason_;
  std::uint64_t alarm_number_ = 0;
  std::vector<effect> effects_;
};

} // namespace resilient::process
