#include "launcher/child/recorded_walk.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

using namespace resilient::launcher;

namespace {

std::string pids(const std::vector<process_entry>& entries) {
  std::string text;
  for (const process_entry& each : entries) {
    text += (text.empty() ? "" : " ") + std::to_string(each.pid);
  }
  return text;
}

process_entry entry(pid_t pid, pid_t parent, std::uint64_t start_time = 1) {
  return {pid, parent, 'S', "sh", start_time};
}

} // namespace

TEST_CASE("a listing of ps is read whatever the names are") {
  const auto found = parse_process_list("    1     0 Ss   Mon Nov 30 22:15:00 2026 /sbin/launchd\n"
                                        "  812     1 S+   Tue Dec  1 00:00:01 2026 my tool (x)\n"
                                        " 4711   812 Z    Tue Dec  1 00:00:01 2026 \n");
  REQUIRE(found.size() == 3);
  CHECK(found[0].pid == 1);
  CHECK(found[0].parent == 0);
  CHECK(found[0].state == 'S');
  CHECK(found[0].name == "launchd");
  CHECK(found[1].name == "my tool (x)");
  CHECK(found[1].start_time - found[0].start_time == 105 * 60 + 1);
  CHECK(found[2].state == 'Z');
  CHECK(found[2].name.empty());
  for (const char* text :
       {"", "\n", "PID PPID STAT STARTED COMMAND", "1 0 S Mon Xyz 30 22:15:00 2026 sh",
        "1 0 S Mon Nov 30 22:15 2026 sh", "1 0 S", "x 0 S Mon Nov 30 22:15:00 2026 sh",
        "1 0 S Mon Nov xx aa:bb:cc 2026 sh", "\xff\xfe"}) {
    CAPTURE(text);
    CHECK(parse_process_list(text).empty());
  }
}

TEST_CASE("the ps of this machine lists this process") {
  const std::string command = std::string{"TZ=UTC LC_ALL=C ps -axo "} + ps_columns;
  const std::unique_ptr<FILE, int (*)(FILE*)> output{::popen(command.c_str(), "r"), ::pclose};
  REQUIRE(output);
  std::string text;
  char buffer[4096];
  for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof buffer, output.get())) > 0;) {
    text.append(buffer, count);
  }
  bool listed = false;
  for (const process_entry& each : parse_process_list(text)) {
    listed = listed || (each.pid == ::getpid() && each.parent == ::getppid());
  }
  CHECK(listed);
}

TEST_CASE("orphans that were seen below us are found again, with what they start later") {
  recorded_walk walk;
  // 10 is ours, 20 a Pi with a tool 30, 99 somebody else's.
  walk.look({entry(10, 1), entry(20, 10), entry(30, 20), entry(99, 1)}, 10);
  CHECK(walk.size() == 2);
  // The Pi died, its tool went to init and started another one.
  CHECK(pids(walk.left_in({entry(10, 1), entry(30, 1), entry(31, 30), entry(99, 1)})) == "30 31");
  // A pid that is used again is somebody else.
  CHECK(pids(walk.left_in({entry(10, 1), entry(30, 1, 2), entry(99, 1)})).empty());
  // What a recorded orphan starts is recorded, too, and what has ended is forgotten.
  walk.look({entry(10, 1), entry(30, 1), entry(31, 30)}, 10);
  CHECK(walk.size() == 2);
  CHECK(pids(walk.left_in({entry(10, 1), entry(31, 1)})) == "31");
}

TEST_CASE("a table that was read while it changed makes no endless walk") {
  recorded_walk walk;
  walk.look({entry(10, 20), entry(20, 10), entry(30, 30)}, 10);
  CHECK(pids(descendants_in({entry(10, 20), entry(20, 10)}, 10)) == "20 10");
  CHECK(pids(descendants_in({entry(30, 30)}, 30)) == "30");
}
