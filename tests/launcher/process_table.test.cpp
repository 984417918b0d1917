#include "launcher/child/process_table.hpp"

#include <doctest/doctest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace resilient;

TEST_CASE("the line of a process is read whatever its name is") {
  struct row {
    const char* text;
    bool good;
    const char* name;
  };
  const row table[] = {
      {"12 (sh) S 1 12 12 0 -1 4 1 0 0 0 0 0 0 0 20 0 1 0 777 1 1", true, "sh"},
      {"12 (a) b (c) S 1 12 12 0 -1 4 1 0 0 0 0 0 0 0 20 0 1 0 777 1 1", true, "a) b (c"},
      {"12 () S 1 12 12 0 -1 4 1 0 0 0 0 0 0 0 20 0 1 0 777 1 1", true, ""},
      {"12 (\n9 (x) S 1 12 12 0 -1 4 1 0 0 0 0 0 0 0 20 0 1 0 777 1 1", true, "\n9 (x"},
      {"12 (sh) S 1 12 12 0 -1 4 1 0 0 0 0 0 0 0 20 0 1 0", false, ""},
      {"x (sh) S 1 12 12 0 -1 4 1 0 0 0 0 0 0 0 20 0 1 0 777 1 1", false, ""},
      {"12 (sh) S q 12 12 0 -1 4 1 0 0 0 0 0 0 0 20 0 1 0 777 1 1", false, ""},
      {"", false, ""},
      {"()", false, ""},
      {")(", false, ""},
      {"1 (", false, ""},
  };
  for (const row& each : table) {
    CAPTURE(each.text);
    const auto entry = launcher::parse_process_stat(each.text);
    REQUIRE(entry.has_value() == each.good);
    if (entry) {
      CHECK(entry->pid == 12);
      CHECK(entry->parent == 1);
      CHECK(entry->state == 'S');
      CHECK(entry->start_time == 777);
      CHECK(entry->name == each.name);
    }
  }
}

TEST_CASE("a process finds itself, its child's mark, and its descendants") {
  CHECK(launcher::find_process(::getpid())->parent == ::getppid());
  CHECK_FALSE(launcher::find_process(0));
  CHECK_FALSE(launcher::find_process(-1));
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      ::setsid();
      ::pause();
      ::_exit(0);
    }
    [[maybe_unused]] const auto written = ::write(ready[1], &grandchild, sizeof grandchild);
    ::pause();
    ::_exit(0);
  }
  pid_t grandchild = 0;
  REQUIRE(::read(ready[0], &grandchild, sizeof grandchild) == sizeof grandchild);
  bool child_seen = false;
  bool grandchild_seen = false;
  for (const auto& each : launcher::list_descendants(::getpid())) {
    child_seen = child_seen || each.pid == child;
    grandchild_seen = grandchild_seen || each.pid == grandchild;
  }
  CHECK(child_seen);
  CHECK(grandchild_seen);
  CHECK(launcher::tracer_of(child) == 0);
  REQUIRE(::ptrace(PTRACE_SEIZE, child, nullptr, nullptr) == 0);
  CHECK(launcher::tracer_of(child) == ::getpid());
  ::kill(grandchild, SIGKILL);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}
