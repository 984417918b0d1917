#include "tests/actors/virtual_run.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <typeindex>

using namespace resilient;
using namespace resilient::test;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

/// A life with a goal, a failure, a death and a stop; touches every message of every actor.
void live_through(virtual_run& run) {
  if (!run.begin()) {
    return;
  }
  run.execute(4711);
  run.connect();
  const auto command = [&](const char* name, const char* arguments, int id) {
    run.send(run.connection,
             {{"type", "command"}, {"id", id}, {"name", name}, {"args", arguments}});
  };
  command("goal", "build it", 2);
  run.advance(10s);
  run.connect();
  command("goal", "build it", 3);
  run.send(run.connection, {{"type", "agent_start"}});
  run.send(run.connection, {{"type", "boundary"},
                            {"id", 4},
                            {"at", "settled"},
                            {"stop", "error"},
                            {"error", "503: overloaded"}});
  run.live(30s);
  run.advance(40s);
  run.end(process::signaled{SIGKILL});
  run.advance(10min);
  if (run.child->spawns.size() > 1) {
    run.execute(4712);
    run.connect();
    run.live(1min);
  }
}

std::set<std::pair<std::string, std::type_index>> all_handled() {
  std::set<std::pair<std::string, std::type_index>> seen;
  virtual_run run;
  run.before_message = [&](const char* actor, const std::type_info& message) {
    seen.emplace(actor, message);
  };
  live_through(run);
  return seen;
}

} // namespace

TEST_CASE("an actor that throws once at any message does not stop the run") {
  const auto handled = all_handled();
  CHECK(handled.size() > 15);
  for (const auto& each_handled : handled) {
    const std::string& actor = each_handled.first;
    const std::type_index message = each_handled.second;
    CAPTURE(actor);
    CAPTURE(message.name());
    virtual_run run;
    bool thrown = false;
    run.before_message = [&, wanted_actor = actor, wanted = message](const char* each,
                                                                     const std::type_info& type) {
      if (!thrown && wanted_actor == each && wanted == std::type_index{type}) {
        thrown = true;
        throw std::runtime_error{"planted"};
      }
    };
    live_through(run);
    CHECK(thrown);
    // Either the run goes on, or it ended and said why. It never hangs.
    if (run.ended()) {
      CHECK_FALSE(run.child->said.empty());
    } else {
      CHECK_FALSE(run.child->spawns.empty());
    }
  }
}

TEST_CASE("an actor that throws all the time ends the run cleanly with the reason") {
  virtual_run run;
  bool broken = false;
  run.before_message = [&](const char* actor, const std::type_info& type) {
    if (broken && std::string{actor} == "goal_scheduler" && type == typeid(message::goal_event)) {
      throw std::runtime_error{"planted"};
    }
  };
  run.start();
  run.connect();
  broken = true;
  for (int tries = 0; tries < 12; ++tries) {
    run.send(run.connection, {{"type", "agent_start"}});
  }
  REQUIRE_FALSE(run.child->signals.empty());
  CHECK(run.child->said.find("goal_scheduler failed") != std::string::npos);
  run.end(process::exited{0});
  CHECK(run.child->exit_codes == std::vector<int>{70});
}

TEST_CASE("failures that are far apart end nothing") {
  virtual_run run;
  run.before_message = [&](const char* actor, const std::type_info& type) {
    if (std::string{actor} == "goal_scheduler" && type == typeid(message::goal_event)) {
      throw std::runtime_error{"planted"};
    }
  };
  run.start();
  run.connect();
  for (int tries = 0; tries < 30; ++tries) {
    run.send(run.connection, {{"type", "agent_start"}});
    run.live(10s);
  }
  CHECK(run.child->signals.empty());
}

TEST_CASE("an actor that is gone for good ends the run with the reason") {
  virtual_run run;
  run.start();
  run.connect();
  caf::anon_send_exit(run.peers->goal_scheduler, caf::exit_reason::kill);
  run.settle();
  CHECK(run.child->said.find("goal_scheduler ended") != std::string::npos);
  REQUIRE_FALSE(run.child->signals.empty());
  run.end(process::exited{0});
  CHECK(run.child->exit_codes == std::vector<int>{70});
}

TEST_CASE("status gathers a part of every actor, also when one does not answer") {
  virtual_run run;
  run.start();
  run.connect();
  cafx::tell(run.peers->supervisor, message::control_line{99, "{\"request\":\"status\"}"});
  run.settle();
  REQUIRE(run.written(99).size() == 1);
  for (const char* part : {"supervisor", "heartbeat", "session", "goal", "settings", "recorder"}) {
    CAPTURE(part);
    CHECK(run.written(99)[0].contains(part));
  }
  CHECK(run.bridge->closed.back() == 99);

  cafx::tell(run.peers->supervisor, message::control_line{98, "{\"request\":\"stop\"}"});
  run.settle();
  CHECK(run.written(98)[0]["ok"] == true);
  CHECK(run.child->signals.size() == 1);

  cafx::tell(run.peers->supervisor, message::control_line{97, "nonsense"});
  run.settle();
  CHECK(run.written(97)[0]["ok"] == false);
}

TEST_CASE("a run folder that is gone is told to a person, now and then") {
  virtual_run run;
  run.start();
  run.connect();
  std::filesystem::remove_all(run.folder);
  int asked = 100;
  const auto declare = [&](const char* objective) {
    run.send(run.connection,
             {{"type", "command"}, {"id", ++asked}, {"name", "goal"}, {"args", objective}});
  };
  const auto told = [&] {
    std::size_t count = 0;
    for (const auto& each : run.directives(run.connection, "notify")) {
      count += each["text"].get<std::string>().find("cannot write") != std::string::npos ? 1 : 0;
    }
    return count;
  };
  declare("build it");
  CHECK(told() == 1);
  declare("build something else");
  CHECK(told() == 1);
  run.live(11min);
  declare("build a third thing");
  CHECK(told() == 2);
}
