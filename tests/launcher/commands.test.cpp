#include "launcher/child/commands.hpp"

#include "core/support/text.hpp"
#include "launcher/child/reaper.hpp"
#include "tests/core/support/temporary_folder.hpp"
#include "tests/launcher/run_until.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>

using namespace resilient;
using namespace resilient::launcher;
using namespace std::chrono_literals;
using tests::run_until;
using tests::temporary_folder;

namespace {

/// A runner whose children are reaped while the loop runs.
struct shell {
  // As the program does: who does not read its input must not end us.
  shell() { std::signal(SIGPIPE, SIG_IGN); }

  std::optional<command_result> run(command_request request,
                                    std::chrono::milliseconds patience = 20s) {
    std::optional<command_result> ended;
    int calls = 0;
    runner.run(std::move(request), [&](command_result result) {
      ended = std::move(result);
      ++calls;
    });
    const bool answered = run_until(
        loop, [&] { return reap(), ended.has_value(); }, patience);
    CHECK(answered);
    CHECK(calls == 1);
    return ended;
  }

  void reap() {
    for (const reaped& each : reap_children()) {
      if (const auto* end = std::get_if<reaped_end>(&each)) {
        alive.erase(end->pid);
        runner.on_ended(end->pid, end->status);
      }
    }
  }

  io_loop loop;
  std::set<pid_t> alive;
  command_runner runner{loop, [this](pid_t pid) { alive.insert(pid); }, 200ms};
};

command_request request_for(const std::string& command, const std::string& input = {}) {
  return {command, {}, input, 20s, 1000};
}

std::string read_text(const std::string& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// Reaps the child that the first line of what it wrote names, if it has ended.
bool has_ended(const std::string& written) {
  const pid_t pid = std::stoi(written);
  return ::waitpid(pid, nullptr, WNOHANG) == pid;
}

} // namespace

TEST_CASE("with the runner ends the command that is for nobody then, and no other") {
  const temporary_folder folder;
  const auto started = [&](const char* name) { return folder.at(name); };
  {
    shell sh;
    command_request check =
        request_for("trap 'echo told >> " + started("check") + "; exit' TERM; echo $$ > "
                    + started("check") + "; sleep 60 & wait");
    check.ends_with_us = true;
    command_request stubborn =
        request_for("trap '' TERM; echo $$ > " + started("stubborn") + "; sleep 60; sleep 60");
    stubborn.ends_with_us = true;
    const command_request message = request_for("echo $$ > " + started("message")
                                                + "; sleep 2; echo sent >> " + started("message"));
    for (const command_request& each : {check, stubborn, message}) {
      sh.runner.run(each, [](const command_result&) { FAIL("nobody is there to hear of it"); });
    }
    REQUIRE(run_until(sh.loop, [&] {
      return !read_text(started("check")).empty() && !read_text(started("stubborn")).empty()
             && !read_text(started("message")).empty();
    }));
  }
  const std::string message = read_text(started("message"));
  CHECK_FALSE(has_ended(message));
  CHECK(ends_with(read_text(started("check")), "told\n"));
  CHECK(has_ended(read_text(started("check"))));
  // Killed a moment ago.
  ::waitpid(std::stoi(read_text(started("stubborn"))), nullptr, 0);
  ::waitpid(std::stoi(message), nullptr, 0);
  CHECK(ends_with(read_text(started("message")), "sent\n"));
}

TEST_CASE("a command succeeds when it exits with 0, and how it ended is told otherwise") {
  struct row {
    const char* command;
    bool succeeded;
    const char* how;
  };
  const row rows[] = {{"true", true, "exit 0"},
                      {"exit 3", false, "exit 3"},
                      {"kill -9 $$", false, "killed by SIGKILL"},
                      {"no-such-program-at-all", false, "exit 127"}};
  shell sh;
  for (const row& row : rows) {
    CAPTURE(row.command);
    const auto ended = sh.run(request_for(row.command));
    REQUIRE(ended);
    CHECK(ended->succeeded == row.succeeded);
    CHECK(ended->how == row.how);
  }
}

TEST_CASE("it gets its input and folder, and the end of both outputs is kept") {
  const temporary_folder folder;
  shell sh;
  auto request = request_for("pwd; cat; echo wrong >&2", "{\"event\":\"complete\"}\n");
  request.folder = folder.path();
  const auto ended = sh.run(request);
  REQUIRE(ended);
  CHECK(ended->output == folder.path() + "\n{\"event\":\"complete\"}\nwrong\n");

  auto loud = request_for("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done");
  loud.kept_output = 30;
  const auto end = sh.run(loud);
  REQUIRE(end);
  CHECK(end->output == "e 19997\nline 19998\nline 19999\n");
}

TEST_CASE("input that is larger than a pipe arrives whole, and nobody has to read it") {
  shell sh;
  const std::string large(1'000'000, 'x');
  const auto counted = sh.run(request_for("wc -c", large));
  REQUIRE(counted);
  CHECK(counted->output.find("1000000") != std::string::npos);
  const auto unread = sh.run(request_for("exit 0", large));
  REQUIRE(unread);
  CHECK(unread->succeeded);
}

TEST_CASE(
    "after its deadline a command and all that it started are killed, even if they ignore it") {
  const temporary_folder folder;
  shell sh;
  auto request = request_for("trap '' TERM; sleep 300 & echo $! > pid; sleep 300; sleep 300");
  request.folder = folder.path();
  request.deadline = 300ms;
  const auto ended = sh.run(request);
  REQUIRE(ended);
  CHECK_FALSE(ended->succeeded);
  CHECK(ended->how.find("no end within") == 0);
  CHECK(run_until(sh.loop, [&] { return sh.reap(), sh.alive.empty(); }));
  const pid_t inner = std::stoi(folder.get("pid"));
  CHECK(run_until(sh.loop, [&] {
    sh.reap();
    const std::string status = "/proc/" + std::to_string(inner) + "/cmdline";
    return ::kill(inner, 0) != 0 || ::access(status.c_str(), R_OK) != 0;
  }));
}

TEST_CASE("what a command left in the background is not waited for") {
  shell sh;
  const auto ended = sh.run(request_for("sleep 5 & echo done"));
  REQUIRE(ended);
  CHECK(ended->succeeded);
  CHECK(ended->output == "done\n");
}

TEST_CASE("a folder that is gone is told, not waited for") {
  shell sh;
  auto request = request_for("true");
  request.folder = "/no/such/folder";
  const auto ended = sh.run(request);
  REQUIRE(ended);
  CHECK_FALSE(ended->succeeded);
  CHECK(ended->how.find("/no/such/folder") != std::string::npos);
}

TEST_CASE("a command does not see what proves us to Pi") {
  ::setenv("PI_RESILIENT_SECRET", "deadbeef", 1);
  shell sh;
  const auto ended = sh.run(request_for("env"));
  ::unsetenv("PI_RESILIENT_SECRET");
  REQUIRE(ended);
  CHECK(ended->output.find("deadbeef") == std::string::npos);
}
