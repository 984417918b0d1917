#include "actors/session.hpp"

#include "core/boundary/decide.hpp"
#include "core/canon/tool.hpp"
#include "core/support/calendar.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace resilient {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr int most_garbage = 10;
constexpr std::chrono::seconds actor_deadline = 10s;
constexpr std::chrono::seconds canon_deadline = 30s; // a store may lie on a slow disk
constexpr std::chrono::seconds hello_deadline = 90s; // a lease may wait for a slow disk
constexpr const char* goal_entry_type = "resilient-goal";

goal::host_mode mode_of(const std::string& mode) {
  if (mode == "tui") {
    return goal::host_mode::terminal;
  }
  return mode == "rpc" ? goal::host_mode::rpc : goal::host_mode::print;
}

const char* to_string(goal::notice_level level) {
  switch (level) {
  case goal::notice_level::info:
    return "info";
  case goal::notice_level::warning:
    return "warning";
  case goal::notice_level::error:
    return "error";
  }
  return "info";
}

std::optional<json> goal_entry_of(const bridge::branch_entries& entries) {
  const auto found = entries.find(goal_entry_type);
  return found == entries.end() ? std::nullopt : std::optional{found->second};
}

json notices_of(const std::vector<goal::notify>& notices) {
  json list = json::array();
  for (const goal::notify& each : notices) {
    list.push_back({{"level", to_string(each.level)}, {"text", each.text}});
  }
  return list;
}

/// How long print mode may stay in a command's handler for the run that the command began.
constexpr std::int64_t longest_command_run_ms = std::int64_t{30} * 24 * 3600 * 1000;

} // namespace

session::session(caf::actor_config& config, resilient::context context, std::string run_id)
    : guarded_actor{config, std::move(context), "session"}, run_id_{std::move(run_id)} {}

session::behavior_type session::make_behavior() {
  return {
      handle<message::connection_opened>([this](const auto& opened) {
        connections_[opened.connection] = {opened.peer_pid, 0, false, 0};
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
      handle<message::show_notice>([this](const auto& notice) {
        if (client_) {
          direct(bridge::show_notice{to_string(notice.level), notice.text});
        }
      }),
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
  sends_.clear();
  appends_.clear();
  if (std::exchange(stop_after_appends_, false) && is_supervised()) {
    cafx::tell(peers()->child_process_manager, message::stop_run{"/resilient-stop", 0});
  }
  tell_goal(goal::detached{});
}

// -- hello --------------------------------------------------------------------------------------

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
  cafx::ask(this, peers()->child_process_manager, actor_deadline,
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
  sends_.clear();
  appends_.clear();
  log("hello", bridge::encode({{"pid", hello.pid},
                               {"pi", hello.pi_version},
                               {"mode", hello.mode},
                               {"reason", hello.reason},
                               {"session", hello.session.file}}));
  cafx::tell(peers()->settings,
             message::settings_place{hello.agent_folder, hello.cwd, hello.trusted});
  cafx::tell(peers()->canon_surfacing,
             message::canon_place{hello.cwd, hello.trusted, hello.session.id});
  word_canon_tool();
  if (!is_supervised()) {
    open_session(connection, hello, {});
    return;
  }
  cafx::tell(peers()->heartbeat_monitor, message::beat{hello.generation});
  cafx::ask(
      this, peers()->child_process_manager, hello_deadline,
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
  goal_entry_ = opened.entry.value_or(json{});
  ask_goal(std::move(opened), [this, re = hello.id, inert](const goal::outcome& outcome) {
    json wire = bridge::reply_to(re);
    wire["ok"] = inert.empty();
    wire["role"] = is_supervised() ? "supervised" : "sidecar";
    if (!inert.empty()) {
      wire["code"] = "lease";
      wire["message"] = inert;
    }
    reply(wire);
    perform(outcome);
    record_runtime();
  });
}

// -- frames -------------------------------------------------------------------------------------

void session::on(const bridge::hello&) {
  // Taken by on_hello.
}

void session::on(const bridge::boundary& frame) {
  if (!frame.error.empty()) {
    last_error_ = frame.error;
  }
  goal::boundary reached;
  reached.settled = frame.settled;
  reached.stop = frame.stop;
  reached.error = frame.error;
  reached.aborted = frame.aborted;
  reached.escape = frame.escape;
  reached.idle = frame.idle;
  reached.pending = frame.pending;
  reached.tool_calls = frame.tool_calls;
  reached.turns = frame.turns;
  reached.input_tokens = frame.usage.input;
  reached.output_tokens = frame.usage.output;
  reached.cost = frame.usage.cost;
  reached.provider = frame.provider;
  ask_goal(std::move(reached),
           [this, re = frame.id, pending = frame.pending](const goal::outcome& outcome) {
             // A wait is stored before it begins, a continuation counted before it is sent.
             perform(outcome);
             record_runtime();
             json wire = bridge::reply_to(re);
             const goal::proposal decided = boundary::decide({pending, false, outcome.at_boundary});
             if (const auto* next = std::get_if<goal::continue_with>(&decided)) {
               wire["send"] = {{"text", next->text}, {"token", next->token}};
             } else if (const auto* open = std::get_if<goal::keep_open>(&decided)) {
               wire["hold_ms"] = open->length.count();
             }
             reply(wire);
           });
}

void session::on(const bridge::turn& frame) {
  reply(bridge::reply_to(frame.id));
}

void session::on(const bridge::before_settle& frame) {
  reply(bridge::reply_to(frame.id));
}

void session::on(const bridge::command& frame) {
  if (frame.name == "canon") {
    tell_canon_status(frame.id);
    return;
  }
  if (frame.name != "goal" && frame.name != "resilient-stop") {
    json wire = bridge::reply_to(frame.id);
    wire["notices"] = json::array(
        {{{"level", "warning"},
          {"text", fmt::format("/{} is not part of this pi-resilient yet.", frame.name)}}});
    reply(wire);
    return;
  }
  ask_goal(goal::command{frame.name, frame.arguments},
           [this, re = frame.id](const goal::outcome& outcome) {
             perform(outcome);
             json wire = bridge::reply_to(re);
             if (outcome.command) {
               wire["notices"] = notices_of(outcome.command->notices);
               if (outcome.command->starts_run) {
                 wire["run_ms"] = longest_command_run_ms;
               }
             }
             reply(wire);
             record_runtime();
           });
}

void session::on(const bridge::tool& frame) {
  if (frame.name == "canon") {
    call_canon(frame);
    return;
  }
  ask_goal(goal::tool_call{frame.name, frame.parameters},
           [this, re = frame.id](const goal::outcome& outcome) {
             perform(outcome);
             json wire = bridge::reply_to(re);
             wire["text"] = outcome.tool ? outcome.tool->text : "pi-resilient gave no answer.";
             wire["is_error"] = !outcome.tool || outcome.tool->is_error;
             reply(wire);
             record_runtime();
           });
}

void session::on(const bridge::session_switch& frame) {
  const connection_id asker = client_->connection;
  const auto allow = [this, asker, re = frame.id](const std::string& refusal) {
    if (!is_current(asker)) {
      return;
    }
    json wire = bridge::reply_to(re);
    wire["cancel"] = !refusal.empty();
    wire["message"] = refusal;
    reply(wire);
  };
  if (!is_supervised()) {
    allow({});
    return;
  }
  cafx::ask(this, peers()->child_process_manager, hello_deadline,
            message::switch_check{frame.target_file})
      .then([allow](const message::hello_answer& answer) { allow(answer.inert); },
            [allow](const caf::error&) { allow({}); });
}

void session::on(const bridge::canon_request& frame) {
  const auto text_of = [&](const char* key) {
    const auto found = frame.body.find(key);
    return found != frame.body.end() && found->is_string() ? found->get<std::string>()
                                                           : std::string{};
  };
  ask_canon<message::canon_settings_answer>(
      message::canon_settings{text_of("action") == "set", text_of("key"), text_of("value")},
      frame.id, [](const message::canon_settings_answer& answer) {
        return json::parse(answer.json, nullptr, false);
      });
}

void session::on(const bridge::heartbeat& frame) {
  if (is_supervised()) {
    cafx::tell(peers()->heartbeat_monitor, message::beat{client_->hello.generation});
  }
  if (frame.idle) {
    ask_goal(goal::presence{frame.idle, frame.pending},
             [this](const goal::outcome& outcome) { perform(outcome); });
  }
}

void session::on(const bridge::agent_start&) {
  ask_goal(goal::run_started{}, [this](const goal::outcome& outcome) { perform(outcome); });
}

void session::on(const bridge::turn_end& frame) {
  if (!frame.error.empty()) {
    last_error_ = frame.error;
  }
}

void session::on(const bridge::input& frame) {
  ask_goal(goal::input_seen{frame.source == "extension"},
           [this](const goal::outcome& outcome) { perform(outcome); });
}

void session::on(const bridge::escape&) {
  log("escape");
}

void session::on(const bridge::provider_response& frame) {
  ask_goal(goal::response_seen{frame.status, frame.headers},
           [this](const goal::outcome& outcome) { perform(outcome); });
}

void session::on(const bridge::touch&) {
  // nop
}

void session::on(const bridge::tool_end&) {
  // nop
}

void session::on(const bridge::context&) {
  // nop
}

void session::on(const bridge::branch& frame) {
  client_->hello.session = frame.session;
  client_->hello.entries = frame.entries;
  ask_goal(goal::branch_changed{goal_entry_of(frame.entries)},
           [this, entry = goal_entry_of(frame.entries)](const goal::outcome& outcome) {
             goal_entry_ = entry.value_or(json{});
             perform(outcome);
             record_runtime();
           });
}

void session::on(const bridge::compact& frame) {
  log("compact", bridge::encode({{"reason", frame.reason}, {"failed", frame.failed}}));
}

void session::on(const bridge::summary&) {
  // nop
}

void session::on(const bridge::directive_result& frame) {
  appends_.erase(frame.did);
  if (!frame.ok) {
    log("directive.failed", bridge::encode({{"did", frame.did}, {"error", frame.error}}));
  }
  std::string token = frame.token;
  if (const auto sent = sends_.find(frame.did); sent != sends_.end()) {
    token = sent->second;
    sends_.erase(sent);
  }
  if (!token.empty()) {
    ask_goal(goal::send_finished{token, frame.ok},
             [this](const goal::outcome& outcome) { perform(outcome); });
  }
  if (stop_after_appends_ && appends_.empty()) {
    stop_after_appends_ = false;
    cafx::tell(peers()->child_process_manager, message::stop_run{"/resilient-stop", 0});
  }
}

void session::on(const bridge::goodbye& frame) {
  log("goodbye", bridge::encode({{"reason", frame.reason}}));
  ask_goal(goal::goodbye{frame.reason}, [](const goal::outcome&) {});
  const connection_id connection = client_->connection;
  connections_.erase(connection);
  drop_client();
  world().bridge->close(connection);
}

// -- canon --------------------------------------------------------------------------------------

/// Asks canon on behalf of request `re`; `fields` makes the reply's fields of its answer.
template <class Answer, class Question, class Fields>
void session::ask_canon(Question question, std::int64_t re, Fields fields) {
  const connection_id asker = client_->connection;
  cafx::ask(this, peers()->canon_surfacing, canon_deadline, std::move(question))
      .then(
          [this, asker, re, fields](const Answer& answer) {
            if (is_current(asker)) {
              json wire = bridge::reply_to(re);
              wire.update(fields(answer));
              reply(wire);
            }
          },
          [this](const caf::error& reason) {
            log("canon.unanswered", bridge::encode({{"why", cafx::render(system(), reason)}}));
          });
}

void session::call_canon(const bridge::tool& frame) {
  ask_canon<message::canon_answer>(
      message::canon_call{bridge::encode(frame.parameters)}, frame.id,
      [](const message::canon_answer& answer) {
        return json{{"text", answer.text}, {"is_error", answer.is_error}};
      });
}

void session::tell_canon_status(std::int64_t re) {
  ask_canon<message::canon_answer>(
      message::canon_status{}, re, [](const message::canon_answer& answer) {
        json notice{{"level", answer.is_error ? "error" : "info"}, {"text", answer.text}};
        return json{{"notices", json::array({std::move(notice)})}};
      });
}

/// The description depends on what is in force, so the extension's own is replaced.
void session::word_canon_tool() {
  const connection_id asker = client_->connection;
  cafx::ask(this, peers()->canon_surfacing, canon_deadline, message::canon_wording{})
      .then(
          [this, asker](const message::canon_words& words) {
            if (is_current(asker)) {
              json tool{{"name", canon::tool_name},
                        {"description", words.description},
                        {"parameters", json::parse(words.parameters, nullptr, false)}};
              bridge::set_values values;
              values.tools = json::array({std::move(tool)});
              direct(values);
            }
          },
          [](const caf::error&) {
            // The extension's own wording stays.
          });
}

// -- the goal -----------------------------------------------------------------------------------

template <class Done>
void session::ask_goal(goal::event event, Done carry_on) {
  const connection_id asker = client_ ? client_->connection : 0;
  cafx::ask(this, peers()->goal_scheduler, actor_deadline, message::goal_event{std::move(event)})
      .then(
          [this, asker, carry_on](const message::goal_outcome& outcome) {
            if (is_current(asker)) {
              carry_on(outcome.what);
            }
          },
          [this](const caf::error& reason) {
            // The extension takes its default when its deadline passes.
            log("goal.unanswered", bridge::encode({{"why", cafx::render(system(), reason)}}));
          });
}

void session::tell_goal(goal::event event) {
  cafx::tell(peers()->goal_scheduler, message::goal_nudge{std::move(event)});
}

void session::perform(const goal::outcome& outcome) {
  for (const goal::effect& each : outcome.effects) {
    if (const auto* saved = std::get_if<goal::append_record>(&each)) {
      goal_entry_ = saved->data;
      appends_.insert(direct(bridge::append_entry{goal_entry_type, saved->data}));
    } else if (const auto* status = std::get_if<goal::show_status>(&each)) {
      direct(bridge::set_status{status->text});
    } else if (const auto* notice = std::get_if<goal::notify>(&each)) {
      direct(bridge::show_notice{to_string(notice->level), notice->text});
    } else if (const auto* sent = std::get_if<goal::send>(&each)) {
      sends_[direct(bridge::send_message{sent->what.text, sent->what.token})] = sent->what.token;
    } else if (std::holds_alternative<goal::release_host>(each)) {
      direct(bridge::release{});
    } else if (std::holds_alternative<goal::stop_launcher>(each) && is_supervised()) {
      stop_after_appends_ = !appends_.empty();
      if (!stop_after_appends_) {
        cafx::tell(peers()->child_process_manager, message::stop_run{"/resilient-stop", 0});
      }
    }
  }
}

// -- what Pi left behind ------------------------------------------------------------------------

void session::on_generation_ended(const message::generation_ended& ended) {
  previous_death_ = ended.cause;
  if (client_ && client_->hello.generation == ended.generation) {
    const connection_id connection = client_->connection;
    connections_.erase(connection);
    drop_client();
    world().bridge->close(connection);
  }
}

void session::record_runtime() {
  json data{
      {"version", 1}, {"run_id", run_id_}, {"goal", goal_entry_}, {"last_error", last_error_}};
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
  world().bridge->write(client_->connection, bridge::encode(bridge::to_json(what, number)));
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
