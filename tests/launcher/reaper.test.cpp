#include "launcher/child/reaper.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <vector>

using namespace resilient;

namespace {

/// Reaps until `count` reports about `pids` came. Orphans of other tests may be reaped, too.
std::vector<launcher::reaped> reap(const std::set<pid_t>& pids, std::size_t count) {
  std::vector<launcher::reaped> all;
  for (int tries = 0; tries < 1000 && all.size() < count; ++tries) {
    for (auto& each : launcher::reap_children()) {
      if (pids.count(std::visit([](const auto& report) { return report.pid; }, each)) != 0) {
        all.push_back(each);
      }
    }
    if (all.size() < count) {
      ::usleep(5'000);
    }
  }
  return all;
}

pid_t sleeper() {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::pause();
    ::_exit(0);
  }
  return pid;
}

} // namespace

TEST_CASE("codes, signals, stops and continuations are told apart") {
  const pid_t coded = ::fork();
  if (coded == 0) {
    ::_exit(42);
  }
  auto seen = reap({coded}, 1);
  REQUIRE(seen.size() == 1);
  CHECK(std::get<launcher::reaped_end>(seen[0]).pid == coded);
  CHECK(std::get<launcher::reaped_end>(seen[0]).status
        == process::exit_status{process::exited{42}});

  const pid_t stopped = sleeper();
  ::kill(stopped, SIGSTOP);
  seen = reap({stopped}, 1);
  REQUIRE(seen.size() == 1);
  CHECK(std::get<launcher::reaped_pause>(seen[0]).stopped);
  ::kill(stopped, SIGCONT);
  seen = reap({stopped}, 1);
  REQUIRE(seen.size() == 1);
  CHECK_FALSE(std::get<launcher::reaped_pause>(seen[0]).stopped);
  ::kill(stopped, SIGKILL);
  seen = reap({stopped}, 1);
  REQUIRE(seen.size() == 1);
  CHECK(std::get<launcher::reaped_end>(seen[0]).status
        == process::exit_status{process::signaled{SIGKILL}});
}

TEST_CASE("one call takes every end, also when one signal stood for many") {
  std::set<pid_t> pids;
  for (int made = 0; made < 20; ++made) {
    pids.insert(sleeper());
  }
  for (const pid_t pid : pids) {
    ::kill(pid, SIGKILL);
  }
  for (const pid_t pid : pids) {
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
  }
  std::size_t ended = 0;
  for (const auto& each : launcher::reap_children()) {
    ended += pids.count(std::visit([](const auto& report) { return report.pid; }, each));
  }
  CHECK(ended == 20);
}
