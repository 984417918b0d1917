#include "tests/actors/virtual_run.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace resilient::test {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

std::filesystem::path fresh_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "virtual-run-XXXXXX").string();
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  return name;
}

} // namespace

std::optional<std::chrono::nanoseconds> virtual_alarms::next() const {
  std::optional<std::chrono::nanoseconds> soonest;
  const auto take = [&](std::chrono::nanoseconds left) {
    soonest = soonest ? std::min(*soonest, left) : left;
  };
  for (const auto& [id, each] : boot_) {
    take(each.at - time_->now().boot);
  }
  for (const auto& [id, each] : wall_) {
    take(each.at - time_->now().wall);
  }
  return soonest;
}

void virtual_alarms::ring() {
  std::vector<std::function<void()>> due;
  const auto take = [&](auto& armed, auto now) {
    for (auto each = armed.begin(); each != armed.end();) {
      if (each->second.at <= now) {
        due.push_back(std::move(each->second.ring));
        each = armed.erase(each);
      } else {
        ++each;
      }
    }
  };
  take(boot_, time_->now().boot);
  take(wall_, time_->now().wall);
  for (const auto& ring : due) {
    ring();
  }
}

virtual_run::virtual_run(process::run_mode mode, bool supervised)
    : folder{fresh_folder()}, supervised_{supervised} {
  cafx::init_types<caf::id_block::pi_resilient>();
  cafx::configure(config_, {"testing", 1});
  system_ = std::make_unique<caf::actor_system>(config_);
  // A failed REQUIRE would wait for ever for the actors.
  system_->await_actors_before_shutdown(false);
  scheduler_ = dynamic_cast<caf::scheduler::test_coordinator*>(&system_->scheduler());

  std::filesystem::create_directories(folder / "run");
  options.run_id = "run-1";
  options.detached = false;
  options.record = {(folder / "run").string(),
                    "run-1",
                    {"here", "boot-1", [](int) { return std::nullopt; }},
                    {1, 1}};
  if (supervised) {
    run_description description;
    description.run_id = "run-1";
    description.run_folder = (folder / "run").string();
    description.socket_path = (folder / "run" / "bridge").string();
    description.program = "/usr/bin/pi";
    description.working_folder = folder.string();
    description.extension_path = "/opt/extension";
    description.arguments.first_start = {"--model", "m", "the prompt"};
    description.arguments.restart = {"--model", "m"};
    description.mode = mode;
    description.session_file = (folder / "session.jsonl").string();
    options.child = description;
  }
}

virtual_run::~virtual_run() {
  if (peers) {
    cafx::tell(peers->supervisor, message::stop_actor{});
    peers.reset();
  }
  while (scheduler_->try_run_once()) {
  }
  system_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

void virtual_run::spawn() {
  context world;
  world.time = time;
  world.alarms = alarms;
  world.bridge = bridge;
  world.child = supervised_ ? child : nullptr;
  world.commands = commands;
  world.sleep = sleep_port;
  world.retriever = retriever;
  world.entropy = random;
  world.before_message = before_message;
  peers = spawn_run(*system_, world, options, std::make_shared<posix_files>());
}

std::size_t virtual_run::timers() const {
  return scheduler_->clock().schedule().size();
}

void virtual_run::settle() {
  for (;;) {
    while (scheduler_->try_run_once()) {
    }
    if (stopped_marks_ < child->stopped_marks.size()) {
      ++stopped_marks_;
      ++child->stopped;
      cafx::tell(peers->child_process_manager, message::leftovers_stopped{});
    } else if (stopped_pids_ < child->stopped_pids.size()) {
      ++stopped_pids_;
      ++child->stopped;
      cafx::tell(peers->child_process_manager, message::leftovers_stopped{{"pi (77)"}});
    } else {
      CHECK_FALSE(child->started_too_early);
      return;
    }
  }
}

void virtual_run::advance(std::chrono::nanoseconds length) {
  auto& clock = scheduler_->clock();
  std::chrono::nanoseconds left = length;
  settle();
  while (left > 0ns) {
    std::chrono::nanoseconds step = left;
    if (!clock.schedule().empty()) {
      step = std::min<std::chrono::nanoseconds>(
          step, std::max<std::chrono::nanoseconds>(0ns, clock.schedule().begin()->first
                                                            - clock.current_time));
    }
    if (const auto alarm = alarms->next()) {
      step = std::min(step, std::max<std::chrono::nanoseconds>(0ns, *alarm));
    }
    time->now_ = time->now_.after(step);
    left -= step;
    wakeups += left > 0ns ? 1 : 0;
    clock.advance_time(std::chrono::duration_cast<caf::timespan>(step));
    alarms->ring();
    settle();
  }
}

void virtual_run::sleep(std::chrono::nanoseconds length) {
  settle();
  time->now_.boot += length;
  time->now_.wall += std::chrono::duration_cast<std::chrono::milliseconds>(length);
  alarms->ring();
  settle();
}

bool virtual_run::begin() {
  spawn();
  cafx::tell(peers->supervisor, message::start_run{});
  settle();
  return !child->spawns.empty();
}

void virtual_run::start() {
  const bool spawned = begin();
  if (supervised_) {
    REQUIRE(spawned);
    execute(4711);
  }
}

void virtual_run::execute(int new_pid) {
  pid = new_pid;
  cafx::tell(peers->child_process_manager,
             message::child_started{child->spawns.back().generation, pid, 99});
  settle();
}

void virtual_run::end(const process::exit_status& status, const std::string& last_words) {
  cafx::tell(peers->child_process_manager, message::child_ended{pid, status, last_words});
  settle();
}

connection_id virtual_run::connect(const json& changes) {
  connection = ++last_connection_;
  cafx::tell(peers->session, message::connection_opened{connection, 0});
  json hello{{"v", 1},
             {"type", "hello"},
             {"id", ++last_id_},
             {"extension_version", "0.1.0"},
             {"pid", pid},
             {"pi_version", "1.6.0"},
             {"mode", "rpc"},
             {"cwd", folder.string()},
             {"agent_folder", (folder / "agent").string()},
             {"reason", "startup"},
             {"session", {{"file", (folder / "session.jsonl").string()}, {"id", "session-1"}}},
             {"capabilities", json::array({"boundary"})},
             {"idle", true},
             {"pending", false}};
  if (supervised_) {
    hello["generation"] = environment("PI_RESILIENT_GENERATION");
    hello["secret"] = environment("PI_RESILIENT_SECRET");
  }
  hello.update(changes);
  send_line(connection, hello.dump());
  return connection;
}

std::vector<json> virtual_run::send(connection_id to, json frame) {
  const std::size_t before = bridge->written[to].size();
  frame["v"] = 1;
  send_line(to, frame.dump());
  const auto& all = bridge->written[to];
  return {all.begin() + static_cast<std::ptrdiff_t>(before), all.end()};
}

void virtual_run::send_line(connection_id to, std::string line) {
  cafx::tell(peers->session, message::line_received{to, std::move(line)});
  settle();
}

void virtual_run::beat() {
  send(connection, {{"type", "heartbeat"}, {"idle", false}, {"pending", false}});
}

void virtual_run::live(std::chrono::nanoseconds length) {
  for (std::chrono::nanoseconds lived = 0ns; lived < length; lived += 5s) {
    advance(std::min<std::chrono::nanoseconds>(5s, length - lived));
    beat();
  }
}

std::string virtual_run::environment(const std::string& name) const {
  for (const auto& [key, value] : child->spawns.back().environment) {
    if (key == name) {
      return value;
    }
  }
  return {};
}

const std::vector<json>& virtual_run::written(connection_id to) const {
  return bridge->written[to];
}

json virtual_run::welcome() const {
  for (const json& each : bridge->written[connection]) {
    if (each.contains("ok")) {
      return each;
    }
  }
  return {};
}

std::vector<json> virtual_run::directives(connection_id to, const std::string& type) const {
  std::vector<json> found;
  for (const json& each : bridge->written[to]) {
    if (each.value("type", "") == type) {
      found.push_back(each);
    }
  }
  return found;
}

std::vector<std::string> virtual_run::continuations() const {
  std::vector<std::string> texts;
  for (const auto& [id, frames] : bridge->written) {
    for (const json& each : frames) {
      if (each.value("type", "") == "send") {
        texts.push_back(each["text"]);
      } else if (each.contains("send")) {
        texts.push_back(each["send"]["text"]);
      }
    }
  }
  return texts;
}

json virtual_run::file(const std::string& name) const {
  std::ifstream in{folder / "run" / name};
  return json::parse(in, nullptr, false);
}

std::string virtual_run::events() const {
  std::ifstream in{folder / "run" / "events.jsonl"};
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

} // namespace resilient::test
