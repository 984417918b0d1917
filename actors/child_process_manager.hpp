#pragma once

#include "actors/guarded_actor.hpp"
#include "core/process/session_pin.hpp"
#include "core/process/sleep_inhibition.hpp"
#include "core/process/supervision.hpp"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace resilient {

/// What a run starts and how.
struct run_description {
  std::string run_id;
  std::string run_folder;
  std::string socket_path;
  std::string program;        ///< the real Pi, absolute
  std::string pi_version;     ///< as found beside it; empty when unknown
  std::string working_folder; ///< absolute
  std::string extension_path;
  process::command_line arguments;
  process::run_mode mode = process::run_mode::terminal;
  std::string session_file;      ///< pinned; empty when only Pi can tell
  std::string error_file;        ///< the child's stderr; empty: inherited
  bool first_start_asks = false; ///< Pi must ask its user before extensions run
  bool keep_orphans = false;
  bool inhibit_sleep = false; ///< while a goal is active
  process::supervision_limits limits;
};

/// Owns the life of the child: starts, stops and restarts it, and keeps supervisor.json.
class child_process_manager final : public guarded_actor<child_process_manager_actor> {
public:
  child_process_manager(caf::actor_config& config, resilient::context context,
                        run_description description);
  void on_exit() override;

protected:
  behavior_type make_behavior() override;
  void rebuild() override;

private:
  /// The child that lives now, and what proves a hello to be its own.
  struct generation {
    std::string id;
    std::string secret;
    int client_pid = 0; ///< the process that said the first accepted hello
    int pid = 0;
    std::uint64_t start_time = 0;
    wall_time started_at{};
    bool said_hello = false;
  };
  struct death {
    std::string generation;
    std::string cause;
    bool healthy = false;
    bool expected = false;
    wall_time at{};
  };

  void feed(const process::event& happened);
  void perform(const process::prepare& effect);
  void perform(const process::spawn& effect);
  void perform(const process::send_signal& effect);
  void perform(const process::arm_alarm& effect);
  void perform(const process::disarm_alarm& effect);
  void perform(const process::clean_up_after_child& effect);
  void perform(const process::show_waiting& effect);
  void perform(const process::say& effect);
  void perform(const process::show_child_errors& effect);
  void perform(const process::report_crash_loop& effect);
  void perform(const process::record_death& effect);
  void perform(const process::probe_goal& effect);
  void perform(const process::finish& effect);
  void perform(const std::vector<process::sleep_effect>& effects);
  void perform(const process::keep_awake& effect);
  void perform(const process::let_sleep& effect);
  void perform(const process::tell_unprotected& effect);

  // The steps of a preparation. An answer that belongs to an older preparation is dropped.
  void claim_lease(std::uint64_t preparation);
  void next_leftover();
  void mend_session(std::uint64_t preparation);
  void finish_preparing();
  void refuse(std::string message, error_kind kind);

  /// Asks the recorder, which a stuck disk may hold up. One of the two is called, once.
  template <class Answer, class Request>
  void ask_recorder(Request request, std::function<void(const Answer&)> answered,
                    std::function<void()> unanswered);

  void on_started(const message::child_started& child);
  void on_ended(const message::child_ended& child);
  void on_frozen(const message::child_frozen& child);
  message::generation_verdict check(const message::generation_check& hello);
  caf::result<message::hello_answer> on_hello(const message::child_hello& hello);
  caf::result<message::hello_answer> check_switch(const message::switch_check& request);
  void on_goal(const message::goal_status& status);

  [[nodiscard]] spawn_request request_for(int number) const;
  [[nodiscard]] static std::string cause_text(const std::string& cause);
  void record();
  [[nodiscard]] std::string report() const;

  run_description description_;
  process::supervision machine_;
  process::sleep_inhibition sleep_;
  generation child_;
  bool ever_said_hello_ = false;
  bool session_has_messages_ = false;
  std::string restart_prompt_;
  std::deque<death> deaths_;
  std::vector<std::string> leftovers_;
  std::vector<std::string> dead_runs_;
  process::process_identity leftover_child_;
  std::uint64_t preparation_ = 0;
  enum class mending { not_asked, asked, done };
  mending mending_ = mending::done;
  int leftovers_asked_ = 0; ///< how many answers of the child port are due
  std::uint64_t alarm_number_ = 0;
  std::optional<alarms::alarm_id> armed_;
  wall_time started_at_{};
  std::optional<int> exit_code_;
};

template <class Answer, class Request>
void child_process_manager::ask_recorder(Request request,
                                         std::function<void(const Answer&)> answered,
                                         std::function<void()> unanswered) {
  constexpr std::chrono::seconds patience{60}; // for a lease or a session file
  ask<Answer>(peers()->recorder, patience, std::move(request), std::move(answered),
              [unanswered = std::move(unanswered)](const auto&) { unanswered(); });
}

} // namespace resilient
