#pragma once

#include "core/goal/classify.hpp"
#include "core/goal/guards.hpp"
#include "core/goal/proposal.hpp"
#include "core/goal/record.hpp"
#include "core/goal/schedule.hpp"
#include "core/support/time.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// Decides whether and when the agent is continued.
namespace resilient::goal {

// -- events --------------------------------------------------------------------------------------

/// How Pi runs.
enum class host_mode : std::uint8_t { terminal, rpc, print };

/// A session was opened, or opened again, in a connected Pi.
struct attached {
  std::string reason; ///< `startup`, `reload`, `new`, `resume`, `fork`, `resync`
  host_mode mode = host_mode::terminal;
  bool settles_in_print = true; ///< print mode outlives settling (the host has boundaries)
  bool idle = true;
  bool pending = false;
  std::string session_id;
  std::string working_folder;
  std::optional<nlohmann::json> entry; ///< the last goal entry of the branch
  /// How the child before this one ended; empty when there was none or it ended normally.
  std::string previous_death;
  /// What that child had left running and was stopped; for the continuation's text.
  std::vector<std::string> leftovers;
  /// In place of a Pi that had been at work: nobody has given this one a prompt.
  bool restarted = false;
};

/// The connection to Pi is gone.
struct detached {};

/// Another branch of the session is current.
struct branch_changed {
  std::optional<nlohmann::json> entry;
};

/// `/goal …` or `/resilient-stop`, typed by a person.
struct command {
  std::string name;
  std::string arguments;
};

/// The agent called a goal tool.
struct tool_call {
  std::string tool;
  nlohmann::json parameters;
};

/// Pi could continue now.
struct boundary {
  bool settled = true; ///< false: an attempt ended in a Pi that does not outlive settling
  std::string stop;
  std::string error;
  bool aborted = false;
  bool escape = false; ///< Escape was seen since the last error
  bool idle = true;
  bool pending = false;
  int tool_calls = 0;
  int turns = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  double cost = 0;
  std::string provider;
};

struct run_started {};

/// Somebody wrote to the agent. `own` is our continuation coming back.
struct input_seen {
  bool own = false;
};

/// A response with an error status, as far as Pi shows it, or the first good one after it.
struct response_seen {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
};

/// A beat, which says whether Pi is idle.
struct presence {
  bool idle = false;
  bool pending = false;
};

/// What became of a continuation.
struct send_finished {
  std::string token;
  bool ok = true;
};

/// Pi shuts the session down.
struct goodbye {
  std::string reason;
};

/// A canary recovery runs (`held`) or is over.
struct recovery_changed {
  bool held = false;
};
/// A canary recovery paused: the goal must not continue over the drift.
struct recovery_paused {
  std::string why;
};

/// Somebody else holds the session: goals are inert here. Empty: they are not.
struct inert_changed {
  std::string why;
};

/// The person does not want to wait: try now.
struct probe_now {};

struct alarm_rang {};

/// The limits and commands in force, read anew when a session opens.
struct guards_known {
  guards limits;
  std::vector<std::string> problems; ///< sentences about settings that were not used
};

/// A check that `run_check` asked for has ended.
struct check_finished {
  std::uint64_t number = 0;
  bool accepted = false;
  std::string how;    ///< "exit 1", "no end within 30 min"
  std::string output; ///< the end of what it wrote
};

/// Something happened to Pi that people want to hear about: `restarted`, `crash_loop`.
struct run_changed {
  std::string what;
  std::string detail;
};

/// What became of a `tell_person`. A failure is shown until one succeeds.
struct person_told {
  std::string event;
  std::string problem; ///< "exit 1: no such command"; empty: all went well
};

using event = std::variant<attached, detached, branch_changed, command, tool_call, boundary,
                           run_started, input_seen, response_seen, presence, send_finished, goodbye,
                           recovery_changed, recovery_paused, inert_changed, probe_now, alarm_rang,
                           guards_known, check_finished, run_changed, person_told>;

// -- effects -------------------------------------------------------------------------------------

/// Append the goal to the session log.
struct append_record {
  nlohmann::json data;
};
/// Footer text; empty for none.
struct show_status {
  std::string text;
};
enum class notice_level : std::uint8_t { info, warning, error };
/// As the protocol spells it.
[[nodiscard]] const char* to_string(notice_level level) noexcept;
struct notify {
  notice_level level = notice_level::info;
  std::string text;
};
/// Send a continuation to an idle Pi.
struct send {
  continue_with what;
};
/// Print mode: Pi need not be kept open any longer.
struct release_host {};
/// Ring at the earlier of the two; replaces what was armed before. None: disarm.
struct set_alarm {
  std::optional<boot_time> boot;
  std::optional<wall_time> wall;
  [[nodiscard]] bool operator==(const set_alarm&) const = default;
};
/// What the launcher must know: see `child_process_manager`.
struct publish {
  bool active = false;
  std::optional<waiting> wait;
  std::optional<boot_time> wait_until; ///< end of a wait that has no `reset_at`
  std::string restart_prompt;
  [[nodiscard]] bool operator==(const publish&) const = default;
};
/// Pause, and the launcher ends with Pi.
struct stop_launcher {};

/// Run the command that accepts a completion; then `check_finished{number}`.
struct run_check {
  std::uint64_t number = 0;
  std::string command;
  std::string folder;
  std::chrono::milliseconds deadline{0};
};
/// Give this line of JSON to the command of a person, if there is one.
struct tell_person {
  std::string event;
  std::string line;
};

using effect = std::variant<append_record, show_status, notify, send, release_host, set_alarm,
                            publish, stop_launcher, run_check, tell_person>;

/// Answer to a command: what the person sees.
struct command_answer {
  std::vector<notify> notices;
  bool starts_run = false; ///< a continuation follows; print mode must stay for it
};
/// Answer to a tool call: what the agent sees.
struct tool_answer {
  std::string text;
  bool is_error = false;
};

struct outcome {
  std::vector<effect> effects;
  std::optional<command_answer> command;
  std::optional<tool_answer> tool;
  proposal at_boundary = let_settle{}; ///< only for `boundary`
};

struct scheduler_options {
  schedule_limits limits;
  std::string local_zone;    ///< IANA name of this machine's time zone, or empty
  guards bounds;             ///< from the command line
  bool start_paused = false; ///< an active goal of the first session is paused when it opens
  bool outlives_pi = true;   ///< false: nobody starts a Pi that died again, and people are told
};

/// The goal of one session and its continuation. At most one continuation is in flight; whenever
/// Pi is idle with an active goal, nothing to wait for and nothing in flight, it is continued.
class scheduler {
public:
  scheduler(scheduler_options options, std::uint64_t seed)
      : options_{std::move(options)}, random_{seed}, guards_{options_.bounds} {}

  [[nodiscard]] outcome handle(const event& happened, const instant& now);

  [[nodiscard]] const record& goal() const { return goal_; }
  /// The same with the time that passed since the last event.
  [[nodiscard]] record goal_at(const instant& now) const;
  /// One line for people: "active, 5 turns, next attempt in 3 min (usage limit)".
  [[nodiscard]] std::string describe(const instant& now) const;

private:
  void on(const attached& happened, const instant& now);
  void on(const detached& happened, const instant& now);
  void on(const branch_changed& happened, const instant& now);
  void on(const command& happened, const instant& now);
  void on(const tool_call& happened, const instant& now);
  void on(const boundary& happened, const instant& now);
  void on(const run_started& happened, const instant& now);
  void on(const input_seen& happened, const instant& now);
  void on(const response_seen& happened, const instant& now);
  void on(const presence& happened, const instant& now);
  void on(const send_finished& happened, const instant& now);
  void on(const goodbye& happened, const instant& now);
  void on(const recovery_changed& happened, const instant& now);
  void on(const recovery_paused& happened, const instant& now);
  void on(const inert_changed& happened, const instant& now);
  void on(const probe_now& happened, const instant& now);
  void on(const alarm_rang& happened, const instant& now);
  void on(const guards_known& happened, const instant& now);
  void on(const check_finished& happened, const instant& now);
  void on(const run_changed& happened, const instant& now);
  void on(const person_told& happened, const instant& now);

  // -- the goal (scheduler_commands.cpp) ---------------------------------------------------------
  void goal_command(const std::string& arguments, const instant& now);
  void resume(const instant& now);
  void declare(std::string objective, std::string check, const instant& now);
  void extend_budgets();
  void complete(std::string notice);
  void change_phase(phase state, std::string reason);
  void answer(notice_level level, std::string text);
  void answer_agent(std::string text, bool is_error);

  // -- continuing --------------------------------------------------------------------------------
  void take_entry(const std::optional<nlohmann::json>& entry, bool forked, const instant& now);
  void judge_answer(const boundary& happened, const instant& now);
  void judge_failure(const boundary& happened, const instant& now);
  void pause(std::string reason, std::string notice);
  void tell_limit();
  void begin_wait(const planned_wait& plan, const instant& now);
  void end_wait();
  [[nodiscard]] bool is_waiting(const instant& now) const;
  [[nodiscard]] bool may_continue(const instant& now) const;
  [[nodiscard]] continue_with next_continuation(const instant& now);
  void consider(const instant& now);
  void save();

  // -- guards (scheduler_guards.cpp) -------------------------------------------------------------
  void count_time(const instant& now);
  [[nodiscard]] std::chrono::milliseconds active_until(const instant& now) const;
  void enforce_budgets();
  void ask_for_completion(const instant& now);
  [[nodiscard]] const std::string& check_command() const;

  // -- what others see (scheduler_outside.cpp)
  // ---------------------------------------------------------------------------
  void update_outside(const instant& now);
  /// Tells people what happened.
  void announce(const char* what, std::string detail, std::optional<wall_time> until = {});
  [[nodiscard]] std::optional<boot_time> budget_ends_at() const;
  [[nodiscard]] std::string footer() const;
  [[nodiscard]] std::string until_text() const;

  scheduler_options options_;
  jitter random_;

  instant now_; ///< of the event that is being handled
  guards guards_;
  std::string untold_;                     ///< what went wrong with the last `tell_person`
  std::optional<boot_time> counted_until_; ///< the goal's active time is counted up to here

  record goal_;
  bool unsaved_ = false; ///< it changed while no Pi could store it
  bool first_continuation_ = false;

  // Pi, as far as it is known.
  bool attached_ = false;
  host_mode mode_ = host_mode::terminal;
  bool settles_in_print_ = true;
  bool running_ = false;
  bool pending_ = false;   ///< input is queued in Pi
  bool kept_open_ = false; ///< print mode waits inside its boundary
  int idle_beats_ = 0;     ///< beats in a row that say idle while a run should be going on
  std::string session_id_;
  std::string working_folder_;
  response_seen last_response_;

  bool held_ = false;               ///< a canary recovery runs
  std::string inert_;               ///< why goals are inert here
  std::string probe_when_attached_; ///< id of the goal that a person wants tried without Pi
  std::string in_flight_;           ///< token of the continuation that Pi has not begun yet
  bool at_boundary_ = false;
  bool command_in_print_ = false;

  // For the next continuation's text.
  std::string previous_death_;
  std::vector<std::string> leftovers_;
  std::string after_wait_;
  bool blocked_now_ = false;

  /// The check that decides about a completion.
  struct running_check {
    std::uint64_t number = 0;
    std::string goal;
    std::int64_t revision = 0;
    wall_time started_at{};
    boot_time until; ///< nothing was heard of it by then: it has failed
  };
  std::optional<running_check> check_;
  std::string blocked_why_;
  std::string ended_in_run_; ///< id of the goal that ended in the run that is going on
  std::optional<wall_time> limited_until_; ///< what people were told about a usage limit last

  std::optional<boot_time> pause_at_;        ///< an abort becomes a pause then
  std::optional<boot_time> begin_at_;        ///< nothing is sent before
  std::optional<boot_time> in_flight_until_; ///< a continuation must have begun by then
  std::optional<boot_time> wait_until_;      ///< end of a wait that we chose ourselves

  std::optional<std::string> shown_status_;
  std::optional<publish> published_;
  set_alarm armed_;

  outcome out_;
};

} // namespace resilient::goal
