#include "launcher/child/leftovers.hpp"

#include "launcher/child/reaper.hpp"
#include "launcher/child/spawner.hpp"
#include "tests/core/support/temporary_folder.hpp"
#include "tests/launcher/run_until.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

using namespace resilient;
using namespace std::chrono_literals;
using tests::temporary_folder;

namespace {

launcher::leftover_limits quick() {
  return {300ms, 2000ms, 10ms};
}

/// Starts a shell below us and waits until it has written `up`.
pid_t start(const temporary_folder& folder, const std::string& script, const std::string& mark) {
  spawn_request request;
  request.program = "/bin/sh";
  request.arguments = {"-c", script};
  request.folder = folder.path();
  request.environment = {{launcher::mark_variable, mark}};
  const auto child = launcher::spawn_child(request);
  REQUIRE(child);
  for (int tries = 0; tries < 1000 && folder.get("up") == "(none)"; ++tries) {
    ::usleep(10'000);
  }
  return child->pid;
}

std::vector<std::string> stop(launcher::io_loop& loop, const launcher::leftover_query& query) {
  bool done = false;
  std::vector<std::string> names;
  launcher::stop_processes(
      loop, [query] { return launcher::find_leftovers(query); }, quick(),
      [&](std::vector<std::string> found) {
        names = std::move(found);
        done = true;
      });
  REQUIRE(tests::run_until(loop, [&] {
    [[maybe_unused]] const auto reaped = launcher::reap_children();
    return done;
  }));
  return names;
}

bool is_gone(pid_t pid) {
  const auto entry = launcher::find_process(pid);
  return !entry || entry->state == 'Z';
}

pid_t read_pid(const temporary_folder& folder, const std::string& name) {
  for (int tries = 0; tries < 1000; ++tries) {
    const std::string text = folder.get(name);
    if (text != "(none)" && !text.empty() && text.back() == '\n') {
      return static_cast<pid_t>(std::stol(text));
    }
    ::usleep(10'000);
  }
  return 0;
}

} // namespace

TEST_CASE("a mark means its run in any generation, or one generation") {
  struct row {
    const char* mark;
    const char* wanted;
    bool matches;
  };
  const row table[] = {
      {"run1:g1", "run1", true},      {"run1:g1", "run1:g1", true},
      {"run1:g1", "run1:", true},     {"run1:g1", "run1:g2", false},
      {"run10:g1", "run1", false},    {"run1", "run1", true},
      {"run1:g11", "run1:g1", false}, {"", "", false},
      {"run1:g1", "", false},         {"", "run1", false},
  };
  for (const row& each : table) {
    CAPTURE(each.mark);
    CAPTURE(each.wanted);
    CHECK(launcher::mark_matches(each.mark, each.wanted) == each.matches);
  }
}

TEST_CASE("what a dead child left in sessions of their own is stopped and named") {
  launcher::io_loop loop;
  launcher::adopt_orphans();
  const temporary_folder folder;
  // The child ends at once; its tools went into other sessions, and one ignores SIGTERM.
  start(
      folder,
      "setsid sh -c 'echo $$ > polite; while :; do sleep 0.05; done' </dev/null >/dev/null 2>&1 & "
      "setsid sh -c 'trap \"\" TERM; echo $$ > stubborn; while :; do sleep 0.05; done' "
      "</dev/null >/dev/null 2>&1 & echo up > up",
      "run1:g1");
  const pid_t polite = read_pid(folder, "polite");
  const pid_t stubborn = read_pid(folder, "stubborn");
  REQUIRE(polite > 0);
  REQUIRE(stubborn > 0);
  const auto names = stop(loop, {});
  CHECK(is_gone(polite));
  CHECK(is_gone(stubborn));
  const auto named = [&](pid_t pid) {
    return std::find(names.begin(), names.end(), "sh (" + std::to_string(pid) + ")") != names.end();
  };
  CHECK(named(polite));
  CHECK(named(stubborn));
  CHECK(stop(loop, {}).empty());
}

TEST_CASE("a zombie of a living parent is no leftover") {
  int told[2];
  REQUIRE(::pipe(told) == 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::_exit(0);
    }
    [[maybe_unused]] const auto written = ::write(told[1], &child, sizeof child);
    ::pause(); // it never waits for its child
    ::_exit(0);
  }
  pid_t zombie = 0;
  REQUIRE(::read(told[0], &zombie, sizeof zombie) == sizeof zombie);
  const auto state = [&] {
    const auto entry = launcher::find_process(zombie);
    return entry ? entry->state : ' ';
  };
  for (int tries = 0; tries < 1000 && state() != 'Z'; ++tries) {
    ::usleep(10'000);
  }
  REQUIRE(state() == 'Z');
  const auto left = launcher::find_leftovers({});
  const auto names = [&](pid_t pid) {
    return std::any_of(left.begin(), left.end(), [=](const auto& each) { return each.pid == pid; });
  };
  CHECK(names(parent));
  CHECK_FALSE(names(zombie));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  ::close(told[0]);
  ::close(told[1]);
}

TEST_CASE("a stopped leftover gets to end in order, too") {
  launcher::io_loop loop;
  const temporary_folder folder;
  const pid_t child = start(folder,
                            "trap 'echo bye > bye; exit' TERM; echo up > up; "
                            "kill -STOP $$; while :; do sleep 0.02; done",
                            "run1:g1");
  stop(loop, {});
  CHECK(is_gone(child));
  // By its own handler, not by SIGKILL.
  CHECK(folder.get("bye") == "bye\n");
}

TEST_CASE(
    "what is spared stays with all that it started, and what we did not start is not touched") {
  launcher::io_loop loop;
  const temporary_folder folder;
  const pid_t spared =
      start(folder, "sh -c 'echo $$ > below; sleep 100; :' & echo up > up; wait", "run1:g2");
  const pid_t below = read_pid(folder, "below");
  REQUIRE(below > 0);
  launcher::leftover_query query;
  query.spare = {spared};
  CHECK(stop(loop, query).empty());
  CHECK_FALSE(is_gone(spared));
  CHECK_FALSE(is_gone(below));
  // Without the spare it goes, so the sparing was what kept it.
  CHECK(stop(loop, {}).size() >= 2);
}

TEST_CASE("what escaped from a dead launcher is found by its mark, and only that") {
  launcher::io_loop loop;
  const temporary_folder folder;
  // A dead launcher: its child's tool belongs to somebody else now. Here that is us, so the query
  // does not ask for descendants.
  const pid_t marked = start(folder, "echo up > up; while :; do sleep 0.05; done", "dead-run:g3");
  const temporary_folder other_folder;
  const pid_t other =
      start(other_folder, "echo up > up; while :; do sleep 0.05; done", "dead-run2:g3");
  launcher::leftover_query query;
  query.mark = "dead-run";
  query.descendants = false;
  const auto names = stop(loop, query);
  CHECK(is_gone(marked));
  CHECK_FALSE(is_gone(other));
  CHECK(names.size() >= 1);
  stop(loop, {});
}
