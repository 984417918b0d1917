#include "core/process/supervision.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <csignal>
#include <string>

using namespace resilient;
using namespace resilient::process;

namespace {

const instant origin{monotonic_time{1000h}, boot_time{1001h}, wall_time{1800000000000ms}};

/// Drives one run and writes down its effects as words.
struct driver {
  explicit driver(run_mode mode, supervision_limits limits = {}) : run{mode, limits, 42} {}

  std::string send(const event& happened) {
    std::string words;
    for (const effect& each : run.handle(happened, now)) {
      const std::string word = std::visit([this](const auto& one) { return name(one); }, each);
      if (!word.empty()) {
        words += (words.empty() ? "" : ", ") + word;
      }
    }
    return words;
  }

  void pass(std::chrono::nanoseconds length) { now = now.after(length); }

  /// Brings a child up that has beaten.
  void bring_up() {
    if (run.state() == run_state::idle) {
      send(start{});
    }
    const int next = run.generation() + 1;
    REQUIRE(send(prepared{}) == fmt::format("spawn {}", next));
    send(child_started{4711});
    send(first_beat{});
    REQUIRE(run.state() == run_state::running);
  }

  /// Lets the time pass until the alarm of our own, and rings it.
  std::string ring() {
    if (std::holds_alternative<boot_time>(armed_at) && armed_in() > 0s) {
      pass(armed_in());
    }
    return send(alarm_rang{armed_number});
  }
  [[nodiscard]] std::chrono::nanoseconds armed_in() const {
    return std::get<boot_time>(armed_at) - now.boot;
  }

  std::string name(const report_crash_loop&) { return "crash loop"; }
  std::string name(const prepare&) { return "prepare"; }
  std::string name(const spawn& one) { return fmt::format("spawn {}", one.number); }
  std::string name(const send_signal& one) { return signal_name(one.signal_number); }
  std::string name(const arm_alarm& one) {
    armed_number = one.number;
    armed_at = one.at;
    return "";
  }
  std::string name(const disarm_alarm&) { return ""; }
  std::string name(const clean_up_after_child&) { return "clean"; }
  std::string name(const show_waiting& one) {
    waits_for = one.why;
    return one.why.empty() ? "" : "wait";
  }
  std::string name(const say& one) {
    said = one.line;
    return "say";
  }
  std::string name(const show_child_errors&) { return "child errors"; }
  std::string name(const record_death& one) {
    died_of = one.cause;
    return one.expected ? "end" : "death";
  }
  std::string name(const probe_goal&) { return "probe goal"; }
  std::string name(const finish& one) { return fmt::format("finish {}", one.exit_code); }

  supervision run;
  instant now = origin;
  std::uint64_t armed_number = 0;
  std::variant<wall_time, boot_time> armed_at;
  std::string said;
  std::string waits_for;
  std::string died_of;
};

} // namespace

TEST_CASE("what is a normal end of the child, and what is not") {
  struct row {
    const char* what;
    run_mode mode;
    bool beat;
    bool goal;
    bool interrupted;
    exit_status status;
    const char* effects;
  };
  const row rows[] = {
      {"/quit in the terminal", run_mode::terminal, true, true, false, exited{0},
       "clean, end, finish 0"},
      {"a client closes stdin", run_mode::rpc, true, true, false, exited{0},
       "clean, end, finish 0"},
      {"exit 1 in the terminal", run_mode::terminal, true, false, false, exited{1},
       "clean, death, wait"},
      {"exit 1 in rpc", run_mode::rpc, true, true, false, exited{1}, "clean, death, wait"},
      {"143 in rpc: somebody else's SIGTERM", run_mode::rpc, true, false, false, exited{143},
       "clean, death, wait"},
      {"kill -9", run_mode::terminal, true, false, false, signaled{SIGKILL}, "clean, death, wait"},
      {"a wrong flag", run_mode::terminal, false, false, false, exited{1},
       "clean, end, child errors, finish 1"},
      {"kill -9 while starting", run_mode::terminal, false, false, false, signaled{SIGKILL},
       "clean, death, wait"},
      {"print without a goal", run_mode::print, true, false, false, exited{1},
       "clean, end, finish 1"},
      {"print without a goal, kill -9", run_mode::print, true, false, false, signaled{SIGKILL},
       "clean, end, finish 137"},
      {"print with a goal, exit 0", run_mode::print, true, true, false, exited{0},
       "clean, death, wait"},
      {"print with a goal, exit 1", run_mode::print, true, true, false, exited{1},
       "clean, death, wait"},
      {"SIGINT killed both", run_mode::rpc, true, true, true, signaled{SIGINT},
       "clean, end, finish 130"},
      {"any end after a SIGINT", run_mode::terminal, true, true, true, exited{1},
       "clean, end, finish 130"},
  };
  for (const row& row : rows) {
    CAPTURE(row.what);
    driver run{row.mode};
    run.send(start{});
    run.send(prepared{});
    run.send(child_started{4711});
    if (row.beat) {
      run.send(first_beat{});
    }
    run.send(goal_changed{row.goal, {}});
    if (row.interrupted) {
      CHECK(run.send(interrupt{}).empty());
    }
    CHECK(run.send(child_ended{row.status}) == row.effects);
  }
}

TEST_CASE("a healthy child is started again at once, a young one after a delay") {
  driver run{run_mode::terminal};
  run.bring_up();
  run.pass(10s);
  CHECK(run.send(child_ended{signaled{SIGKILL}}) == "clean, death, prepare");
  run.bring_up();
  CHECK(run.run.generation() == 2);
  run.pass(9s);
  CHECK(run.send(child_ended{signaled{SIGKILL}}) == "clean, death, wait");
  CHECK(run.armed_in() <= 1s);
  CHECK(run.ring() == "prepare");
}

TEST_CASE("delays grow within their bounds and start anew after a good run") {
  driver run{run_mode::terminal, {.failures = 50}};
  run.bring_up();
  run.pass(10s);
  REQUIRE(run.send(child_ended{signaled{SIGKILL}}) == "clean, death, prepare");
  std::chrono::nanoseconds longest{};
  for (int failure = 1; failure <= 12; ++failure) {
    run.bring_up();
    REQUIRE(run.send(child_ended{exited{1}}) == "clean, death, wait");
    const auto ceiling = std::min<std::chrono::nanoseconds>(60s, 1s * (1 << (failure - 1)));
    CHECK(run.armed_in() <= ceiling);
    longest = std::max(longest, run.armed_in());
    REQUIRE(run.ring() == "prepare");
  }
  CHECK(longest > 10s);
  run.bring_up();
  run.pass(11s);
  REQUIRE(run.send(child_ended{exited{1}}) == "clean, death, prepare");
  run.bring_up();
  REQUIRE(run.send(child_ended{exited{1}}) == "clean, death, wait");
  CHECK(run.armed_in() <= 1s);
}

TEST_CASE("a run that was never healthy gives up after five failures and shows why") {
  driver run{run_mode::terminal};
  for (int failure = 1; failure <= 4; ++failure) {
    run.bring_up();
    REQUIRE(run.send(child_ended{exited{7}}) == "clean, death, wait");
    REQUIRE(run.ring() == "prepare");
  }
  run.bring_up();
  CHECK(run.send(child_ended{exited{7}})
        == "clean, death, child errors, say, crash loop, finish 100");
  CHECK(run.said == "gave up: Pi failed 5 times in a row, last: exit 7");
}

TEST_CASE("a run that was healthy before probes on every five minutes and says so once") {
  driver run{run_mode::terminal};
  run.bring_up();
  run.pass(1h);
  REQUIRE(run.send(child_ended{signaled{SIGSEGV}}) == "clean, death, prepare");
  for (int failure = 1; failure <= 4; ++failure) {
    run.bring_up();
    REQUIRE(run.send(child_ended{exited{1}}) == "clean, death, wait");
    REQUIRE(run.ring() == "prepare");
  }
  run.bring_up();
  CHECK(run.send(child_ended{exited{1}}) == "clean, death, say, crash loop, wait");
  CHECK(run.armed_in() == 5min);
  REQUIRE(run.ring() == "prepare");
  run.bring_up();
  CHECK(run.send(child_ended{exited{1}}) == "clean, death, wait");
  CHECK(run.armed_in() == 5min);
}

TEST_CASE("a person is told what the child wrote last, the agent is not") {
  driver young{run_mode::terminal};
  young.bring_up();
  REQUIRE(young.send(child_ended{exited{1}, "Error: no"}) == "clean, death, wait");
  CHECK(young.waits_for == "Pi: exit 1, Error: no");
  CHECK(young.died_of == "exit 1");

  driver run{run_mode::terminal, {.failures = 1}};
  run.bring_up();
  CHECK(run.send(child_ended{exited{1}, "Error: no"})
        == "clean, death, child errors, say, crash loop, finish 100");
  CHECK(run.said == "gave up: Pi failed 1 times in a row, last: exit 1, Error: no");

  driver probing{run_mode::terminal, {.failures = 1}};
  probing.bring_up();
  probing.pass(1h);
  REQUIRE(probing.send(child_ended{signaled{SIGSEGV}}) == "clean, death, prepare");
  probing.bring_up();
  CHECK(probing.send(child_ended{exited{1}, "Error: no"}) == "clean, death, say, crash loop, wait");
  CHECK(probing.said
        == "Pi failed 1 times in a row, last: exit 1, Error: no. Trying again every 5 minutes.");
  CHECK(probing.waits_for == "Pi keeps failing: exit 1, Error: no");
}

TEST_CASE("a program that cannot be executed ends the run, but not after it once worked") {
  driver first{run_mode::terminal};
  first.send(start{});
  first.send(prepared{});
  CHECK(first.send(child_failed{"cannot execute /x", false}) == "say, finish 69");

  driver later{run_mode::terminal};
  later.bring_up();
  later.pass(10s);
  REQUIRE(later.send(child_ended{signaled{SIGKILL}}) == "clean, death, prepare");
  later.send(prepared{});
  CHECK(later.send(child_failed{"cannot execute /x", false}) == "death, wait");
}

TEST_CASE("a working folder that is gone ends the run at any start") {
  driver first{run_mode::terminal};
  first.send(start{});
  first.send(prepared{});
  CHECK(first.send(child_failed{"the folder /x is gone", true}) == "say, finish 66");

  driver later{run_mode::terminal};
  later.bring_up();
  later.pass(10s);
  REQUIRE(later.send(child_ended{signaled{SIGKILL}}) == "clean, death, prepare");
  later.send(prepared{});
  CHECK(later.send(child_failed{"the folder /x is gone", true}) == "say, finish 66");
}

TEST_CASE("a frozen child is stopped by the ladder and started again") {
  driver run{run_mode::terminal};
  run.bring_up();
  run.pass(1h);
  CHECK(run.send(child_frozen{"no heartbeat for 30 s"}) == "SIGTERM");
  CHECK(run.armed_in() == 5s);
  CHECK(run.ring() == "SIGTERM");
  CHECK(run.ring() == "SIGCONT");
  CHECK(run.ring() == "SIGKILL");
  CHECK(run.ring() == "SIGKILL");
  // Pi ends with 0 after a SIGTERM in the terminal; this end was ours.
  CHECK(run.send(child_ended{exited{0}}) == "clean, death, prepare");
}

TEST_CASE("SIGTERM to the launcher stops the child and never sends SIGINT") {
  driver run{run_mode::rpc};
  run.bring_up();
  CHECK(run.send(terminate{SIGTERM}) == "SIGTERM");
  CHECK(run.send(terminate{SIGTERM}).empty());
  CHECK(run.ring() == "SIGTERM");
  CHECK(run.send(child_ended{exited{143}}) == "clean, end, finish 143");
  CHECK(run.send(start{}).empty());
}

TEST_CASE("a stop while a frozen child is being stopped ends the run") {
  driver run{run_mode::terminal};
  run.bring_up();
  run.send(child_frozen{"no heartbeat for 30 s"});
  CHECK(run.send(terminate{SIGHUP}).empty());
  CHECK(run.ring() == "SIGTERM");
  CHECK(run.send(child_ended{signaled{SIGKILL}}) == "clean, end, finish 129");
}

TEST_CASE("a stop before the child exists waits for it and then stops it") {
  driver run{run_mode::terminal};
  run.send(start{});
  run.send(prepared{});
  CHECK(run.send(stop_requested{"/resilient-stop", 0}).empty());
  CHECK(run.send(child_started{4711}) == "SIGTERM");
  CHECK(run.send(child_ended{exited{0}}) == "clean, end, finish 0");

  driver failing{run_mode::terminal};
  failing.send(start{});
  failing.send(prepared{});
  failing.send(terminate{SIGTERM});
  CHECK(failing.send(child_failed{"cannot execute", false}) == "finish 143");
}

TEST_CASE("without a child every stop ends the run at once") {
  driver run{run_mode::terminal};
  run.bring_up();
  run.send(child_ended{signaled{SIGKILL}});
  REQUIRE(run.run.state() == run_state::waiting);
  CHECK(run.send(interrupt{}) == "finish 130");

  driver preparing{run_mode::terminal};
  preparing.send(start{});
  CHECK(preparing.send(terminate{SIGTERM}) == "finish 143");
  CHECK(preparing.send(prepared{}).empty());
}

TEST_CASE("a refusal ends the run with its reason") {
  driver run{run_mode::terminal};
  run.send(start{});
  CHECK(run.send(refused{"/s.jsonl.lease is held by pid 7", 75}) == "say, finish 75");
  CHECK(run.said == "/s.jsonl.lease is held by pid 7");
}

TEST_CASE("a child whose session belongs to somebody else is stopped with the reason") {
  driver run{run_mode::terminal};
  run.bring_up();
  CHECK(run.send(evicted{"held by pid 7", 75}) == "say, SIGTERM");
  CHECK(run.send(child_ended{exited{0}}) == "clean, end, finish 75");
}

TEST_CASE("the child is not started before the moment that the goal waits for") {
  driver run{run_mode::terminal};
  run.bring_up();
  run.pass(1min);
  const wall_time reset = run.now.wall + 3h;
  run.send(goal_changed{true, not_before{reset, "usage limit"}});
  CHECK(run.send(child_ended{signaled{SIGKILL}}) == "clean, death, wait");
  CHECK(std::get<wall_time>(run.armed_at) == reset);
  // The wall clock was set back: the alarm rings too early and is armed again.
  CHECK(run.ring().empty());
  run.pass(3h);
  CHECK(run.ring() == "prepare");
}

TEST_CASE("Enter at the waiting line starts now, and lets a waiting goal probe") {
  driver run{run_mode::terminal};
  run.bring_up();
  run.pass(1min);
  run.send(goal_changed{true, not_before{run.now.wall + 3h, "usage limit"}});
  run.send(child_ended{signaled{SIGKILL}});
  CHECK(run.send(try_now{}) == "probe goal, prepare");

  driver crashing{run_mode::terminal};
  crashing.bring_up();
  crashing.send(child_ended{signaled{SIGKILL}});
  CHECK(crashing.send(try_now{}) == "prepare");
  CHECK(crashing.send(try_now{}).empty());
}

TEST_CASE("a goal that stops waiting lets the child start") {
  driver run{run_mode::terminal};
  run.bring_up();
  run.pass(1min);
  run.send(goal_changed{true, not_before{run.now.wall + 3h, "usage limit"}});
  run.send(child_ended{signaled{SIGKILL}});
  CHECK(run.send(goal_changed{false, {}}) == "prepare");
}

TEST_CASE("old alarms ring for nobody") {
  driver run{run_mode::terminal};
  run.bring_up();
  run.send(child_ended{signaled{SIGKILL}});
  const auto old = run.armed_number;
  run.send(try_now{});
  run.bring_up();
  CHECK(run.send(alarm_rang{old}).empty());
  CHECK(run.run.state() == run_state::running);
}

TEST_CASE("every event is answered in every state without a crash, and an ended run stays ended") {
  const event events[] = {start{},
                          prepared{},
                          refused{"no", 75},
                          child_started{1},
                          child_failed{"no", false},
                          first_beat{},
                          child_ended{exited{1}},
                          child_frozen{"stale"},
                          interrupt{},
                          terminate{SIGTERM},
                          stop_requested{"x", 0},
                          evicted{"x", 75},
                          try_now{},
                          goal_changed{true, {}},
                          alarm_rang{1}};
  // Every path of three events from every prefix of a normal life.
  for (int prefix = 0; prefix <= 5; ++prefix) {
    for (const event& first : events) {
      for (const event& second : events) {
        for (const event& third : events) {
          driver run{run_mode::terminal};
          const event life[] = {start{}, prepared{}, child_started{1}, first_beat{},
                                child_ended{signaled{SIGKILL}}};
          for (int step = 0; step < prefix; ++step) {
            run.send(life[step]);
          }
          const bool was_ended = run.run.state() == run_state::ended;
          run.send(first);
          run.send(second);
          const auto before = run.run.state();
          run.send(third);
          if (was_ended || before == run_state::ended) {
            REQUIRE(run.run.state() == run_state::ended);
          }
          const bool has_child = run.run.state() == run_state::running;
          if (has_child) {
            REQUIRE(run.run.pid() != 0);
          }
        }
      }
    }
  }
}
