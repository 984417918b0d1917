#include "actors/supervisor.hpp"

#include "messages/directives.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace resilient {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

/// More failures than this within the window end the run.
constexpr std::size_t most_failures = 10;
constexpr std::chrono::seconds failure_window = 60s;
constexpr std::chrono::seconds status_deadline = 2s;

} // namespace

/// Gathers the parts; the last one that comes, or fails to, sends the answer.
struct supervisor::status_request {
  connection_id connection = 0;
  std::shared_ptr<bridge_port> bridge;
  json parts = json::object();

  ~status_request() {
    bridge->write(connection, bridge::encode(parts));
    bridge->close(connection);
  }
  status_request(connection_id from, std::shared_ptr<bridge_port> port)
      : connection{from}, bridge{std::move(port)} {}
  status_request(const status_request&) = delete;
  status_request& operator=(const status_request&) = delete;
};

supervisor::supervisor(caf::actor_config& config, resilient::context context)
    : actor_base{config}, context_{std::move(context)} {}

void supervisor::on_exit() {
  peers_.reset();
  context_ = {};
}

supervisor::behavior_type supervisor::make_behavior() {
  return {
      [this](const message::introduce& introduction) { introduced(introduction); },
      [this](const message::start_run& start) {
        if (peers_ && peers_->child_process_manager) {
          cafx::tell(peers_->child_process_manager, start);
        }
      },
      [this](const message::actor_failed& failure) { on_failure(failure); },
      [this](const message::control_line& request) { on_control(request); },
      [this](const message::stop_actor&) { stop_all(); },
  };
}

void supervisor::introduced(const message::introduce& introduction) {
  peers_ = introduction.peers;
  watch_over(peers_->recorder, "recorder");
  watch_over(peers_->settings, "settings");
  watch_over(peers_->canon_surfacing, "canon_surfacing");
  watch_over(peers_->goal_scheduler, "goal_scheduler");
  watch_over(peers_->canary_recovery, "canary_recovery");
  watch_over(peers_->session, "session");
  watch_over(peers_->heartbeat_monitor, "heartbeat_monitor");
  watch_over(peers_->child_process_manager, "child_process_manager");
}

template <class Actor>
void supervisor::watch_over(const Actor& actor, const char* name) {
  if (!actor) {
    return;
  }
  watch(actor, [this, name](const caf::error& reason) {
    if (!stopping_) {
      give_up(fmt::format("{} ended: {}", name, cafx::render(system(), reason)));
    }
  });
}

void supervisor::on_failure(const message::actor_failed& failure) {
  cafx::tell(peers_->recorder, message::record_event{"supervisor", "actor.failed",
                                                     bridge::encode({{"actor", failure.name},
                                                                     {"why", failure.why}})});
  const monotonic_time now = context_.time->now().monotonic;
  failures_.push_back(now);
  while (now - failures_.front() > failure_window) {
    failures_.pop_front();
  }
  if (failures_.size() > most_failures) {
    give_up(fmt::format("{} failed {} times within {} s, last: {}", failure.name, failures_.size(),
                        failure_window.count(), failure.why));
  }
}

/// Stops the child cleanly and says why. Without a child process manager there is nobody left to
/// stop it: the program ends, and the child dies with it.
void supervisor::give_up(const std::string& why) {
  if (std::exchange(stopping_, true)) {
    return;
  }
  const int exit_code = static_cast<int>(error_kind::software);
  if (context_.child) {
    context_.child->say("pi-resilient: a part of it failed and it stops: " + why);
  }
  if (!peers_->child_process_manager) {
    stop_all();
    return;
  }
  cafx::ask(this, peers_->child_process_manager, status_deadline, message::describe{})
      .then(
          [this, why, exit_code](const message::status_part&) {
            cafx::tell(peers_->child_process_manager, message::stop_run{why, exit_code});
          },
          [this, exit_code](const caf::error&) { context_.child->finish(exit_code); });
}

void supervisor::on_control(const message::control_line& request) {
  const json data = json::parse(request.line, nullptr, false);
  const std::string what =
      data.is_object() && data.contains("request") && data["request"].is_string()
          ? data["request"].get<std::string>()
          : std::string{};
  if (what == "status") {
    answer_status(request.connection);
    return;
  }
  json answer{{"ok", false}, {"message", "the request must be \"status\" or \"stop\""}};
  if (what == "stop" && peers_ && peers_->child_process_manager) {
    cafx::tell(peers_->child_process_manager, message::stop_run{"pi-resilient stop", 0});
    answer = {{"ok", true}};
  }
  context_.bridge->write(request.connection, bridge::encode(answer));
  context_.bridge->close(request.connection);
}

void supervisor::answer_status(connection_id connection) {
  auto request = std::make_shared<status_request>(connection, context_.bridge);
  ask_part(peers_->child_process_manager, request);
  ask_part(peers_->heartbeat_monitor, request);
  ask_part(peers_->session, request);
  ask_part(peers_->goal_scheduler, request);
  ask_part(peers_->canary_recovery, request);
  ask_part(peers_->canon_surfacing, request);
  ask_part(peers_->settings, request);
  ask_part(peers_->recorder, request);
}

template <class Actor>
void supervisor::ask_part(const Actor& actor, const std::shared_ptr<status_request>& request) {
  if (!actor) {
    return;
  }
  cafx::ask(this, actor, status_deadline, message::describe{})
      .then(
          [request](const message::status_part& part) {
            request->parts[part.key] = json::parse(part.json, nullptr, false);
          },
          [request](const caf::error&) { request->parts["unanswered"] = true; });
}

/// In reverse order of the start.
void supervisor::stop_all() {
  stopping_ = true;
  const message::stop_actor stop;
  if (peers_) {
    if (peers_->child_process_manager) {
      cafx::tell(peers_->child_process_manager, stop);
      cafx::tell(peers_->heartbeat_monitor, stop);
    }
    cafx::tell(peers_->session, stop);
    cafx::tell(peers_->canary_recovery, stop);
    cafx::tell(peers_->goal_scheduler, stop);
    cafx::tell(peers_->canon_surfacing, stop);
    cafx::tell(peers_->settings, stop);
    cafx::tell(peers_->recorder, stop);
  }
  quit();
}

} // namespace resilient
