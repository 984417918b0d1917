#include "core/support/text.hpp"
#include "tests/core/goal/goal_host.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace resilient;
using namespace resilient::goal;
using namespace resilient::goal::test;

namespace {

struct bounded_host : host {
  explicit bounded_host(const guards& limits) {
    send(guards_known{limits, {}});
    open();
    pass(2s);
    type("build the thing");
    REQUIRE(sent() == 1);
  }

  outcome spend(int turns, std::int64_t tokens = 0, double cost = 0) {
    send(run_started{});
    boundary settled;
    settled.stop = "stop";
    settled.tool_calls = 1;
    settled.turns = turns;
    settled.input_tokens = tokens;
    settled.cost = cost;
    return send(settled);
  }
};

guards turns(std::int64_t most) {
  guards limits;
  limits.max_turns = most;
  return limits;
}

guards hours(double most) {
  guards limits;
  limits.max_hours = most;
  return limits;
}

guards tokens(std::int64_t most) {
  guards limits;
  limits.max_tokens = most;
  return limits;
}

guards cost(double most) {
  guards limits;
  limits.max_cost = most;
  return limits;
}

guards checked(const std::string& command) {
  guards limits;
  limits.check = command;
  return limits;
}

const nlohmann::json complete_it{{"status", "complete"}};

} // namespace

TEST_CASE("each budget has a paused state of its own, and /goal extend grants as much again") {
  struct row {
    guards limits;
    const char* reason;
    int turns;
    std::int64_t tokens;
    double cost;
    std::chrono::nanoseconds time;
  };
  const row rows[] = {{turns(2), "budget_turns", 1, 0, 0, 0s},
                      {tokens(200), "budget_tokens", 1, 100, 0, 0s},
                      {cost(2), "budget_cost", 1, 0, 1, 0s},
                      {hours(2), "budget_hours", 1, 0, 0, 1h}};
  for (const row& row : rows) {
    CAPTURE(row.reason);
    bounded_host pi{row.limits};
    const auto run = [&] {
      pi.send(run_started{});
      pi.pass(row.time);
      pi.spend(row.turns, row.tokens, row.cost);
    };
    run();
    CHECK(pi.sent() == 2);
    run();
    CHECK(pi.sent() == 2);
    CHECK(pi.footer == std::string{"goal paused ("} + row.reason + ")");
    CHECK(pi.events.back()["event"] == "paused");
    CHECK(pi.events.back()["reason"] == row.reason);
    CHECK(pi.type("").find("Budget: ") != std::string::npos);
    pi.pass(5h);
    CHECK(pi.sent() == 2);

    CHECK(pi.type("resume").find("/goal extend") != std::string::npos);
    CHECK(pi.sent() == 2);
    CHECK(pi.type("extend").find("active again") != std::string::npos);
    CHECK(pi.sent() == 3);
    run();
    CHECK(pi.sent() == 4);
    run();
    CHECK(pi.sent() == 4);
    CHECK(pi.machine.goal().pause_reason == row.reason);
  }
}

TEST_CASE("the time that a goal was active is told as it is, also while a run goes on") {
  bounded_host pi{hours(2)};
  pi.send(run_started{});
  pi.pass(90min);
  // Asked from outside: nothing has happened since the run began.
  CHECK(pi.machine.describe(pi.now).find("Active for 1 h 30 min") != std::string::npos);
  CHECK(pi.machine.describe(pi.now).find("1.50 of 2.00 hours") != std::string::npos);
  CHECK(pi.machine.goal_at(pi.now).active == 90min);
  CHECK(pi.type("status").find("Active for 1 h 30 min") != std::string::npos);
  pi.type("pause");
  pi.pass(1h);
  CHECK(pi.machine.describe(pi.now).find("Active for 1 h 30 min") != std::string::npos);
}

TEST_CASE("people and their commands are told a cost without the noise of adding") {
  bounded_host pi{cost(0.001)};
  for (int run = 0; run < 3; ++run) {
    pi.spend(1, 0, 0.00014);
  }
  CHECK(pi.machine.goal().cost != 0.00042);
  CHECK(pi.type("status").find("cost 0.00042, since") != std::string::npos);
  CHECK(pi.type("status").find("Budget: cost 0.00042 of 0.001") != std::string::npos);
  pi.type("pause");
  CHECK(pi.events.back()["cost"].dump() == "0.00042");
}

TEST_CASE("/goal refuses an option that it does not have, and says where budgets are set") {
  host pi;
  pi.open();
  for (const char* typed : {"--max-cost 1e999 -- build it", "--max-turns=-1 -- build it",
                            "--max-hours nan", "--max-tokens"}) {
    CAPTURE(std::string{typed});
    const std::string said = pi.type(typed);
    CHECK(said.find("/goal has no option --max-") == 0);
    CHECK(said.find(", only --check. ") != std::string::npos);
    CHECK(said.find("Budgets are given to pi-resilient as --max-turns") != std::string::npos);
    CHECK(pi.machine.goal().state == phase::none);
  }
  CHECK(pi.type("--verbose x").find("Budgets") == std::string::npos);
  CHECK(pi.sent() == 0);
}

TEST_CASE("without budgets nothing is bounded and nothing can be extended") {
  active_host pi;
  boundary settled;
  settled.stop = "stop";
  settled.tool_calls = 1;
  settled.turns = 100'000;
  settled.input_tokens = 1'000'000'000;
  settled.cost = 1e6;
  pi.send(run_started{});
  pi.send(settled);
  CHECK(pi.sent() == 2);
  CHECK(pi.type("extend").find("No budget is set") != std::string::npos);
}

TEST_CASE("two budgets that end at once make one pause that names both, and one extend for both") {
  guards limits = turns(2);
  limits.max_tokens = 200;
  bounded_host pi{limits};
  pi.spend(1, 100);
  pi.spend(1, 100);
  CHECK(pi.footer == "goal paused (budget_turns)");
  CHECK(pi.told() == "paused");
  CHECK(pi.notices.find("turns and tokens") != std::string::npos);
  pi.type("extend");
  CHECK(pi.sent() == 3);
  pi.spend(1, 100);
  CHECK(pi.sent() == 4);
}

TEST_CASE("a budget of hours ends a wait, but does not cut off a run") {
  bounded_host pi{hours(1)};
  pi.fail_with("429: {\"type\":\"usage_limit_reached\",\"resets_at\":"
               + std::to_string((origin.wall + 3h).time_since_epoch().count() / 1000) + "}");
  pi.pass(1h);
  CHECK(pi.footer == "goal paused (budget_hours)");

  bounded_host other{hours(1)};
  other.send(run_started{});
  other.pass(3h);
  CHECK(other.machine.goal().state == phase::active);
  other.spend(1);
  CHECK(other.footer == "goal paused (budget_hours)");
}

TEST_CASE("paused time is no active time, and what was spent survives in the session entry") {
  bounded_host pi{hours(2)};
  pi.send(run_started{});
  pi.pass(1h);
  pi.type("pause");
  pi.spend(1);
  pi.now = pi.now.after(50h);
  pi.type("resume");
  CHECK(pi.machine.goal().state == phase::active);
  CHECK(pi.machine.goal().active < 61min);

  host next;
  next.now = pi.now.after(20h);
  next.entry = pi.entry;
  next.send(guards_known{hours(2), {}});
  next.open();
  next.pass(2s);
  CHECK(next.sent() == 1);
  next.send(run_started{});
  next.pass(1h);
  next.answer();
  CHECK(next.footer == "goal paused (budget_hours)");
}

TEST_CASE("an extension survives in the session entry") {
  bounded_host pi{turns(1)};
  pi.spend(1);
  pi.type("extend");
  host next;
  next.entry = pi.entry;
  next.send(guards_known{turns(1), {}});
  next.open();
  next.pass(2s);
  CHECK(next.sent() == 1);
  next.answer();
  CHECK(next.footer == "goal paused (budget_turns)");
}

TEST_CASE("what the command line says goes before the settings") {
  guards line = turns(5);
  line.check = "make";
  guards settings = turns(7);
  settings.max_cost = 3;
  settings.check = "npm test";
  settings.on_event = "notify";
  const guards both = laid_over(line, settings);
  CHECK(both.max_turns == 5);
  CHECK(both.max_cost == 3);
  CHECK(both.check == "make");
  CHECK(both.on_event == "notify");
}

TEST_CASE("a typed goal may bring a check") {
  struct row {
    const char* typed;
    const char* objective;
    const char* check;
  };
  const row rows[] = {
      {"--check 'npm test' -- build it", "build it", "npm test"},
      {"--check \"echo \\\"a\\\" -- b\" -- build it", "build it", "echo \"a\" -- b"},
      {"--check npm test -- build it", "build it", "npm test"},
      {"--check='make' -- a -- b", "a -- b", "make"},
      {"-- --odd goal", "--odd goal", ""},
      {"--check 'make'\n--\nbuild it\nwell", "build it\nwell", "make"},
      {"--check make\n-- build it", "build it", "make"},
      {"--\n--odd goal", "--odd goal", ""},
      {"a goal with --check in it", "a goal with --check in it", ""},
  };
  for (const row& row : rows) {
    CAPTURE(row.typed);
    host pi;
    pi.open();
    pi.type(row.typed);
    CHECK(pi.machine.goal().objective == row.objective);
    CHECK(pi.machine.goal().check == row.check);
  }
  for (const char* wrong : {"--check", "--check npm test", "--check 'x -- y", "--check '' -- y",
                            "--check 'x' y", "--check 'x' --  ", "--chek 'x' -- y"}) {
    CAPTURE(wrong);
    host pi;
    pi.open();
    CHECK(pi.type(wrong).find("/goal --check 'COMMAND' -- TEXT") != std::string::npos);
    CHECK(pi.machine.goal().state == phase::none);
  }
}

TEST_CASE("a completion counts once its check passes; until then the agent is not continued") {
  bounded_host pi{checked("make test")};
  pi.send(run_started{});
  CHECK(pi.tool("update_goal", complete_it).find("make test") != std::string::npos);
  REQUIRE(pi.checks.size() == 1);
  CHECK(pi.checks[0].command == "make test");
  CHECK(pi.checks[0].folder == "/project");
  CHECK(pi.tool("update_goal", complete_it).find("still runs") != std::string::npos);
  CHECK(pi.checks.size() == 1);
  pi.answer();
  pi.pass(10min);
  CHECK(pi.sent() == 1);
  CHECK(pi.machine.goal().state == phase::active);
  CHECK(pi.type("").find("runs since") != std::string::npos);
  pi.finish_check(true, "exit 0");
  CHECK(pi.footer == "goal complete");
  CHECK(pi.told() == "complete");
  CHECK(pi.sent() == 1);
}

TEST_CASE("what a failed check wrote goes back to the agent, and the third failure pauses") {
  bounded_host pi{checked("make test")};
  for (int round = 1; round <= 3; ++round) {
    pi.send(run_started{});
    pi.tool("update_goal", complete_it);
    pi.answer();
    CHECK(pi.sent() == static_cast<std::size_t>(round));
    pi.finish_check(false, "exit 2",
                    std::string(9000, 'x') + "\nlast line " + std::to_string(round));
    if (round < 3) {
      REQUIRE(pi.sent() == static_cast<std::size_t>(round) + 1);
      const std::string& text = pi.continuations.back().text;
      CHECK(text.find("exit 2") != std::string::npos);
      CHECK(text.find("last line " + std::to_string(round)) != std::string::npos);
      CHECK(text.find("xxx") == std::string::npos);
    }
  }
  CHECK(pi.footer == "goal paused (check)");
  CHECK(pi.told() == "paused");
  pi.type("resume");
  REQUIRE(pi.sent() == 4);
  CHECK(pi.continuations.back().text.find("last line 3") != std::string::npos);
  pi.answer();
  CHECK(pi.continuations.back().text.find("last line 3") == std::string::npos);
}

TEST_CASE("a check that failed while the agent still worked is told in the next continuation") {
  bounded_host pi{checked("make test")};
  pi.send(run_started{});
  pi.tool("update_goal", complete_it);
  pi.finish_check(false, "exit 2", "broken");
  CHECK(pi.sent() == 1);
  pi.answer();
  REQUIRE(pi.sent() == 2);
  CHECK(pi.continuations.back().text.find("broken") != std::string::npos);
}

TEST_CASE("a check says nothing about a goal that was changed meanwhile") {
  for (const char* typed : {"pause", "clear", "edit -- another thing", "a new goal"}) {
    CAPTURE(typed);
    bounded_host pi{checked("make test")};
    pi.send(run_started{});
    pi.tool("update_goal", complete_it);
    pi.type(typed);
    const phase before = pi.machine.goal().state;
    pi.finish_check(true, "exit 0");
    CHECK(pi.machine.goal().state == before);
  }
}

TEST_CASE("no goal hangs on a check that is never heard of again") {
  bounded_host pi{checked("make test")};
  pi.send(run_started{});
  pi.tool("update_goal", complete_it);
  pi.answer();
  pi.pass(32min);
  CHECK(pi.sent() == 2);
  CHECK(pi.continuations.back().text.find("nothing was heard") != std::string::npos);
}

TEST_CASE("what a check found while no Pi was there is stored by the next one") {
  bounded_host pi{checked("make test")};
  pi.send(run_started{});
  pi.tool("update_goal", complete_it);
  const auto stored = pi.entry;
  pi.send(detached{});
  pi.finish_check(true, "exit 0");
  pi.entry = stored;
  pi.open();
  pi.pass(1min);
  CHECK(pi.footer == "goal complete");
  CHECK((*pi.entry)["state"] == "complete");
  CHECK(pi.sent() == 1);
}

TEST_CASE("a person needs no check, and no tool can set one") {
  bounded_host pi{checked("make test")};
  pi.type("complete");
  CHECK(pi.checks.empty());
  CHECK(pi.footer == "goal complete");

  host other;
  other.open();
  other.tool("create_goal", {{"objective", "x"}, {"check", "rm -rf /"}, {"max_turns", 9}});
  other.tool("update_goal", complete_it);
  CHECK(other.checks.empty());
}

TEST_CASE("print mode is kept open while a check runs and released when it passes") {
  host pi{host_mode::print};
  pi.send(guards_known{checked("make test"), {}});
  pi.open();
  pi.type("build the thing");
  pi.send(run_started{});
  pi.tool("update_goal", complete_it);
  const outcome out = pi.answer();
  REQUIRE(std::holds_alternative<keep_open>(out.at_boundary));
  CHECK(std::get<keep_open>(out.at_boundary).length >= 30min);
  pi.finish_check(true, "exit 0");
  CHECK(pi.releases == 1);
}

TEST_CASE("people hear of a limit once, with its instant, and when it moves or is over") {
  active_host pi;
  const auto refuse = [&](std::chrono::hours ahead) {
    const auto at =
        std::chrono::duration_cast<std::chrono::seconds>((origin.wall + ahead).time_since_epoch());
    pi.fail_with(
        "429: {\"type\":\"usage_limit_reached\",\"resets_at\":" + std::to_string(at.count()) + "}");
  };
  refuse(3h);
  CHECK(pi.told() == "limited");
  CHECK(starts_with(pi.events.back()["until"].get<std::string>(), "2026-11-30T15:00:"));
  pi.type("resume");
  refuse(3h);
  CHECK(pi.told() == "limited");
  pi.pass(3h + 1min);
  refuse(5h);
  CHECK(pi.told() == "limited limited");
  CHECK(starts_with(pi.events.back()["until"].get<std::string>(), "2026-11-30T17:00:"));
  pi.pass(3h);
  pi.answer();
  CHECK(pi.told() == "limited limited resumed");

  active_host probing;
  probing.fail_with("429: {\"type\":\"insufficient_quota\"}");
  CHECK(probing.events.back()["until"].is_null());
  probing.pass(15min + 1s);
  probing.fail_with("429: {\"type\":\"insufficient_quota\"}");
  CHECK(probing.told() == "limited");
}

TEST_CASE("people hear what a person or the agent did, and of the run") {
  active_host pi;
  pi.type("pause");
  pi.type("resume");
  for (int round = 1; round <= 3; ++round) {
    pi.send(run_started{});
    pi.tool("update_goal", {{"status", "blocked"}, {"reason", "no key"}});
    pi.answer();
  }
  CHECK(pi.events.back()["detail"].get<std::string>().find("no key") != std::string::npos);
  pi.send(run_changed{"restarted", "killed by SIGKILL"});
  pi.send(run_changed{"crash_loop", "failed"});
  pi.type("complete");
  CHECK(pi.told() == "paused resumed blocked restarted crash_loop complete");
  CHECK(pi.events.back()["goal"] == "build the thing");
  CHECK(pi.events.back()["folder"] == "/project");
}

TEST_CASE("a run that shall start paused pauses the goal that it finds, once") {
  active_host before;
  host pi;
  scheduler_options options;
  options.start_paused = true;
  pi.machine = scheduler{options, 7};
  pi.entry = before.entry;
  pi.open();
  pi.pass(1min);
  CHECK(pi.sent() == 0);
  CHECK(pi.footer == "goal paused (user)");
  pi.type("resume");
  CHECK(pi.sent() == 1);
  pi.open();
  pi.pass(1min);
  CHECK(pi.machine.goal().state == phase::active);
}

TEST_CASE("Enter at the waiting line probes in the Pi that starts then") {
  active_host pi;
  pi.fail_with("429: {\"type\":\"insufficient_quota\"}");
  const auto stored = pi.entry;
  pi.send(detached{});
  pi.send(probe_now{});
  pi.entry = stored;
  pi.open();
  pi.pass(2s);
  CHECK(pi.sent() == 2);
}

TEST_CASE("/goal edit keeps what was spent and the check") {
  bounded_host pi{turns(10)};
  pi.spend(3, 50, 0.5);
  pi.type("edit -- build another thing");
  CHECK(pi.machine.goal().objective == "build another thing");
  CHECK(pi.machine.goal().turns == 3);
  CHECK(pi.machine.goal().input_tokens == 50);
  pi.spend(1);
  CHECK(pi.continuations.back().text.find("another thing") != std::string::npos);
}

TEST_CASE("/goal edit without a text changes nothing, and takes a text on a line of its own") {
  active_host pi;
  for (const char* typed : {"edit", "edit --", "edit  -- "}) {
    CAPTURE(typed);
    CHECK(pi.type(typed).find("/goal edit -- TEXT") != std::string::npos);
    CHECK(pi.machine.goal().objective == "build the thing");
  }
  pi.type("edit --\nbuild it\nwell");
  CHECK(pi.machine.goal().objective == "build it\nwell");
  pi.type("editor of the house");
  CHECK(pi.machine.goal().objective == "editor of the house");
  CHECK(pi.type("edit --x").find("It replaces") != std::string::npos);
}

TEST_CASE("/goal help names every command, /goal status shows the goal; neither declares one") {
  host none;
  none.open();
  for (const char* word :
       {"--check", "pause", "resume", "edit --", "extend", "complete", "clear"}) {
    CAPTURE(word);
    CHECK(none.type("help").find(word) != std::string::npos);
  }
  CHECK(none.type("status").find("No goal") != std::string::npos);
  CHECK(none.machine.goal().state == phase::none);
  active_host pi;
  CHECK(pi.type("status") == pi.type(""));
  CHECK(pi.machine.goal().objective == "build the thing");
}

TEST_CASE("a goal that is over is not ended twice, and a pause keeps its reason") {
  active_host pi;
  pi.type("complete");
  pi.type("complete");
  CHECK(pi.type("pause").find("complete already") != std::string::npos);
  CHECK(pi.footer == "goal complete");
  CHECK(pi.told() == "complete");

  bounded_host other{turns(1)};
  other.spend(1);
  other.type("pause");
  CHECK(other.footer == "goal paused (budget_turns)");
  CHECK(other.told() == "paused");
  CHECK(other.type("extend").find("active again") != std::string::npos);
}

TEST_CASE("the run in which a goal ends counts, runs after it do not") {
  for (const bool by_agent : {true, false}) {
    CAPTURE(by_agent);
    bounded_host pi{tokens(1'000'000)};
    pi.send(run_started{});
    if (by_agent) {
      pi.tool("update_goal", complete_it);
    } else {
      pi.type("pause");
    }
    boundary settled;
    settled.stop = "stop";
    settled.turns = 4;
    settled.input_tokens = 70;
    pi.send(settled);
    CHECK(pi.machine.goal().turns == 4);
    CHECK((*pi.entry)["input_tokens"] == 70);
    pi.spend(5, 100);
    CHECK(pi.machine.goal().turns == 4);
  }
  bounded_host pi{tokens(1'000'000)};
  pi.type("clear");
  pi.spend(5, 100);
  CHECK(pi.machine.goal().turns == 0);
}

TEST_CASE("a check of one goal holds up no other") {
  bounded_host pi{checked("make test")};
  const auto first = pi.entry;
  pi.type("another goal");
  const auto second = pi.entry;
  pi.send(branch_changed{first});
  pi.send(run_started{});
  pi.tool("update_goal", complete_it);
  pi.answer();
  const auto before = pi.sent();
  pi.send(branch_changed{second});
  CHECK(pi.sent() == before + 1);
  CHECK(pi.footer == "goal active");
  pi.finish_check(true, "exit 0");
  CHECK(pi.machine.goal().state == phase::active);
}

TEST_CASE("a limit of one goal is none of the next one, and its end is told by a later process") {
  active_host pi;
  const std::string refusal = "429: {\"type\":\"insufficient_quota\"}";
  pi.fail_with(refusal);
  const auto stored = pi.entry;
  pi.type("another goal");
  pi.answer();
  CHECK(pi.told() == "limited");
  pi.fail_with(refusal);
  CHECK(pi.told() == "limited limited");

  host next;
  next.entry = stored;
  next.open();
  next.pass(16min);
  next.fail_with(refusal);
  CHECK(next.told().empty());
  next.pass(16min);
  next.answer();
  CHECK(next.told() == "resumed");
}
