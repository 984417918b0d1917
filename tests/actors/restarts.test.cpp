#include "tests/actors/virtual_run.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

using namespace resilient;
using namespace resilient::test;
using namespace std::chrono_literals;
using process::exited;
using process::signaled;

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& each : words) {
    text += (text.empty() ? "" : " ") + each;
  }
  return text;
}

} // namespace

TEST_CASE("a killed child is started again on the same session without its prompt") {
  virtual_run run;
  run.start();
  const std::string session = (run.folder / "session.jsonl").string();
  CHECK(joined(run.child->spawns[0].arguments)
        == "-e /opt/extension --session " + session + " --model m the prompt");
  CHECK(std::filesystem::exists(session));
  run.connect();
  run.live(11s);
  run.end(signaled{SIGKILL});
  REQUIRE(run.child->spawns.size() == 2);
  CHECK(joined(run.child->spawns[1].arguments)
        == "-e /opt/extension --session " + session + " --model m");
  CHECK(run.child->terminal_restored == 1);
  CHECK(run.child->stopped_marks == std::vector<std::string>{"run-1"});
  const auto supervisor = run.file("supervisor.json");
  CHECK(supervisor["generation_number"] == 2);
  CHECK(supervisor["deaths"][0]["cause"] == "killed by SIGKILL");
}

TEST_CASE("a child that died before its hello gets the prompt again") {
  virtual_run run;
  run.start();
  run.end(signaled{SIGKILL});
  run.advance(2s);
  REQUIRE(run.child->spawns.size() == 2);
  CHECK(run.child->spawns[1].arguments.back() == "the prompt");
}

TEST_CASE("a prompt that reached the session is not sent again, hello or not") {
  virtual_run run;
  run.start();
  std::ofstream{run.folder / "session.jsonl"} << "{\"type\":\"message\"}\n";
  run.end(signaled{SIGKILL});
  run.advance(2s);
  REQUIRE(run.child->spawns.size() == 2);
  CHECK(run.child->spawns[1].arguments.back() == "m");
}

TEST_CASE("a torn last line is ended before the next start") {
  virtual_run run;
  run.start();
  run.connect();
  run.live(11s);
  std::ofstream{run.folder / "session.jsonl"} << "{\"type\":\"session\"}\n{\"type\":\"mess";
  run.end(signaled{SIGKILL});
  REQUIRE(run.child->spawns.size() == 2);
  std::ifstream in{run.folder / "session.jsonl"};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  CHECK(text.back() == '\n');
}

TEST_CASE("silence with beats is no evidence, silence without beats is") {
  virtual_run run;
  run.start();
  run.connect();
  run.live(10min);
  CHECK(run.child->signals.empty());
  run.advance(29s);
  CHECK(run.child->signals.empty());
  run.advance(2s);
  REQUIRE(run.child->signals.size() == 1);
  CHECK(run.child->signals[0] == std::pair<pid_t, int>{4711, SIGTERM});
  run.advance(11s);
  std::vector<int> ladder;
  for (const auto& [pid, number] : run.child->signals) {
    ladder.push_back(number);
  }
  CHECK(ladder == std::vector<int>{SIGTERM, SIGTERM, SIGCONT, SIGKILL});
  run.end(signaled{SIGKILL});
  CHECK(run.child->spawns.size() == 2);
}

TEST_CASE("a child without a first beat is frozen after the startup limit") {
  virtual_run run;
  run.start();
  run.advance(119s);
  CHECK(run.child->signals.empty());
  run.advance(2s);
  CHECK(run.child->signals.size() == 1);
}

TEST_CASE("the startup limit does not run while Pi asks its user, but beats arm it") {
  virtual_run run;
  run.options.child->first_start_asks = true;
  run.start();
  run.advance(24h);
  CHECK(run.child->signals.empty());
  run.connect();
  run.advance(31s);
  CHECK(run.child->signals.size() == 1);
}

TEST_CASE("a child that a debugger holds is left alone until it beats again") {
  virtual_run run;
  run.start();
  run.connect();
  run.child->traced = true;
  run.advance(1h);
  CHECK(run.child->signals.empty());
  run.child->traced = false;
  run.beat();
  run.advance(31s);
  CHECK(run.child->signals.size() == 1);
}

TEST_CASE("a suspend of the machine kills nobody") {
  virtual_run run;
  run.start();
  run.connect();
  run.live(1min);
  // Asleep for eight hours: the boot and the wall clock went on, the monotonic clock did not.
  run.sleep(8h);
  // The time in which nothing could beat is no age.
  cafx::tell(run.peers->supervisor, message::control_line{97, R"({"request":"status"})"});
  run.settle();
  REQUIRE(run.written(97).size() == 1);
  CHECK(run.written(97)[0]["heartbeat"]["last_beat_age_ms"] < 6000);
  run.live(1min);
  CHECK(run.child->signals.empty());
}

TEST_CASE("steps of the wall clock by hours kill nobody") {
  virtual_run run;
  run.start();
  run.connect();
  for (const auto step : {std::chrono::hours{5}, std::chrono::hours{-11}}) {
    run.time->now_.wall += step;
    run.live(1min);
  }
  CHECK(run.child->signals.empty());
}

TEST_CASE("frames of an old generation are refused, and so is a nested Pi") {
  virtual_run run;
  run.start();
  const auto old = run.connect();
  const std::string generation = run.environment("PI_RESILIENT_GENERATION");
  const std::string secret = run.environment("PI_RESILIENT_SECRET");
  run.live(11s);
  run.end(signaled{SIGKILL});
  run.execute(4712);
  const auto before = run.written(old).size();
  run.send(old, {{"type", "heartbeat"}, {"idle", true}});
  CHECK(run.written(old).size() == before);

  const auto ghost = run.connect({{"generation", generation}, {"secret", secret}});
  REQUIRE(run.written(ghost).size() == 1);
  CHECK(run.written(ghost)[0]["ok"] == false);
  CHECK(run.written(ghost)[0]["code"] == "generation");

  const auto liar = run.connect({{"secret", "00"}});
  CHECK(run.written(liar)[0]["code"] == "secret");

  run.connect();
  const auto nested = run.connect({{"pid", 5000}});
  CHECK(run.written(nested)[0]["code"] == "second_client");
}

TEST_CASE("the same process may say hello again and replaces its older connection") {
  virtual_run run;
  run.start();
  const auto first = run.connect();
  run.connect({{"reason", "reload"}});
  CHECK(run.welcome()["ok"] == true);
  CHECK(run.bridge->closed == std::vector<connection_id>{first});
  CHECK(run.send(first, {{"type", "command"}, {"id", 9}, {"name", "goal"}}).empty());
}

TEST_CASE("SIGTERM to the launcher stops the child, writes the state and lets go of the lease") {
  virtual_run run;
  run.start();
  run.connect();
  cafx::tell(run.peers->child_process_manager, message::signal_received{SIGTERM});
  run.settle();
  REQUIRE(run.child->signals.size() == 1);
  run.end(exited{0});
  CHECK(run.child->exit_codes == std::vector<int>{143});
  CHECK(run.file("supervisor.json")["state"] == "ended");
  CHECK(run.file("supervisor.json")["exit_code"] == 143);
  std::ifstream lease{run.folder / "session.jsonl.lease"};
  CHECK(nlohmann::json::parse(lease)["released"] == true);
}

TEST_CASE("a second launcher on the same session is refused, by every path to it") {
  virtual_run first;
  first.start();
  std::filesystem::create_symlink(first.folder / "session.jsonl", first.folder / "link.jsonl");
  for (const char* path : {"session.jsonl", "link.jsonl", "run/../session.jsonl"}) {
    CAPTURE(path);
    virtual_run second;
    second.options.child->session_file = (first.folder / path).string();
    CHECK_FALSE(second.begin());
    CHECK(second.child->exit_codes == std::vector<int>{75});
    CHECK(second.child->said.find("is in use") != std::string::npos);
  }
}

TEST_CASE("the child of a dead launcher is stopped before the next one starts") {
  virtual_run run;
  run.options.record.surroundings.start_time = [](int pid) {
    return pid == 77 ? std::optional<std::uint64_t>{5} : std::nullopt;
  };
  std::ofstream{run.folder / "session.jsonl.lease"}
      << process::format_lease({"here", "boot-1", "run-0", {76, 4}, {77, 5}, false, ""});
  run.start();
  CHECK(run.child->stopped_pids == std::vector<pid_t>{77});
  CHECK(run.child->stopped_marks == std::vector<std::string>{"run-0"});
  goal::record goal;
  goal.objective = "build it";
  goal.state = goal::phase::active;
  run.connect({{"entries", {{"resilient-goal", goal::to_json(goal)}}}});
  CHECK(run.events().find("leftovers.stopped") != std::string::npos);
  run.advance(2s);
  REQUIRE(run.continuations().size() == 1);
  CHECK(run.continuations()[0].find("pi-resilient itself was killed") != std::string::npos);
  CHECK(run.continuations()[0].find("pi (77)") != std::string::npos);
}

TEST_CASE(
    "a dead launcher whose session is known at the hello only has what it left stopped then") {
  for (const bool keep : {false, true}) {
    CAPTURE(keep);
    virtual_run run;
    run.options.child->session_file.clear();
    run.options.child->keep_orphans = keep;
    run.options.record.surroundings.start_time = [](int) {
      return std::optional<std::uint64_t>{5};
    };
    run.start();
    const std::string session = (run.folder / "session.jsonl").string();
    std::ofstream{session + ".lease"}
        << process::format_lease({"here", "boot-1", "run-0", {76, 4}, {77, 5}, false, ""});
    run.connect();
    CHECK(run.welcome()["ok"] == true);
    CHECK(run.child->marks_beside_child
          == (keep ? std::vector<std::string>{} : std::vector<std::string>{"run-0"}));
    cafx::tell(run.peers->child_process_manager, message::leftovers_stopped{{"pi (77)"}, true});
    run.live(11s);
    CHECK(run.child->signals.empty());
    CHECK(run.events().find("pi (77)") != std::string::npos);
  }
}

TEST_CASE("a lease that was removed by hand is taken again at the next start") {
  for (const bool taken : {false, true}) {
    CAPTURE(taken);
    virtual_run run;
    run.start();
    run.connect();
    run.live(11s);
    std::filesystem::remove(run.folder / "session.jsonl.lease");
    virtual_run other;
    other.options.child->session_file = (run.folder / "session.jsonl").string();
    if (taken) {
      other.start();
    }
    run.end(signaled{SIGKILL});
    CHECK(run.child->spawns.size() == (taken ? 1 : 2));
    CHECK(run.child->exit_codes == (taken ? std::vector<int>{75} : std::vector<int>{}));
    if (!taken) {
      CHECK_FALSE(other.begin());
    }
  }
}

TEST_CASE("a session whose lock cannot be made is refused, and the next one is not") {
  virtual_run run;
  const auto lease = run.folder / "session.jsonl.lease";
  std::filesystem::create_directory(lease);
  CHECK_FALSE(run.begin());
  CHECK(run.child->exit_codes == std::vector<int>{75});
  CHECK(run.child->said.find(lease.string()) != std::string::npos);
  CHECK(run.child->said.find("another program could work on it") != std::string::npos);
  std::filesystem::remove(lease);
  virtual_run next;
  next.options.child->session_file = (run.folder / "session.jsonl").string();
  CHECK(next.begin());
}

TEST_CASE("the waiting line says why, until when and what may be done, for one row of a terminal") {
  virtual_run run;
  run.start();
  run.connect();
  run.live(11s);
  run.end(signaled{SIGKILL});
  for (int failure = 0; failure < 5; ++failure) {
    run.advance(1min);
    run.execute(5000 + failure);
    run.connect();
    run.end(exited{1}, "Error: no");
  }
  const std::string& line = run.child->waiting_line;
  CAPTURE(line);
  CHECK(line.find("pi-resilient waits until ") == 0);
  CHECK(line.find("Z (5 min): Pi keeps failing: exit 1, Error: no. Enter: now. Ctrl+C: end.")
        == std::string{"pi-resilient waits until 12:34"}.size());
  CHECK(run.child->said.find("last: exit 1, Error: no. Trying again every 5 minutes.")
        != std::string::npos);
  CHECK(run.file("supervisor.json")["deaths"].back()["cause"] == "exit 1");
}

TEST_CASE("a session that turns out to be somebody else's ends the run with the reason") {
  virtual_run first;
  first.start();
  virtual_run second;
  second.options.child->session_file.clear();
  second.start();
  second.connect({{"session", {{"file", (first.folder / "session.jsonl").string()}, {"id", "s"}}}});
  REQUIRE(second.child->signals.size() == 1);
  second.end(exited{0});
  CHECK(second.child->exit_codes == std::vector<int>{75});
}

TEST_CASE("after /new the new file is leased and the old one is let go") {
  virtual_run run;
  run.start();
  run.connect();
  const std::string next = (run.folder / "next.jsonl").string();
  run.connect({{"reason", "new"}, {"session", {{"file", next}, {"id", "session-2"}}}});
  CHECK(run.file("supervisor.json")["session_file"] == next);
  virtual_run other;
  other.options.child->session_file = (run.folder / "session.jsonl").string();
  other.start();
  CHECK(other.child->spawns.size() == 1);
  run.live(11s);
  run.end(signaled{SIGKILL});
  CHECK(joined(run.child->spawns.back().arguments).find("--session " + next) != std::string::npos);
}

TEST_CASE("a switch to a session that somebody holds is cancelled, and inert where it is not") {
  virtual_run first;
  first.start();
  const std::string held = (first.folder / "session.jsonl").string();
  virtual_run run;
  run.start();
  const auto connection = run.connect();
  const auto answers = run.send(
      connection, {{"type", "switch"}, {"id", 70}, {"reason", "resume"}, {"target_file", held}});
  REQUIRE(answers.size() == 1);
  CHECK(answers[0]["cancel"] == true);
  run.connect({{"reason", "resume"}, {"session", {{"file", held}, {"id", "session-1"}}}});
  CHECK(run.welcome()["code"] == "lease");
  CHECK(run.child->signals.empty());
}

TEST_CASE("a Pi that is too old is stopped with the reason") {
  virtual_run run;
  run.start();
  run.connect({{"pi_version", "0.80.5"}});
  CHECK(run.child->said.find("0.80.5 is too old") != std::string::npos);
  run.end(exited{0});
  CHECK(run.child->exit_codes == std::vector<int>{69});
}

TEST_CASE("rpc mode gets one newline on stdout before a restart and no terminal sequences") {
  virtual_run run{process::run_mode::rpc};
  run.start();
  run.connect();
  run.live(11s);
  run.end(signaled{SIGKILL});
  CHECK(run.child->newlines == 1);
  CHECK(run.child->terminal_restored == 0);
  // After a normal end stdout holds what Pi wrote and nothing else.
  run.execute(4712);
  run.connect();
  run.end(exited{0});
  CHECK(run.child->exit_codes == std::vector<int>{0});
  CHECK(run.child->newlines == 1);
}

namespace {

struct waking_run : virtual_run {
  explicit waking_run(bool wanted) {
    options.child->inhibit_sleep = wanted;
    start();
    connect();
  }
  void command(const std::string& words) {
    send(connection, {{"type", "command"}, {"id", ++id}, {"name", "goal"}, {"args", words}});
  }
  [[nodiscard]] std::size_t warnings() const {
    std::size_t count = 0;
    for (const auto& each : directives(connection, "notify")) {
      count += each["text"].get<std::string>().find("fall asleep") != std::string::npos ? 1 : 0;
    }
    return count;
  }
  /// The goal entry that the extension stored last, as the next hello brings it.
  [[nodiscard]] nlohmann::json entries() const {
    nlohmann::json last;
    for (const auto& each : directives(connection, "append")) {
      last = each["data"];
    }
    return {{"resilient-goal", last}};
  }
  int id = 100;
};

} // namespace

TEST_CASE("the machine is kept awake while a goal is active, through the child's death") {
  waking_run run{true};
  CHECK(run.sleep_port->taken == 0);
  run.command("build it");
  CHECK(run.sleep_port->taken == 1);
  run.live(11s);
  const auto entries = run.entries();
  run.end(signaled{SIGKILL});
  run.execute(4712);
  CHECK(run.sleep_port->taken == 1);
  CHECK(run.sleep_port->let_go == 0);
  CHECK(run.file("supervisor.json")["sleep"] == "kept awake");
  run.connect({{"entries", entries}});
  run.command("pause");
  CHECK(run.sleep_port->let_go == 1);
  run.command("resume");
  CHECK(run.sleep_port->taken == 2);
  run.command("clear");
  CHECK(run.sleep_port->let_go == 2);
}

TEST_CASE("a machine that cannot be kept awake is told once, and the run goes on") {
  waking_run run{true};
  run.command("build it");
  REQUIRE(run.sleep_port->held);
  run.sleep_port->held("systemd-inhibit is not installed");
  run.settle();
  CHECK(run.warnings() == 1);
  CHECK(run.file("supervisor.json")["sleep"] == "systemd-inhibit is not installed");
  run.command("pause");
  run.command("resume");
  REQUIRE(run.sleep_port->held);
  run.sleep_port->held("systemd-inhibit is not installed");
  run.settle();
  CHECK(run.warnings() == 1);
  CHECK(run.sleep_port->let_go == 0);
  run.live(60s);
  CHECK_FALSE(run.ended());
}

TEST_CASE("nobody keeps a machine awake unasked") {
  waking_run run{false};
  run.command("build it");
  CHECK(run.sleep_port->taken == 0);
}

TEST_CASE("every file of the event log is private, also after a rotation") {
  virtual_run run;
  run.options.record.event_file_bytes = 500;
  const mode_t before = ::umask(0);
  run.start();
  run.connect();
  run.live(11s);
  run.end(signaled{SIGKILL});
  ::umask(before);
  int files = 0;
  for (const auto& each : std::filesystem::directory_iterator{run.folder / "run"}) {
    if (each.path().filename().string().find("events") == 0) {
      CAPTURE(each.path().string());
      CHECK((each.status().permissions() & std::filesystem::perms::mask)
            == (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
      ++files;
    }
  }
  CHECK(files > 1);
}

TEST_CASE("extensions that do the same work are named once, and again only when others come") {
  virtual_run run;
  run.start();
  const auto warnings = [&] {
    std::vector<std::string> texts;
    for (const auto& each : run.directives(run.connection, "notify")) {
      if (each["text"].get<std::string>().find("do the same work") != std::string::npos) {
        texts.push_back(each["text"]);
      }
    }
    return texts;
  };
  const auto others = nlohmann::json::array({"/goal of goal.ts", "tool create_goal of goal.ts"});
  run.connect({{"others", others}});
  REQUIRE(warnings().size() == 1);
  CHECK(warnings()[0].find("/goal of goal.ts, tool create_goal of goal.ts") != std::string::npos);
  run.live(11s);
  run.end(signaled{SIGKILL});
  run.execute(4712);
  run.connect({{"others", others}});
  CHECK(warnings().empty());
  run.connect({{"others", {"/canary of x.ts"}}, {"reason", "reload"}});
  CHECK(warnings().size() == 1);
  run.connect({{"reason", "reload"}});
  CHECK(warnings().empty());
}

TEST_CASE("going on after a stop that was shorter than the limit grants a fresh limit") {
  virtual_run run;
  run.start();
  run.connect();
  run.live(20s);
  run.advance(28s);
  cafx::tell(run.peers->child_process_manager, message::signal_received{SIGCONT});
  run.settle();
  run.advance(25s);
  CHECK(run.child->signals.empty());
  run.advance(7s);
  CHECK(run.child->signals.size() == 1);
}

TEST_CASE("a launcher that was stopped for a minute, as by Ctrl+Z, replaces nobody") {
  virtual_run run;
  run.start();
  run.connect();
  run.live(20s);
  // Nobody ran meanwhile: the time has passed when the next message is handled.
  run.time->now_ = run.time->now_.after(60s);
  cafx::tell(run.peers->child_process_manager, message::signal_received{SIGCONT});
  run.settle();
  run.advance(25s);
  CHECK(run.child->signals.empty());
  run.live(60s);
  CHECK(run.child->signals.empty());
  run.advance(31s);
  CHECK(run.child->signals.size() == 1);
}

TEST_CASE("however fast hellos follow each other, answered requests leave no timers behind") {
  virtual_run run;
  run.start();
  run.connect();
  const std::size_t first = run.timers();
  for (int again = 0; again < 50; ++again) {
    run.connect();
  }
  CHECK(run.timers() <= first + 2);
}
