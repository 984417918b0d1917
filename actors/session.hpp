#pragma once

#include "actors/guarded_actor.hpp"
#include "core/boundary/decide.hpp"
#include "messages/canary.hpp"
#include "messages/directives.hpp"
#include "messages/frames.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace resilient {

/// Speaks with the connected extension. It decides nothing: frames become typed messages, what the
/// domains answer becomes replies and directives, and `boundary::decide` says who acts.
class session final : public guarded_actor<session_actor> {
public:
  session(caf::actor_config& config, resilient::context context, std::string run_id);

protected:
  behavior_type make_behavior() override;
  void introduced() override;
  void rebuild() override;

private:
  struct peer {
    int peer_pid = 0;
    int garbage = 0;    ///< lines that were no JSON object
    bool asked = false; ///< its hello is being judged
    std::int64_t directives = 0;
    std::int64_t goal_command = 0; ///< the last that the goal has carried out
  };
  /// The extension whose hello was accepted, and what it told.
  struct client {
    connection_id connection = 0;
    bridge::hello hello;
  };

  void on_line(const message::line_received& received);
  void on_closed(connection_id connection);
  void refuse(connection_id connection, const bridge::malformed& bad);

  // -- hello (session_hello.cpp) -----------------------------------------------------------------
  void on_hello(connection_id connection, bridge::hello hello);
  void accept(connection_id connection, const bridge::hello& hello);
  void open_session(connection_id connection, const bridge::hello& hello, const std::string& inert);
  void warn_of_others();
  void open_goal(const bridge::hello& hello, const std::string& inert,
                 const message::canary_outcome& canary);
  void reject(connection_id connection, std::int64_t re, const std::string& code,
              const std::string& message);

  /// A message that canary wants sent as soon as Pi is idle.
  struct unsent_message {
    std::string text;
    std::string token;
    std::int64_t did = 0; ///< of the attempt under way, 0 after one that failed
  };
  /// What canary wants in the connected Pi, and what is known of it there.
  struct canary_view {
    bool enforced = false;
    bool holds_goal = false;
    bool person_waits = false;    ///< a person's message is queued behind the run
    std::int64_t summary_re = 0;  ///< the turn whose reply asked for the latest summary
    bool summary_awaited = false; ///< that turn has no second reply yet
    bridge::set_values in_pi;     ///< what Pi holds, as far as it is known
    std::optional<unsent_message> unsent;
    nlohmann::json entry; ///< the record that the session log holds now
    std::string status;
  };

  /// What canon wants of the connected Pi, and what is under way there.
  struct canon_view {
    message::canon_wishes wanted;
    bool opened = false;               ///< it is known what is wanted, or that nobody answers
    std::function<void()> when_opened; ///< what waits for that
    bool welcomed = false;             ///< the reply to the hello has told Pi what is wanted
    std::map<std::int64_t, std::uint64_t> steered; ///< directive -> number of the message in it
    std::map<std::string, std::uint64_t> carried;  ///< token of a continuation -> likewise
    bool held_for_goal = false; ///< what there is to say waits for the goal's continuation
  };

  // -- frames of the accepted client (session_frames.cpp, or where their subject is) -------------
  void on(const bridge::hello& frame);
  void on(const bridge::boundary& frame);
  void on(const bridge::turn& frame);
  void on(const bridge::before_settle& frame);
  void on(const bridge::command& frame);
  void answer_command(const bridge::command& frame);
  void on(const bridge::tool& frame);
  void answer_tool(const bridge::tool& frame);
  void on(const bridge::session_switch& frame);
  void on(const bridge::canon_request& frame);
  void on(const bridge::heartbeat& frame);
  void on(const bridge::agent_start& frame);
  void on(const bridge::turn_end& frame);
  void on(const bridge::input& frame);
  void on(const bridge::escape& frame);
  void on(const bridge::provider_response& frame);
  void on(const bridge::touch& frame);
  void on(const bridge::tool_end& frame);
  void on(const bridge::context& frame);
  void on(const bridge::branch& frame);
  void on(const bridge::compact& frame);
  void on(const bridge::summary& frame);
  void on(const bridge::directive_result& frame);
  void on(const bridge::goodbye& frame);

  // -- canon (session_canon.cpp) -----------------------------------------------------------------
  template <class Answer, class Question, class Fields>
  void ask_canon(Question question, std::int64_t re, Fields fields);
  void call_canon(const bridge::tool& frame);
  /// Tells canon where Pi is.
  void open_canon(const bridge::hello& hello);
  /// Calls `carry_on` when canon knows, or takes too long.
  void when_canon_is_open(const std::function<void()>& carry_on);
  void perform(const message::canon_wishes& wanted);
  /// Asks canon what to tell the model; `carry_on` gets the text and the number of the message, or
  /// an empty text.
  void
  ask_canon_message(bool settled,
                    const std::function<void(const std::string& text, std::uint64_t)>& carry_on);
  /// The end of a turn after which the run goes on: `wire` is the reply to it.
  void surface_at_turn(const nlohmann::json& wire);
  /// The boundary at which `decided` was decided: `wire` is the reply to it.
  void surface_at_boundary(const nlohmann::json& wire, boundary::canon_part part);
  void surface_with_next_prompt();
  void steer(const std::string& text, std::uint64_t number, bool with_next_prompt);
  /// Message `number`, if it is not empty, goes out with the directive `did`.
  void note_sent(std::int64_t did, const std::string& text, std::uint64_t number);
  void note_delivery(const bridge::directive_result& frame);
  void tell_undelivered(std::uint64_t number, const std::string& why);
  void tell_canon_status(std::int64_t re);
  void tell_canon_settings(std::int64_t re);
  void word_canon_tool();

  // -- the lease of a sidecar (session_goal.cpp) -------------------------------------------------
  /// A sidecar holds the session's lease while a goal is active there. Calls `carry_on` with the
  /// reason why it cannot be had, or with nothing; at once when none is needed.
  void with_lease(bool needed, const std::function<void(const std::string& inert)>& carry_on);
  void settle_lease();
  void let_go_of_lease();

  // -- the goal (session_goal.cpp) ---------------------------------------------------------------
  /// Asks the goal scheduler; `carry_on` gets its outcome if the client is still the same.
  void ask_goal(goal::event event, const std::function<void(const goal::outcome&)>& carry_on);
  void tell_goal(goal::event event);
  /// The goal's record among the entries of a branch.
  static std::optional<nlohmann::json> goal_entry_of(const bridge::branch_entries& entries);
  static bool is_active(const std::optional<nlohmann::json>& entry);
  /// What a continuation is decided after: the extension drops it when a person commanded since.
  std::optional<std::int64_t> last_goal_command();
  void at_boundary(goal::boundary reached, std::int64_t re);
  /// The goal is active here, so that it goes on whenever it does not now.
  [[nodiscard]] bool waits_to_continue() const;
  /// Continues the goal at another time than a boundary.
  void continue_later(const goal::continue_with& next);
  void goal_branch(const bridge::branch& frame);
  /// Carries out in Pi what the goal wants there.
  void perform(const goal::outcome& outcome);

  // -- the canary (session_canary.cpp) -----------------------------------------------------------
  /// Asks the canary recovery; `carry_on` gets its outcome if the client is still the same. When
  /// there is none, it gets one that changes nothing.
  template <class Event, class Done>
  void ask_canary(Event event, Done carry_on);
  void tell_canary(canary::event happened);
  message::canary_opened canary_opening(const bridge::branch_entries& entries, canary::arrival how);
  canary::arrival arrival_of(const bridge::hello& hello);
  void forget_canary();
  void canary_command(const bridge::command& frame);
  /// A person wrote to the agent; `waits` while the run before it goes on.
  void person_wrote(bool waits);
  /// A run was aborted, by a person or by a Pi that is about to end.
  void note_abort();
  /// Carries out in Pi what canary wants; `boundary` is the reply to the boundary that is open.
  void perform(const message::canary_outcome& outcome, nlohmann::json* boundary = nullptr);
  void hold_goal(bool held);
  void keep_canary(const canary::state_draft& record);
  void propose(const canary::proposal& wanted, nlohmann::json* boundary);
  void send_for_canary();
  void set_in_pi(bridge::set_values wanted);
  void show_status();
  [[nodiscard]] std::string active_goal() const;

  // -- what Pi left behind -----------------------------------------------------------------------
  void on_generation_ended(const message::generation_ended& ended);
  void record_runtime();
  /// Keeps what a turn or a run failed with, for the run's files.
  void note_error(const std::string& error);

  /// Sends a directive to the client and returns its number.
  std::int64_t direct(const bridge::directive& what);
  void reply(const nlohmann::json& wire);
  [[nodiscard]] bool is_current(connection_id connection) const;
  void drop_client();

  std::string run_id_;
  std::map<connection_id, peer> connections_;
  std::optional<client> client_;
  std::map<std::int64_t, std::string> sends_; ///< directive -> token of the continuation
  std::set<std::int64_t> appends_;            ///< directives that store something, unconfirmed
  bool stop_after_appends_ = false;
  std::string previous_death_;
  std::vector<std::string> leftovers_;
  nlohmann::json goal_entry_;
  std::string goal_status_;
  bool goal_is_inert_ = false;
  canary_view canary_;
  canon_view canon_;
  std::uint64_t canon_messages_ = 0;
  std::uint64_t abort_number_ = 0;
  std::string told_others_;    ///< extensions of which the person has been warned
  std::string generation_;     ///< of the last hello that was accepted
  bool restarting_ = false;    ///< a Pi that had said hello died, and the next one has not yet
  bool process_ended_ = false; ///< the next hello comes from a process that was started for it
  nlohmann::json* directives_into_ = nullptr; ///< a reply that carries them, else they go alone
  std::string last_error_;
  bool holds_lease_ = false;   ///< only a sidecar asks for it here
  bool lease_refused_ = false; ///< somebody else had it when it was asked for last
};

template <class Event, class Done>
void session::ask_canary(Event event, Done carry_on) {
  const connection_id asker = client_ ? client_->connection : 0;
  ask<message::canary_outcome>(
      peers()->canary_recovery, std::chrono::seconds{10},
      message::canary_event{std::move(event), active_goal()},
      [this, asker, carry_on](const message::canary_outcome& outcome) {
        if (is_current(asker)) {
          carry_on(outcome);
        }
      },
      [this, asker, carry_on](const caf::error& reason) {
        log("canary.unanswered", bridge::encode({{"why", cafx::render(system(), reason)}}));
        if (is_current(asker)) {
          message::canary_outcome same;
          same.enforced = canary_.enforced;
          same.holds_goal = canary_.holds_goal;
          same.rule = canary_.in_pi.system_append.value_or("");
          same.footer = canary_.status;
          carry_on(same);
        }
      });
}

} // namespace resilient
