#include "tests/actors/virtual_run.hpp"

#include <doctest/doctest.h>

#include <csignal>

using namespace resilient;
using namespace resilient::test;
using namespace std::chrono_literals;
using nlohmann::json;
using process::exited;
using process::signaled;

namespace {

struct goal_run : virtual_run {
  explicit goal_run(process::run_mode mode = process::run_mode::rpc, bool supervised = true)
      : virtual_run{mode, supervised} {
    start();
    connect();
    send(connection, {{"type", "command"}, {"id", 2}, {"name", "goal"}, {"args", "build it"}});
  }

  std::vector<json> answer(const json& changes = json::object()) {
    send(connection, {{"type", "agent_start"}});
    json frame{{"type", "boundary"}, {"id", ++id}, {"at", "settled"}, {"stop", "stop"},
               {"tool_calls", 1},    {"turns", 1}, {"idle", true},    {"pending", false}};
    frame.update(changes);
    return send(connection, frame);
  }

  /// The goal entry that the extension stored last, as the next hello brings it.
  [[nodiscard]] json entries() const {
    json last;
    for (const auto& [from, frames] : bridge->written) {
      for (const json& each : frames) {
        if (each.value("type", "") == "append") {
          last = each["data"];
        }
      }
    }
    return {{"resilient-goal", last}};
  }

  std::int64_t id = 100;
};

} // namespace

TEST_CASE("a goal is continued by the reply to every boundary until the tool ends it") {
  goal_run run;
  REQUIRE(run.continuations().size() == 1);
  for (std::size_t turn = 2; turn <= 5; ++turn) {
    const auto frames = run.answer();
    REQUIRE(frames.back().contains("send"));
    CHECK(frames.front()["type"] == "append");
  }
  run.send(run.connection, {{"type", "agent_start"}});
  const auto ended = run.send(run.connection, {{"type", "tool"},
                                               {"id", 50},
                                               {"tool", "update_goal"},
                                               {"params", {{"status", "complete"}}}});
  CHECK(ended.back()["is_error"] == false);
  CHECK_FALSE(run.answer().back().contains("send"));
  CHECK(run.continuations().size() == 5);
}

TEST_CASE("a continuation names the last command on the goal that it was decided after") {
  goal_run run;
  const json begun = run.directives(run.connection, "send").at(0);
  CHECK(begun["after"] == 2);
  CHECK(run.answer().back()["send"]["after"] == 2);
  run.send(run.connection, {{"type", "command"}, {"id", 70}, {"name", "canon"}, {"args", ""}});
  CHECK(run.answer().back()["send"]["after"] == 2);
  run.send(run.connection,
           {{"type", "command"}, {"id", 71}, {"name", "goal"}, {"args", "edit -- build that"}});
  CHECK(run.answer().back()["send"]["after"] == 71);
}

TEST_CASE("a continuation that the extension dropped comes again with what the goal is now") {
  goal_run run;
  const std::string token = run.answer().back()["send"]["token"];
  run.send(run.connection,
           {{"type", "command"}, {"id", 71}, {"name", "goal"}, {"args", "edit -- build that"}});
  run.send(run.connection, {{"type", "directive_result"},
                            {"token", token},
                            {"ok", false},
                            {"error", "a command came in between"}});
  run.live(1min);
  REQUIRE(run.continuations().size() == 3);
  CHECK(run.continuations().back().find("build that") != std::string::npos);
}

TEST_CASE("a goal survives the death of Pi: one continuation, after the hello, that says why") {
  goal_run run;
  run.live(11s);
  run.end(signaled{SIGKILL});
  REQUIRE(run.child->spawns.size() == 2);
  run.execute(4712);
  const auto before = run.continuations().size();
  run.connect({{"entries", run.entries()}});
  run.advance(2s);
  REQUIRE(run.continuations().size() == before + 1);
  const auto texts = run.continuations();
  CHECK(texts.back().find("killed by SIGKILL") != std::string::npos);
  run.send(run.connection, {{"type", "agent_start"}});
  run.live(1min);
  CHECK(run.continuations().size() == before + 1);
}

TEST_CASE("Pi dies during a usage limit: it is not started before the provider's reset") {
  goal_run run;
  run.live(11s);
  const auto reset = std::chrono::duration_cast<std::chrono::seconds>(
                         (run.time->now_.wall + 3h).time_since_epoch())
                         .count();
  run.answer({{"stop", "error"},
              {"error",
               fmt::format("429: {{\"type\":\"usage_limit_reached\",\"resets_at\":{}}}", reset)}});
  CHECK(run.file("runtime.json")["wait"]["kind"] == "reset");
  run.end(signaled{SIGKILL});
  CHECK(run.child->spawns.size() == 1);
  CHECK(run.child->waiting_line.find("usage limit") != std::string::npos);
  run.advance(3h);
  CHECK(run.child->spawns.size() == 1);
  run.advance(1min);
  CHECK(run.child->spawns.size() == 2);
}

TEST_CASE("Enter at the waiting line starts Pi, which probes at once") {
  goal_run run;
  run.live(11s);
  run.answer({{"stop", "error"}, {"error", "429: insufficient_quota"}});
  run.end(signaled{SIGKILL});
  REQUIRE(run.child->spawns.size() == 1);
  cafx::tell(run.peers->child_process_manager, message::enter_pressed{});
  run.settle();
  REQUIRE(run.child->spawns.size() == 2);
  run.execute(4712);
  run.connect({{"entries", run.entries()}});
  run.advance(2s);
  CHECK(run.continuations().size() == 2);
  CHECK(run.entries()["resilient-goal"]["wait"].is_null());
}

TEST_CASE("/quit ends the run while a goal is active") {
  goal_run run;
  run.live(11s);
  run.send(run.connection, {{"type", "goodbye"}, {"reason", "quit"}});
  run.end(exited{0});
  CHECK(run.child->exit_codes == std::vector<int>{0});
}

TEST_CASE("/resilient-stop stores the pause before Pi is stopped") {
  goal_run run;
  const auto frames =
      run.send(run.connection, {{"type", "command"}, {"id", 60}, {"name", "resilient-stop"}});
  CHECK(run.child->signals.empty());
  for (const json& each : run.directives(run.connection, "append")) {
    run.send(run.connection, {{"type", "directive_result"}, {"did", each["did"]}, {"ok", true}});
  }
  CHECK(run.child->signals.size() == 1);
  CHECK(run.entries()["resilient-goal"]["state"] == "paused");
  run.end(exited{0});
  CHECK(run.child->exit_codes == std::vector<int>{0});
}

TEST_CASE("our own stop of a busy Pi does not pause its goal") {
  goal_run run;
  run.send(run.connection, {{"type", "agent_start"}});
  cafx::tell(run.peers->child_process_manager, message::signal_received{SIGTERM});
  run.settle();
  run.answer({{"stop", "aborted"}, {"aborted", true}});
  run.send(run.connection, {{"type", "goodbye"}, {"reason", "quit"}});
  run.advance(5s);
  CHECK(run.entries()["resilient-goal"]["state"] == "active");
}

TEST_CASE("print mode with a goal is started again with the goal as its prompt") {
  goal_run run{process::run_mode::print};
  run.connect({{"mode", "print"}, {"entries", run.entries()}});
  run.live(11s);
  run.end(exited{1});
  REQUIRE(run.child->spawns.size() == 2);
  const auto& arguments = run.child->spawns[1].arguments;
  REQUIRE(arguments.size() >= 5);
  CHECK(arguments[4].find("build it") != std::string::npos);
  CHECK(arguments.back() == "m");
}

TEST_CASE("a sidecar serves goals without a child") {
  goal_run run{process::run_mode::rpc, false};
  CHECK(run.welcome()["role"] == "sidecar");
  CHECK(run.continuations().size() == 1);
  CHECK(run.answer().back().contains("send"));
}

namespace {

bool is_free(const goal_run& run) {
  return posix_files{}.lock((run.folder / "session.jsonl.lease").string()).has_value();
}

} // namespace

TEST_CASE("a sidecar holds the lease of the session only while its goal is active") {
  goal_run run{process::run_mode::rpc, false};
  CHECK_FALSE(is_free(run));
  run.send(run.connection, {{"type", "command"}, {"id", 3}, {"name", "goal"}, {"args", "pause"}});
  CHECK(is_free(run));
  run.send(run.connection, {{"type", "command"}, {"id", 4}, {"name", "goal"}, {"args", "pause"}});
  CHECK(is_free(run));
  run.send(run.connection, {{"type", "command"}, {"id", 5}, {"name", "goal"}, {"args", "resume"}});
  CHECK_FALSE(is_free(run));
  SUBCASE("the agent completes it") {
    run.send(run.connection, {{"type", "tool"},
                              {"id", 6},
                              {"tool", "update_goal"},
                              {"params", {{"status", "complete"}}}});
    CHECK(is_free(run));
  }
  SUBCASE("an abort pauses it") {
    run.answer({{"stop", "aborted"}, {"aborted", true}});
    run.advance(5s);
    CHECK(is_free(run));
  }
  SUBCASE("another branch is without it") {
    run.send(run.connection, {{"type", "branch"},
                              {"session", {{"file", (run.folder / "session.jsonl").string()}}},
                              {"entries", json::object()}});
    CHECK(is_free(run));
  }
  SUBCASE("Pi ends") {
    run.send(run.connection, {{"type", "goodbye"}, {"reason", "quit"}});
    CHECK(is_free(run));
  }
}

TEST_CASE("goals are inert beside a launcher that holds the session, and say who") {
  virtual_run launcher;
  launcher.start();
  const std::string held = (launcher.folder / "session.jsonl").string();
  const json session{{"file", held}, {"id", "session-1"}};
  virtual_run run{process::run_mode::rpc, false};
  run.start();
  SUBCASE("that are declared there") {
    run.connect({{"session", session}});
    CHECK(run.welcome()["ok"] == true);
    const auto answers = run.send(
        run.connection, {{"type", "command"}, {"id", 2}, {"name", "goal"}, {"args", "build it"}});
    CHECK(answers.back().dump().find("is in use") != std::string::npos);
    const auto tool = run.send(run.connection, {{"type", "tool"},
                                                {"id", 3},
                                                {"tool", "create_goal"},
                                                {"params", {{"objective", "build it"}}}});
    CHECK(tool.back()["is_error"] == true);
  }
  SUBCASE("that were active there before") {
    goal::record goal;
    goal.objective = "build it";
    goal.state = goal::phase::active;
    run.connect({{"session", session}, {"entries", {{"resilient-goal", goal::to_json(goal)}}}});
    CHECK(run.welcome()["code"] == "lease");
    CHECK(run.welcome()["message"].dump().find("is in use") != std::string::npos);
    const auto shown =
        run.send(run.connection, {{"type", "command"}, {"id", 8}, {"name", "goal"}, {"args", ""}});
    CHECK(shown.back().dump().find("is in use") != std::string::npos);
    run.advance(1min);
    CHECK(run.continuations().empty());
    cafx::tell(launcher.peers->child_process_manager, message::stop_run{"test", 0});
    launcher.settle();
    launcher.end(exited{0});
    run.send(run.connection, {{"type", "heartbeat"}, {"idle", true}, {"pending", false}});
    run.advance(1min);
    CHECK(run.continuations().empty());
    run.send(run.connection,
             {{"type", "command"}, {"id", 9}, {"name", "goal"}, {"args", "resume"}});
    run.advance(5s);
    CHECK(run.continuations().size() == 1);
    return;
  }
  run.advance(1min);
  CHECK(run.continuations().empty());
}

TEST_CASE("an answer that is asked for by a frame that cannot be read is refused, not lost") {
  goal_run run;
  const auto frames = run.send(run.connection, {{"type", "boundary"}, {"id", 5}, {"at", "noon"}});
  REQUIRE(frames.size() == 1);
  CHECK(frames[0]["type"] == "refused");
  CHECK(frames[0]["re"] == 5);
  CHECK(run.answer().back().contains("send"));
}

TEST_CASE("a frame that nests without end is refused, and the run goes on") {
  goal_run run;
  constexpr std::size_t depth = 400'000;
  const std::string deep = std::string(depth, '[') + std::string(depth, ']');
  run.send_line(run.connection,
                R"({"v":1,"type":"tool","id":5,"tool":"canon","params":{"a":)" + deep + "}}");
  CHECK(run.written(run.connection).back()["type"] == "refused");
  CHECK(run.written(run.connection).back()["message"] == "the line nests too deep");
  CHECK(run.answer().back().contains("send"));
}

TEST_CASE("ten lines of garbage end the connection and nothing else") {
  goal_run run;
  for (int line = 0; line < 10; ++line) {
    run.send_line(run.connection, std::string("\xff\0 no json {", 12));
  }
  CHECK(run.bridge->closed == std::vector<connection_id>{run.connection});
  run.connect({{"reason", "resync"}, {"entries", run.entries()}});
  run.advance(2s);
  CHECK(run.continuations().size() == 2);
}

TEST_CASE("no frame before an accepted hello is taken") {
  virtual_run run;
  run.start();
  cafx::tell(run.peers->session, message::connection_opened{9, 0});
  const auto frames =
      run.send(9, {{"type", "command"}, {"id", 1}, {"name", "goal"}, {"args", "steal"}});
  REQUIRE(frames.size() == 1);
  CHECK(frames[0]["type"] == "refused");
}

TEST_CASE("a protocol of another version is told which side to update") {
  virtual_run run;
  run.start();
  const auto connection = run.connect({{"v", 2}});
  REQUIRE(run.written(connection).size() == 1);
  CHECK(run.written(connection)[0]["code"] == "version");
  CHECK(run.written(connection)[0]["message"].get<std::string>().find("update pi-resilient")
        != std::string::npos);
}
