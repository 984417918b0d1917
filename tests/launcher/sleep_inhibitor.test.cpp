#include "launcher/child/sleep_inhibitor.hpp"

#include "launcher/child/process_table.hpp"
#include "launcher/child/reaper.hpp"
#include "tests/core/support/temporary_folder.hpp"
#include "tests/launcher/run_until.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>

using namespace resilient;
using namespace resilient::launcher;
using namespace std::chrono_literals;
using tests::run_until;
using tests::temporary_folder;

namespace {

/// The system's program lives in a folder of the test, which comes first on PATH.
struct stage {
  explicit stage(const std::string& script) {
    ::setenv("STAGE", folder.path().c_str(), 1);
    ::setenv("PATH", (folder.path() + ":" + path_before).c_str(), 1);
    if (!script.empty()) {
      const std::string program = "bin/" + inhibitor_words(this_platform, 0).front();
      folder.put(program, "#!/bin/sh\n" + script);
      ::chmod(folder.at(program).c_str(), 0755);
      ::setenv("PATH", (folder.at("bin") + ":" + path_before).c_str(), 1);
    }
  }
  stage(const stage&) = delete;
  stage& operator=(const stage&) = delete;
  ~stage() {
    ::setenv("PATH", path_before.c_str(), 1);
    // Another test may have made orphans our children.
    inhibitor.let_sleep();
    static_cast<void>(until([] { return list_descendants(::getpid()).empty(); }));
  }

  void take() {
    inhibitor.keep_awake([this](std::string why) { ended = std::move(why); });
  }
  bool until(const std::function<bool()>& reached) {
    return run_until(
        loop, [&] { return reap(), reached(); }, 5s);
  }
  void reap() {
    for (const reaped& each : reap_children()) {
      if (const auto* end = std::get_if<reaped_end>(&each)) {
        inhibitor.on_ended(end->pid, end->status);
        reaped_count += std::count(started.begin(), started.end(), end->pid);
      }
    }
  }
  bool says(const std::string& name) { return folder.get(name).find('\n') != std::string::npos; }

  std::string path_before = std::getenv("PATH"); // NOLINT(concurrency-mt-unsafe)
  temporary_folder folder;
  io_loop loop;
  std::vector<pid_t> started;
  std::ptrdiff_t reaped_count = 0;
  std::optional<std::string> ended;
  sleep_inhibitor inhibitor{loop, [this](pid_t pid) { started.push_back(pid); }};
};

/// As the system's program does: it runs the last word, holds on as long as that lives.
constexpr const char* faithful = R"(echo "$*" > $STAGE/words
"cat"
echo over > $STAGE/over
)";

} // namespace

TEST_CASE("each system has its own command, and macOS watches the launcher by its pid") {
  using words = std::vector<std::string>;
  CHECK(inhibitor_words(platform::systemd, 4711)
        == words{"systemd-inhibit", "--what=sleep:idle", "--who=pi-resilient",
                 "--why=a goal is active", "--mode=block", "cat"});
  CHECK(inhibitor_words(platform::macos, 4711) == words{"caffeinate", "-i", "-w", "4711"});
}

TEST_CASE("the machine is kept awake until it is let sleep") {
  stage on{faithful};
  on.take();
  REQUIRE(on.until([&] { return on.says("words"); }));
#ifndef __APPLE__
  CHECK(on.folder.get("words")
        == "--what=sleep:idle --who=pi-resilient --why=a goal is active --mode=block cat\n");
#endif
  REQUIRE(on.started.size() == 1);
  CHECK_FALSE(on.ended);
  on.inhibitor.let_sleep();
  CHECK(on.until([&] { return on.reaped_count == 1; }));
  CHECK_FALSE(on.ended);
}

TEST_CASE("a second inhibitor takes the place of the first") {
  stage on{faithful};
  on.take();
  REQUIRE(on.until([&] { return on.says("words"); }));
  on.take();
  REQUIRE(on.until([&] { return on.started.size() == 2 && on.reaped_count == 1; }));
  CHECK_FALSE(on.ended);
  on.inhibitor.let_sleep();
  CHECK(on.until([&] { return on.reaped_count == 2; }));
}

TEST_CASE("a missing program, a refusal and a sudden end are told in a phrase") {
  struct row {
    const char* script;
    const char* why;
  };
  const row rows[] = {
      {"echo 'Failed to inhibit: Access denied' >&2\nexit 1\n",
       " ended (exit 1): Failed to inhibit: Access denied"},
      {"echo >&2\nexit 1\n", " ended (exit 1)"},
      {"kill -9 $$\n", " ended (killed by SIGKILL)"},
  };
  for (const row& row : rows) {
    CAPTURE(row.script);
    stage on{row.script};
    on.take();
    REQUIRE(on.until([&] { return on.ended.has_value(); }));
    CHECK(*on.ended == inhibitor_words(this_platform, 0).front() + row.why);
  }
  stage on{""};
  ::setenv("PATH", on.folder.path().c_str(), 1);
  on.take();
  REQUIRE(on.until([&] { return on.ended.has_value(); }));
  CHECK(*on.ended == inhibitor_words(this_platform, 0).front() + " is not installed");
}

#ifndef __APPLE__
TEST_CASE("the inhibitor of a launcher that was killed ends by itself") {
  const temporary_folder folder;
  const pid_t launcher = ::fork();
  if (launcher == 0) {
    stage on{"echo $$ > " + folder.at("pid") + "\ncat\necho over > " + folder.at("over") + "\n"};
    on.take();
    static_cast<void>(on.until([] { return false; }));
    ::_exit(0);
  }
  const auto appears = [&](const char* name) {
    for (int tries = 0; tries < 1000 && folder.get(name).find('\n') == std::string::npos; ++tries) {
      ::usleep(10'000);
    }
    return folder.get(name).find('\n') != std::string::npos;
  };
  REQUIRE(appears("pid"));
  CHECK(folder.get("over") == "(none)");
  ::kill(launcher, SIGKILL);
  ::waitpid(launcher, nullptr, 0);
  CHECK(appears("over"));
  // They may have become our children.
  for (int tries = 0; tries < 500 && !list_descendants(::getpid()).empty(); ++tries) {
    static_cast<void>(reap_children());
    ::usleep(10'000);
  }
}
#endif
