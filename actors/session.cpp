#include "actors/session.hpp"

#include "core/support/calendar.hpp"
#include "core/support/secrets.hpp"

namespace resilient {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr int most_garbage = 10;

} // namespace

session::session(caf::actor_config& config, resilient::context context, std::string run_id)
    : guarded_actor{config, std::move(context), "session"}, run_id_{std::move(run_id)} {}

session::behavior_type session::make_behavior() {
  return {
      handle<message::connection_opened>([this](const auto& opened) {
        connections_[opened.connection] = {opened.peer_pid, 0, false, 0, 0};
      }),
      handle<message::line_received>([this](const auto& received) { on_line(received); }),
      handle<message::connection_closed>(
          [this](const auto& closed) { on_closed(closed.connection); }),
      handle<message::generation_ended>([this](const auto& ended) { on_generation_ended(ended); }),
      handle<message::leftovers_known>([this](const auto& known) { leftovers_ = known.names; }),
      handle<message::goal_outcome>([this](const auto& outcome) {
        if (client_) {
          perform(outcome.what);
          record_runtime();
        }
      }),
      handle<message::canary_outcome>([this](const auto& outcome) {
        if (client_) {
          perform(outcome);
        }
      }),
      handle<message::canon_wishes>([this](const auto& wanted) {
        if (client_) {
          perform(wanted);
        }
      }),
      handle<message::abort_confirmed>([this](const auto& confirmed) {
        if (client_ && confirmed.number == abort_number_) {
          tell_canary(canary::event::aborted);
        }
      }),
      handle<message::show_notice>([this](const auto& notice) {
        if (client_) {
          direct(bridge::show_notice{to_string(notice.level), notice.text});
        }
      }),
      handle_overdue_requests(),
      handle_introduction(),
      answer<message::status_part, message::describe>([this](const auto&) {
        json data{{"connected", client_.has_value()}};
        if (client_) {
          data["mode"] = client_->hello.mode;
          data["pi_version"] = client_->hello.pi_version;
          data["session_file"] = client_->hello.session.file;
        }
        return message::status_part{"session", bridge::encode(data)};
      }),
      handle_stop(),
  };
}

void session::introduced() {
  record_runtime();
}

/// The extension connects again and says hello, which brings back all that is lost here.
void session::rebuild() {
  for (const auto& [id, each] : connections_) {
    world().bridge->close(id);
  }
  connections_.clear();
  client_.reset();
  sends_.clear();
  appends_.clear();
  stop_after_appends_ = false;
  directives_into_ = nullptr;
  forget_canary();
  canon_ = {};
}

// -- connections --------------------------------------------------------------------------------

void session::on_line(const message::line_received& received) {
  const auto found = connections_.find(received.connection);
  if (found == connections_.end() || received.line.empty()) {
    return;
  }
  tl::expected<bridge::frame, bridge::malformed> frame = bridge::decode(received.line);
  if (!frame) {
    refuse(received.connection, frame.error());
    return;
  }
  if (auto* hello = std::get_if<bridge::hello>(&*frame)) {
    on_hello(received.connection, std::move(*hello));
    return;
  }
  if (!is_current(received.connection)) {
    refuse(received.connection, {"the first frame must be an accepted hello", false, {}, {}});
    return;
  }
  std::visit([this](const auto& each) { on(each); }, *frame);
}

void session::refuse(connection_id connection, const bridge::malformed& bad) {
  peer& from = connections_[connection];
  if (bad.not_json && ++from.garbage >= most_garbage) {
    connections_.erase(connection);
    world().bridge->close(connection);
    if (is_current(connection)) {
      drop_client();
    }
    return;
  }
  if (bad.version) {
    // Whatever the frame was: the other side cannot be understood.
    json wire = bridge::reply_to(bad.id.value_or(0));
    wire["ok"] = false;
    wire["code"] = "version";
    wire["message"] = bad.message;
    world().bridge->write(connection, bridge::encode(wire));
    return;
  }
  log("frame.refused", bridge::encode({{"why", bad.message}}));
  world().bridge->write(connection, bridge::encode(bridge::to_json(
                                        bridge::refused{bad.id, bad.message}, ++from.directives)));
}

void session::on_closed(connection_id connection) {
  connections_.erase(connection);
  if (is_current(connection)) {
    drop_client();
  }
}

void session::drop_client() {
  client_.reset();
  let_go_of_lease();
  sends_.clear();
  appends_.clear();
  forget_canary();
  canon_ = {};
  if (std::exchange(stop_after_appends_, false) && is_supervised()) {
    cafx::tell(peers()->child_process_manager, message::stop_run{"/resilient-stop", 0});
  }
  tell_goal(goal::detached{});
}

// -- what Pi left behind ------------------------------------------------------------------------

void session::on_generation_ended(const message::generation_ended& ended) {
  previous_death_ = ended.cause;
  process_ended_ = true;
  restarting_ = restarting_ || (!ended.generation.empty() && ended.generation == generation_);
  if (client_ && client_->hello.generation == ended.generation) {
    const connection_id connection = client_->connection;
    connections_.erase(connection);
    drop_client();
    world().bridge->close(connection);
  }
}

void session::note_error(const std::string& error) {
  if (!error.empty()) {
    last_error_ = mask_secrets(error);
  }
}

void session::record_runtime() {
  json data{{"version", 1},
            {"run_id", run_id_},
            {"goal", goal_entry_},
            {"canary", canary_.entry},
            {"last_error", last_error_}};
  if (client_) {
    const bridge::hello& hello = client_->hello;
    data["session"] = {{"file", hello.session.file}, {"id", hello.session.id}};
    data["pi"] = {{"pid", hello.pid}, {"version", hello.pi_version}, {"mode", hello.mode}};
    data["generation"] = hello.generation;
    data["working_folder"] = hello.cwd;
  }
  if (goal_entry_.is_object()) {
    const result<goal::record> goal = goal::record_from_json(goal_entry_);
    if (goal && goal->wait) {
      const goal::waiting& wait = *goal->wait;
      data["wait"] = {{"why", wait.why},
                      {"kind", goal::to_string(wait.what)},
                      {"until", to_iso(wait.reset_at.value_or(wait.started_at + wait.length))}};
    }
  }
  cafx::tell(peers()->recorder, message::record_runtime{bridge::encode(data)});
}

// -- writing ------------------------------------------------------------------------------------

std::int64_t session::direct(const bridge::directive& what) {
  const std::int64_t number = ++connections_[client_->connection].directives;
  const json wire = bridge::to_json(what, number);
  if (directives_into_ != nullptr) {
    directives_into_->push_back(wire);
  } else {
    world().bridge->write(client_->connection, bridge::encode(wire));
  }
  return number;
}

void session::reply(const json& wire) {
  if (client_) {
    world().bridge->write(client_->connection, bridge::encode(wire));
  }
}

bool session::is_current(connection_id connection) const {
  return client_ && client_->connection == connection;
}

} // namespace resilient
