#include "actors/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

/// How an extension is taken in: whose it is, which session it has, what it may do there.
namespace resilient {

namespace {

using nlohmann::json;

goal::host_mode mode_of(const std::string& mode) {
  if (mode == "tui") {
    return goal::host_mode::terminal;
  }
  return mode == "rpc" ? goal::host_mode::rpc : goal::host_mode::print;
}
} // namespace

void session::on_hello(connection_id connection, bridge::hello hello) {
  peer& from = connections_[connection];
  if (from.asked) {
    refuse(connection, {"hello: the one before it is still being judged", false, hello.id, {}});
    return;
  }
  if (from.peer_pid != 0) {
    hello.pid = from.peer_pid;
  }
  if (!is_supervised()) {
    accept(connection, hello);
    return;
  }
  from.asked = true;
  cafx::ask_without_deadline(this, peers()->child_process_manager,
                             message::generation_check{hello.generation, hello.secret, hello.pid})
      .then(
          [this, connection, hello](const message::generation_verdict& verdict) {
            const auto found = connections_.find(connection);
            if (found == connections_.end()) {
              return;
            }
            found->second.asked = false;
            if (verdict.accepted) {
              accept(connection, hello);
            } else {
              log("hello.refused", bridge::encode({{"code", verdict.code}, {"pid", hello.pid}}));
              reject(connection, hello.id, verdict.code, verdict.message);
            }
          },
          [this, connection](const caf::error&) {
            const auto found = connections_.find(connection);
            if (found != connections_.end()) {
              found->second.asked = false;
              connections_.erase(found);
              world().bridge->close(connection);
            }
          });
}

void session::reject(connection_id connection, std::int64_t re, const std::string& code,
                     const std::string& message) {
  json wire = bridge::reply_to(re);
  wire["ok"] = false;
  wire["code"] = code;
  wire["message"] = message;
  world().bridge->write(connection, bridge::encode(wire));
  connections_.erase(connection);
  world().bridge->close(connection);
}

void session::accept(connection_id connection, const bridge::hello& hello) {
  if (client_ && client_->connection != connection) {
    const connection_id older = client_->connection;
    connections_.erase(older);
    world().bridge->close(older);
  }
  client_ = client{connection, hello};
  generation_ = hello.generation;
  sends_.clear();
  appends_.clear();
  forget_canary();
  canon_ = {};
  log("hello", bridge::encode({{"pid", hello.pid},
                               {"pi", hello.pi_version},
                               {"mode", hello.mode},
                               {"reason", hello.reason},
                               {"session", hello.session.file}}));
  cafx::tell(peers()->settings,
             message::settings_place{hello.agent_folder, hello.cwd, hello.trusted});
  // It reads what is on the disk while the lease is claimed: Pi waits for both.
  open_canon(hello);
  if (!is_supervised()) {
    lease_refused_ = false;
    with_lease(is_active(goal_entry_of(hello.entries)),
               [this, connection, hello](const std::string& inert) {
                 open_session(connection, hello, inert);
               });
    return;
  }
  cafx::tell(peers()->heartbeat_monitor, message::beat{hello.generation});
  // It keeps the deadline of the disk.
  cafx::ask_without_deadline(
      this, peers()->child_process_manager,
      message::child_hello{hello.generation, hello.pi_version, hello.session.file, hello.reason})
      .then(
          [this, connection, hello](const message::hello_answer& answer) {
            open_session(connection, hello, answer.inert);
          },
          [this, connection, hello](const caf::error&) {
            open_session(connection, hello, "pi-resilient could not claim the session");
          });
}

void session::open_session(connection_id connection, const bridge::hello& hello,
                           const std::string& inert) {
  if (!is_current(connection)) {
    return;
  }
  tell_goal(goal::inert_changed{inert});
  if (hello.reason == "startup") {
    // A fresh process holds nothing; any other may hold what it was told before.
    canary_.in_pi.gate = "";
    canary_.in_pi.ask_turn = false;
    canary_.in_pi.system_append = "";
    canary_.in_pi.touch = false;
    canary_.in_pi.needles = json::array();
  }
  when_canon_is_open([this, hello, inert] {
    ask_canary(canary_opening(hello.entries, arrival_of(hello)),
               [this, hello, inert](const message::canary_outcome& canary) {
                 // Before the goal is there: it must not continue over a recovery.
                 hold_goal(canary.holds_goal);
                 open_goal(hello, inert, canary);
               });
  });
}

void session::open_goal(const bridge::hello& hello, const std::string& inert,
                        const message::canary_outcome& canary) {
  goal::attached opened;
  opened.reason = hello.reason;
  opened.mode = mode_of(hello.mode);
  opened.settles_in_print = hello.can("boundary");
  opened.idle = hello.idle;
  opened.pending = hello.pending;
  opened.session_id = hello.session.id;
  opened.working_folder = hello.cwd;
  opened.entry = goal_entry_of(hello.entries);
  opened.previous_death = std::exchange(previous_death_, {});
  opened.leftovers = std::exchange(leftovers_, {});
  opened.restarted = std::exchange(restarting_, false) && hello.reason == "startup";
  goal_entry_ = opened.entry.value_or(json{});
  ask_goal(std::move(opened), [this, re = hello.id, inert, canary](const goal::outcome& outcome) {
    json wire = bridge::reply_to(re);
    wire["ok"] = inert.empty();
    wire["role"] = is_supervised() ? "supervised" : "sidecar";
    if (!inert.empty()) {
      wire["code"] = "lease";
      wire["message"] = inert;
    }
    // In the reply, so that they are in force before Pi takes its first prompt.
    json directives = json::array();
    directives_into_ = &directives;
    perform(canary);
    canon_.welcomed = true;
    perform(canon_.wanted);
    directives_into_ = nullptr;
    if (!directives.empty()) {
      wire["directives"] = std::move(directives);
    }
    reply(wire);
    canon_.held_for_goal = canon_.wanted.touches && client_->hello.idle && is_active(goal_entry_);
    perform(outcome);
    warn_of_others();
    record_runtime();
  });
}

/// Once for what is found: neither a restart nor `/reload` says it again.
void session::warn_of_others() {
  const std::string found = fmt::format("{}", fmt::join(client_->hello.others, ", "));
  if (found.empty() || found == told_others_) {
    return;
  }
  told_others_ = found;
  direct(bridge::show_notice{
      to_string(goal::notice_level::warning),
      fmt::format("Other extensions do the same work as pi-resilient: {}. Both would act, a goal "
                  "would be continued twice. Remove them (pi list, pi remove), or do without "
                  "pi-resilient.",
                  found)});
}

} // namespace resilient
