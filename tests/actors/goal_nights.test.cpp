#include "tests/actors/virtual_run.hpp"
#include "tests/core/goal/instants.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <fstream>

using namespace resilient;
using namespace resilient::test;
using namespace std::chrono_literals;
using nlohmann::json;
using process::signaled;

namespace {

wall_time at(const std::string& iso) {
  return goal::test::at(iso);
}

/// A night of one goal, in Berlin unless said otherwise.
struct night : virtual_run {
  explicit night(wall_time begin, const goal::guards& bounds = {}, const json& entry = {})
      : virtual_run{process::run_mode::rpc, true} {
    time->now_.wall = begin;
    options.goal.local_zone = "Europe/Berlin";
    options.goal.bounds = bounds;
    start();
    json hello = json::object();
    if (!entry.is_null()) {
      hello["entries"] = {{"resilient-goal", entry}};
    }
    connect(hello);
    if (entry.is_null()) {
      type("build it");
      REQUIRE(continuations().size() == 1);
      live(11s);
    }
  }

  std::vector<json> type(const std::string& arguments) {
    return send(connection,
                {{"type", "command"}, {"id", ++id}, {"name", "goal"}, {"args", arguments}});
  }

  std::string tool(const std::string& name, json parameters) {
    const auto frames =
        send(connection, {{"type", "tool"}, {"id", ++id}, {"tool", name}, {"params", parameters}});
    REQUIRE_FALSE(frames.empty());
    return frames.back().value("text", "");
  }

  std::vector<json> end_run(const json& changes = json::object()) {
    send(connection, {{"type", "agent_start"}});
    json frame{{"type", "boundary"}, {"id", ++id}, {"at", "settled"}, {"stop", "stop"},
               {"tool_calls", 1},    {"turns", 1}, {"idle", true},    {"pending", false}};
    frame.update(changes);
    return send(connection, frame);
  }

  std::vector<json> refuse(const std::string& error) {
    return end_run({{"stop", "error"}, {"error", error}, {"tool_calls", 0}});
  }

  /// Pi lives, beat by beat, until a continuation is sent; how long that took.
  std::chrono::nanoseconds until_continued(std::chrono::nanoseconds most) {
    const std::size_t before = continuations().size();
    std::chrono::nanoseconds lived{};
    while (continuations().size() == before && lived < most) {
      live(5s);
      lived += 5s;
    }
    return lived;
  }

  [[nodiscard]] json goal_entry() const {
    json last;
    for (const json& each : directives(connection, "append")) {
      last = each["data"];
    }
    return last;
  }

  /// No death was counted, so nothing was taken for a crash.
  [[nodiscard]] bool counted_no_crash() const {
    const json supervisor = file("supervisor.json");
    return supervisor["failures"] == 0 && child->spawns.size() == 1;
  }

  /// What a person's command was given, by the name of the event.
  [[nodiscard]] std::vector<json> told(const std::string& event) const {
    std::vector<json> found;
    for (const auto& each : commands->runs) {
      const json line = json::parse(each.request.input, nullptr, false);
      if (line.is_object() && line["event"] == event) {
        found.push_back(line);
      }
    }
    return found;
  }

  std::int64_t id = 100;
};

const char* resets_at_three =
    "429: {\"error\":{\"type\":\"usage_limit_reached\",\"message\":\"You've "
    "hit your limit · resets 3am (Europe/Berlin)\"}}";

} // namespace

TEST_CASE("a plan that is used up at 23:50 and resets at 03:00 is waited for, also when the clocks "
          "change") {
  struct row {
    const char* what;
    const char* begin;
    const char* reset;
  };
  const row rows[] = {
      {"an ordinary night", "2026-11-30T22:50:00Z", "2026-12-01T02:00:00Z"},
      {"the clocks go back: an hour more", "2026-10-24T21:50:00Z", "2026-10-25T02:00:00Z"},
      {"the clocks go forward: an hour less", "2026-03-28T22:50:00Z", "2026-03-29T01:00:00Z"}};
  for (const row& row : rows) {
    CAPTURE(row.what);
    night run{at(row.begin)};
    run.refuse(resets_at_three);
    REQUIRE(run.goal_entry()["wait"]["kind"] == "reset");
    CHECK(run.file("runtime.json")["wait"]["kind"] == "reset");
    run.until_continued(6h);
    CHECK(run.continuations().size() == 2);
    const auto late = run.time->now_.wall - at(row.reset);
    CHECK(late >= 15s);
    CHECK(late <= 50s);
    CHECK(run.counted_no_crash());
  }
}

TEST_CASE("the machine sleeps for three hours of the wait") {
  SUBCASE("and wakes before the reset: the rest is waited") {
    night run{at("2026-11-30T22:50:00Z")};
    run.refuse(resets_at_three);
    run.sleep(3h);
    CHECK(run.continuations().size() == 1);
    run.until_continued(1h);
    const auto late = run.time->now_.wall - at("2026-12-01T02:00:00Z");
    CHECK(late >= 15s);
    CHECK(late <= 50s);
    CHECK(run.counted_no_crash());
  }
  SUBCASE("and wakes after it: it goes on at once") {
    night run{at("2026-11-30T22:50:00Z")};
    run.refuse(resets_at_three);
    run.live(1h);
    run.sleep(3h);
    CHECK(run.continuations().size() == 2);
    CHECK(run.counted_no_crash());
  }
}

TEST_CASE(
    "the launcher is killed at 01:00, another one goes on with the same session and only waits "
    "for the rest") {
  json entry;
  {
    night before{at("2026-10-24T21:50:00Z")};
    before.refuse(resets_at_three);
    before.live(70min);
    CHECK(before.continuations().size() == 1);
    entry = before.goal_entry();
  }
  night after{at("2026-10-24T23:05:00Z"), {}, entry};
  after.live(1h);
  after.end(signaled{SIGKILL});
  CHECK(after.child->spawns.size() == 1);
  after.advance(5min);
  const std::size_t wakeups = after.wakeups;
  after.advance(109min);
  CHECK(after.wakeups == wakeups);
  CHECK(after.child->spawns.size() == 1);
  CHECK(after.continuations().empty());
  after.advance(2min);
  REQUIRE(after.child->spawns.size() == 2);
  after.execute(4712);
  after.connect({{"entries", {{"resilient-goal", entry}}}});
  after.advance(3s);
  CHECK(after.continuations().size() == 1);
}

TEST_CASE("a provider that answers 529 for two hours is asked ever more slowly, and the goal "
          "goes on") {
  night run{at("2026-11-30T22:00:00Z")};
  const auto begin = run.time->now_.wall;
  int asked = 0;
  std::chrono::nanoseconds longest{};
  while (run.time->now_.wall - begin < 2h) {
    run.refuse("529: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":"
               "\"Overloaded\"}}");
    ++asked;
    longest = std::max(longest, run.until_continued(10min));
  }
  CHECK(longest <= 5min + 5s);
  CHECK(asked >= 2 * 60 / 5);
  CHECK(asked <= 100);
  CHECK(run.counted_no_crash());
  CHECK(run.end_run().back().contains("send"));
  run.refuse("529: overloaded_error");
  CHECK(run.until_continued(10min) <= 10s);
}

TEST_CASE("an agent that never calls a tool slows down for a night and is not paused") {
  night run{at("2026-11-30T20:00:00Z")};
  const auto begin = run.time->now_.wall;
  std::chrono::nanoseconds longest{};
  while (run.time->now_.wall - begin < 10h) {
    run.live(10s);
    if (run.end_run({{"tool_calls", 0}}).back().contains("send")) {
      continue;
    }
    longest = std::max(longest, run.until_continued(1h));
  }
  CHECK(run.continuations().size() > 40);
  CHECK(run.continuations().size() < 60);
  CHECK(longest <= 15min + 5s);
  CHECK(longest >= 15min - 5s);
  CHECK(run.goal_entry()["state"] == "active");
}

TEST_CASE("a reset that moves is waited for anew, and people hear of it once each time") {
  goal::guards bounds;
  bounds.on_event = "notify";
  night run{at("2026-11-30T22:50:00Z"), bounds};
  run.refuse(resets_at_three);
  run.until_continued(6h);
  CHECK(run.continuations().size() == 2);
  run.refuse(
      "429: {\"error\":{\"type\":\"usage_limit_reached\",\"message\":\"You've hit your limit "
      "· resets 5:30am (Europe/Berlin)\"}}");
  run.until_continued(6h);
  CHECK(run.continuations().size() == 3);
  const auto late = run.time->now_.wall - at("2026-12-01T04:30:00Z");
  CHECK(late >= 15s);
  CHECK(late <= 50s);
  run.end_run();
  REQUIRE(run.told("limited").size() == 2);
  CHECK(run.told("limited")[0]["until"].get<std::string>().substr(0, 13) == "2026-12-01T02");
  CHECK(run.told("limited")[1]["until"].get<std::string>().substr(0, 13) == "2026-12-01T04");
  CHECK(run.told("resumed").size() == 1);
  CHECK(run.counted_no_crash());
}

TEST_CASE("two budgets end in the same turn: one pause, one event, one extend") {
  goal::guards bounds;
  bounds.on_event = "notify";
  bounds.max_turns = 3;
  bounds.max_cost = 0.3;
  night run{at("2026-11-30T22:00:00Z"), bounds};
  const json spent{{"usage", {{"input", 10}, {"output", 5}, {"cost", 0.1}}}};
  CHECK(run.end_run(spent).back().contains("send"));
  CHECK(run.end_run(spent).back().contains("send"));
  CHECK_FALSE(run.end_run({{"usage", {{"input", 10}, {"output", 5}, {"cost", 0.11}}}})
                  .back()
                  .contains("send"));
  CHECK(run.goal_entry()["pause_reason"] == "budget_turns");
  REQUIRE(run.told("paused").size() == 1);
  CHECK(run.commands->runs[0].request.command == "notify");
  run.live(8h);
  CHECK(run.continuations().size() == 3);
  run.type("extend");
  CHECK(run.continuations().size() == 4);
  CHECK(run.end_run(spent).back().contains("send"));
}

TEST_CASE("budgets, check and event command may stand in the user's settings, not in a project's") {
  virtual_run run{process::run_mode::rpc, true};
  const auto write = [&](const char* file, const json& content) {
    std::filesystem::create_directories((run.folder / file).parent_path());
    std::ofstream{run.folder / file} << content.dump();
  };
  write("agent/settings.json", {{"resilient", {{"maxTurns", 1}, {"onEvent", "tell-me"}}}});
  write(".pi/settings.json", {{"resilient", {{"maxTurns", 50}, {"check", "rm -rf /"}}}});
  run.start();
  run.connect({{"trusted", true}});
  run.send(run.connection,
           {{"type", "command"}, {"id", 2}, {"name", "goal"}, {"args", "build it"}});
  run.send(run.connection, {{"type", "agent_start"}});
  const auto frames = run.send(run.connection, {{"type", "boundary"},
                                                {"id", 3},
                                                {"at", "settled"},
                                                {"stop", "stop"},
                                                {"tool_calls", 1},
                                                {"turns", 1},
                                                {"idle", true},
                                                {"pending", false}});
  CHECK_FALSE(frames.back().contains("send"));
  REQUIRE(run.commands->runs.size() == 1);
  CHECK(run.commands->runs[0].request.command == "tell-me");
  CHECK(json::parse(run.commands->runs[0].request.input)["reason"] == "budget_turns");
  run.send(
      run.connection,
      {{"type", "tool"}, {"id", 4}, {"tool", "update_goal"}, {"params", {{"status", "complete"}}}});
  CHECK(run.commands->runs.back().request.command == "tell-me");
}

TEST_CASE("a check fails twice and then passes") {
  goal::guards bounds;
  night run{at("2026-11-30T22:00:00Z"), bounds};
  run.type("--check 'make test' -- build it well");
  for (int round = 1; round <= 3; ++round) {
    run.send(run.connection, {{"type", "agent_start"}});
    CHECK(run.tool("update_goal", {{"status", "complete"}}).find("make test") != std::string::npos);
    REQUIRE(run.commands->runs.size() == static_cast<std::size_t>(round));
    const auto& asked = run.commands->runs.back();
    CHECK(asked.request.folder == run.folder.string());
    CHECK_FALSE(run.end_run().back().contains("send"));
    const std::size_t before = run.continuations().size();
    asked.done({round == 3, round == 3 ? "exit 0" : "exit 2", "test 7 failed"});
    run.settle();
    CHECK(run.continuations().size() == before + (round == 3 ? 0 : 1));
  }
  CHECK(run.goal_entry()["state"] == "complete");
  CHECK(run.file("runtime.json")["goal"]["state"] == "complete");
}

TEST_CASE("a command for events that fails is logged and changes nothing") {
  goal::guards bounds;
  bounds.on_event = "notify";
  night run{at("2026-11-30T22:00:00Z"), bounds};
  run.type("pause");
  REQUIRE(run.commands->runs.size() == 1);
  run.commands->runs[0].done({false, "exit 3", "no display"});
  run.settle();
  CHECK(run.events().find("no display") != std::string::npos);
  CHECK(run.goal_entry()["state"] == "paused");
  const std::string said = "The command of --on-event failed for paused (exit 3: no display).";
  CHECK(json(run.type("status")).dump().find(said) != std::string::npos);

  run.type("resume");
  REQUIRE(run.commands->runs.size() == 2);
  run.commands->runs[1].done({true, "exit 0", ""});
  run.settle();
  CHECK(json(run.type("status")).dump().find("--on-event") == std::string::npos);
}

TEST_CASE("people hear of a restart and of a Pi that keeps failing") {
  goal::guards bounds;
  bounds.on_event = "notify";
  night run{at("2026-11-30T22:00:00Z"), bounds};
  run.end(signaled{SIGKILL});
  REQUIRE(run.child->spawns.size() == 2);
  run.execute(4712);
  REQUIRE(run.told("restarted").size() == 1);
  CHECK(run.told("restarted")[0]["detail"] == "killed by SIGKILL");
  for (int failure = 0; failure < 5; ++failure) {
    const auto spawned = run.child->spawns.size();
    run.end(process::exited{1});
    run.advance(2min);
    if (run.child->spawns.size() > spawned) {
      run.execute(4800 + failure);
    }
  }
  CHECK(run.told("crash_loop").size() == 1);
}

TEST_CASE("a run that starts paused sends nothing until it is resumed") {
  json entry;
  {
    night before{at("2026-11-30T22:00:00Z")};
    entry = before.goal_entry();
  }
  virtual_run run{process::run_mode::rpc, true};
  run.options.goal.start_paused = true;
  run.start();
  run.connect({{"entries", {{"resilient-goal", entry}}}});
  run.advance(1h);
  CHECK(run.continuations().empty());
  run.send(run.connection, {{"type", "command"}, {"id", 2}, {"name", "goal"}, {"args", "resume"}});
  CHECK(run.continuations().size() == 1);
}
