#include "launcher/child/port.hpp"

#include "launcher/child/spawner.hpp"
#include "launcher/io/signals.hpp"
#include "tests/core/support/temporary_folder.hpp"
#include "tests/launcher/pseudo_terminal.hpp"
#include "tests/launcher/run_until.hpp"

#include <sys/wait.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <csignal>
#include <vector>

using namespace resilient;
using namespace std::chrono_literals;
using launcher::child_event;
using tests::pseudo_terminal;
using tests::run_until;
using tests::temporary_folder;

namespace {

struct fixture {
  explicit fixture(std::chrono::milliseconds walk_every = 0ms) {
    launcher::prepare_signals();
    launcher::adopt_orphans();
    signals = std::make_unique<launcher::signal_watcher>(
        loop, [this](int number) { port->on_signal(number); });
    launcher::child_port_options options;
    options.own_mark = "run";
    options.leftovers = {300ms, 2000ms, 10ms};
    options.walk_every = walk_every;
    options.input = options.screen = options.errors = terminal.inner();
    port = std::make_unique<launcher::system_child_port>(
        loop, options, [this](child_event event) { events.push_back(std::move(event)); });
  }

  void start(const std::string& script, bool own_errors = false) {
    spawn_request request;
    request.generation = "g1";
    request.program = "/bin/sh";
    request.arguments = {"-c", script};
    request.folder = folder.path();
    request.environment = {{launcher::mark_variable, "run:1"}};
    if (own_errors) {
      request.error_file = folder.at("errors");
    }
    port->spawn(request);
    REQUIRE(reached(events.size() + 1));
    const auto* started = std::get_if<message::child_started>(&events.back());
    REQUIRE(started != nullptr);
    pid = started->pid;
  }

  bool reached(std::size_t count) {
    return run_until(loop, [&] { return events.size() >= count; });
  }

  bool appears(const std::string& name) {
    return run_until(loop, [&] { return folder.get(name) != "(none)"; });
  }

  template <class Event>
  const Event* last() const {
    return events.empty() ? nullptr : std::get_if<Event>(&events.back());
  }

  temporary_folder folder;
  pseudo_terminal terminal;
  launcher::io_loop loop;
  std::vector<child_event> events;
  std::unique_ptr<launcher::system_child_port> port;
  std::unique_ptr<launcher::signal_watcher> signals;
  pid_t pid = 0;
};

} // namespace

TEST_CASE("a child is told as started, then as ended with its code") {
  fixture f;
  f.start("exit 3");
  CHECK(f.last<message::child_started>()->generation == "g1");
  REQUIRE(f.reached(2));
  REQUIRE(f.last<message::child_ended>() != nullptr);
  CHECK(f.last<message::child_ended>()->pid == f.pid);
  CHECK(f.last<message::child_ended>()->status == process::exit_status{process::exited{3}});
}

TEST_CASE("a child that cannot be executed is told as failed and leaves nothing to reap") {
  fixture f;
  spawn_request request;
  request.generation = "g7";
  request.program = "/nonexistent/pi";
  f.port->spawn(request);
  REQUIRE(f.reached(1));
  REQUIRE(f.last<message::child_failed>() != nullptr);
  CHECK(f.last<message::child_failed>()->generation == "g7");
  CHECK(f.last<message::child_failed>()->message.find("/nonexistent/pi does not exist")
        != std::string::npos);
  tests::run_for(f.loop, 50ms);
  CHECK(f.events.size() == 1);
}

TEST_CASE("the steps of the ladder reach the child: TERM, then KILL through a stop") {
  fixture f;
  f.start("trap 'echo term >> told' TERM; echo up > up; while :; do sleep 0.02; done");
  REQUIRE(f.appears("up"));
  f.port->signal(f.pid, SIGTERM);
  REQUIRE(f.appears("told"));
  f.port->signal(f.pid, SIGSTOP);
  REQUIRE(f.reached(2));
  REQUIRE(f.last<message::child_paused>() != nullptr);
  CHECK(f.last<message::child_paused>()->stopped);
  f.port->signal(f.pid, SIGCONT);
  REQUIRE(f.reached(3));
  CHECK_FALSE(f.last<message::child_paused>()->stopped);
  f.port->signal(f.pid, SIGSTOP);
  REQUIRE(f.reached(4));
  f.port->signal(f.pid, SIGKILL);
  REQUIRE(f.reached(5));
  CHECK(f.last<message::child_ended>()->status == process::exit_status{process::signaled{SIGKILL}});
}

TEST_CASE("nothing that is no child of ours is ever signalled") {
  fixture f;
  const pid_t stranger = ::fork();
  if (stranger == 0) {
    ::pause();
    ::_exit(0);
  }
  f.port->signal(stranger, SIGKILL);
  tests::run_for(f.loop, 50ms);
  CHECK(::waitpid(stranger, nullptr, WNOHANG) == 0);
  ::kill(stranger, SIGKILL);
  ::waitpid(stranger, nullptr, 0);
}

TEST_CASE("an adopted orphan is reaped without a word") {
  fixture f;
  f.start("(sleep 0.1; exit 5) & exit 0");
  REQUIRE(f.reached(2));
  REQUIRE(f.last<message::child_ended>() != nullptr);
  tests::run_for(f.loop, 300ms);
  CHECK(f.events.size() == 2);
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("what a dead child left is stopped and named before the answer") {
  fixture f;
  f.start("setsid sh -c 'echo up > up; while :; do sleep 0.02; done' >/dev/null 2>&1 & exit 0");
  REQUIRE(f.appears("up"));
  REQUIRE(f.reached(2));
  f.port->stop_leftovers("run", 0);
  REQUIRE(f.reached(3));
  REQUIRE(f.last<message::leftovers_stopped>() != nullptr);
  CHECK_FALSE(f.last<message::leftovers_stopped>()->names.empty());
  f.port->stop_leftovers("run", 0);
  REQUIRE(f.reached(4));
  CHECK(f.last<message::leftovers_stopped>()->names.empty());
}

#ifdef __linux__
TEST_CASE("where orphans do not come to us, those that were seen below a child are found again") {
  for (const bool seen : {true, false}) {
    CAPTURE(seen);
    fixture f{seen ? 20ms : 0ms};
    // As on systems that have no such thing.
    ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
    f.start("setsid sh -c 'echo $$ > tool.new; mv tool.new tool; while :; do sleep 0.02; done' "
            ">/dev/null 2>&1 & sleep 0.5");
    REQUIRE(f.appears("tool"));
    const auto tool = static_cast<pid_t>(std::stol(f.folder.get("tool")));
    REQUIRE(f.reached(2));
    REQUIRE(f.last<message::child_ended>() != nullptr);
    f.port->stop_leftovers("run", 0);
    REQUIRE(f.reached(3));
    const auto entry = launcher::find_process(tool);
    CHECK((entry && entry->state != 'Z') == !seen);
    ::kill(tool, SIGKILL);
  }
}
#endif

TEST_CASE("a process is stopped only while it is the one that was meant") {
  fixture f;
  f.start("echo up > up; while :; do sleep 0.02; done");
  REQUIRE(f.appears("up"));
  const auto start_time = f.last<message::child_started>()->start_time;
  REQUIRE(start_time > 0);
  f.port->stop_process(f.pid, start_time + 1);
  REQUIRE(f.reached(2));
  CHECK(f.last<message::leftovers_stopped>()->names.empty());
  CHECK(launcher::find_process(f.pid));
  f.port->stop_process(f.pid, start_time);
  REQUIRE(f.reached(4));
  bool named = false;
  for (const auto& each : f.events) {
    const auto* stopped = std::get_if<message::leftovers_stopped>(&each);
    named = named || (stopped != nullptr && stopped->names.size() == 1);
  }
  CHECK(named);
}

TEST_CASE(
    "while a child draws on the terminal we are silent, afterwards the modes are undone first") {
  fixture f;
  f.start("echo up > up; while :; do sleep 0.02; done", true);
  REQUIRE(f.appears("up"));
  static_cast<void>(f.terminal.seen());
  f.port->say("later");
  f.port->show_waiting_line("waiting", true);
  tests::run_for(f.loop, 30ms);
  CHECK(f.terminal.seen().empty());
  f.port->signal(f.pid, SIGKILL);
  REQUIRE(f.reached(2));
  f.port->restore_terminal();
  f.port->show_waiting_line("waiting", true);
  tests::run_for(f.loop, 30ms);
  CHECK(f.terminal.seen() == std::string{launcher::leave_all_modes} + "later\r\n\r\x1b[2Kwaiting");
}

TEST_CASE("the end of a child is told with its last words, when its stderr is a file of ours") {
  fixture f;
  f.start("echo first >&2; exit 1", true);
  REQUIRE(f.reached(2));
  REQUIRE(f.last<message::child_ended>() != nullptr);
  CHECK(f.last<message::child_ended>()->last_words == "first");
  f.start("exit 1", true);
  REQUIRE(f.reached(4));
  REQUIRE(f.last<message::child_ended>() != nullptr);
  CHECK(f.last<message::child_ended>()->last_words.empty());
  f.start("echo third; exit 1");
  REQUIRE(f.reached(6));
  REQUIRE(f.last<message::child_ended>() != nullptr);
  CHECK(f.last<message::child_ended>()->last_words.empty());
}

TEST_CASE("beside a child that lives only what carries the mark is stopped") {
  fixture f;
  const std::string tool = "echo $$ > $1.new; mv $1.new $1; while :; do sleep 0.02; done";
  f.folder.put("tool", "#!/bin/sh\n" + tool);
  f.start("(setsid sh tool own &); (PI_RESILIENT_MARK=dead:1 setsid sh tool dead &); "
          "(PI_RESILIENT_MARK=dead2:1 setsid sh tool other &); while :; do sleep 0.02; done");
  REQUIRE(f.appears("own"));
  REQUIRE(f.appears("dead"));
  REQUIRE(f.appears("other"));
  f.port->stop_leftovers("dead", f.pid);
  REQUIRE(f.reached(2));
  REQUIRE(f.last<message::leftovers_stopped>() != nullptr);
  CHECK(f.last<message::leftovers_stopped>()->beside_child);
  CHECK(f.last<message::leftovers_stopped>()->names.size() >= 1);
  const auto lives = [&](const char* name) {
    const auto entry = launcher::find_process(static_cast<pid_t>(std::stol(f.folder.get(name))));
    return entry && entry->state != 'Z';
  };
  CHECK_FALSE(lives("dead"));
  CHECK(lives("own"));
  CHECK(lives("other"));
  CHECK(launcher::find_process(f.pid));
  f.port->signal(f.pid, SIGKILL);
  REQUIRE(f.reached(3));
  f.port->stop_leftovers("run", 0);
  REQUIRE(f.reached(4));
  CHECK_FALSE(f.last<message::leftovers_stopped>()->beside_child);
  CHECK_FALSE(lives("own"));
  CHECK_FALSE(lives("other"));
}

TEST_CASE("signals that reach us are reported, also SIGCONT") {
  fixture f;
  ::kill(::getpid(), SIGINT);
  REQUIRE(f.reached(1));
  CHECK(f.last<message::signal_received>()->signal_number == SIGINT);
  ::kill(::getpid(), SIGCONT);
  REQUIRE(f.reached(2));
  CHECK(f.last<message::signal_received>()->signal_number == SIGCONT);
  ::kill(::getpid(), SIGHUP);
  REQUIRE(f.reached(3));
  CHECK(f.last<message::signal_received>()->signal_number == SIGHUP);
}

TEST_CASE("the newline after a dead child and the end of the loop arrive in order") {
  fixture f;
  f.port->write_newline();
  f.port->finish(42);
  f.port->finish(7);
  f.loop.run();
  CHECK(f.terminal.seen() == "\r\n");
  CHECK(f.loop.exit_code() == 42);
}
