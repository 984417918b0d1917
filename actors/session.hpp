#pragma once

#include "actors/guarded_actor.hpp"
#include "messages/directives.hpp"
#include "messages/frames.hpp"

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
  };
  /// The extension whose hello was accepted, and what it told.
  struct client {
    connection_id connection = 0;
    bridge::hello hello;
  };

  void on_line(const message::line_received& received);
  void on_closed(connection_id connection);
  void refuse(connection_id connection, const bridge::malformed& bad);

  // -- hello -------------------------------------------------------------------------------------
  void on_hello(connection_id connection, bridge::hello hello);
  void accept(connection_id connection, const bridge::hello& hello);
  void open_session(connection_id connection, const bridge::hello& hello, const std::string& inert);
  void reject(connection_id connection, std::int64_t re, const std::string& code,
              const std::string& message);

  // -- frames of the accepted client -------------------------------------------------------------
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

  // -- canon -------------------------------------------------------------------------------------
  template <class Answer, class Question, class Fields>
  void ask_canon(Question question, std::int64_t re, Fields fields);
  void call_canon(const bridge::tool& frame);
  void tell_canon_status(std::int64_t re);
  void word_canon_tool();

  // -- the lease of a sidecar --------------------------------------------------------------------
  /// A sidecar holds the session's lease while a goal is active there. Calls `carry_on` with the
  /// reason why it cannot be had, or with nothing; at once when none is needed.
  template <class Done>
  void with_lease(bool needed, Done carry_on);
  void settle_lease();
  void let_go_of_lease();

  // -- the goal ----------------------------------------------------------------------------------
  /// Asks the goal scheduler; `carry_on` gets its outcome if the client is still the same.
  template <class Done>
  void ask_goal(goal::event event, Done carry_on);
  void tell_goal(goal::event event);
  /// Carries out in Pi what the goal wants there.
  void perform(const goal::outcome& outcome);

  // -- what Pi left behind -----------------------------------------------------------------------
  void on_generation_ended(const message::generation_ended& ended);
  void record_runtime();

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
  std::string last_error_;
  bool holds_lease_ = false;   ///< only a sidecar asks for it here
  bool lease_refused_ = false; ///< somebody else had it when it was asked for last
};

} // namespace resilient
