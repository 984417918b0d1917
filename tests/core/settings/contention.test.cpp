#include "core/settings/json_read.hpp"
#include "core/settings/settings_save.hpp"
#include "tests/core/settings/tools.hpp"
#include "tests/core/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace resilient::settings {

using tests::temporary_folder;

namespace {

/// Writes its own members the way Pi does: the lock folder, then the file in place.
constexpr const char* node_writer = R"JS(
const fs = require("fs");
const [path, name, rounds] = process.argv.slice(2);
const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
for (let round = 1; round <= Number(rounds); round++) {
  for (let attempt = 0; ; attempt++) {
    try { fs.mkdirSync(path + ".lock"); break; }
    catch (error) { if (error.code !== "EEXIST" || attempt > 3000) process.exit(3); }
    sleep(2);
  }
  try {
    const text = fs.readFileSync(path, "utf-8");
    const settings = JSON.parse(text);
    settings[name] = "round " + round;
    fs.writeFileSync(path, JSON.stringify(settings, null, 2), "utf-8");
  } catch { process.exit(4); }
  finally { fs.rmdirSync(path + ".lock"); }
}
)JS";

/// Starts Pi's own settings again and again, as many times as it is told to, and saves one of Pi's
/// own members each time.
constexpr const char* pi_starts = R"JS(
const [module, agent, project, starts] = process.argv.slice(2);
const { SettingsManager } = await import(module);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
for (let start = 1; start <= Number(starts); start++) {
  const manager = SettingsManager.create(project, agent);
  const problems = manager.drainErrors();
  if (problems.length || manager.getGlobalSettings().keep !== 7) {
    console.error("start", start, problems.map((problem) => problem.error.message));
    process.exit(7);
  }
  manager.setLastChangelogVersion("start " + start);
  await manager.flush();
  await pause(10);
}
)JS";

constexpr int rounds = 5;

/// Saves its own member again and again; an attempt that finds the file in use is made again.
int write_rounds(const settings_place& place, const std::string& name) {
  posix_files disk;
  for (int round = 1; round <= rounds; ++round) {
    for (int attempt = 0;; ++attempt) {
      const auto done =
          save_string(disk, place, name, "round " + std::to_string(round), real_tools());
      if (done) {
        break;
      }
      if (done.error().kind != error_kind::busy || attempt > 300) {
        return 2;
      }
    }
  }
  return 0;
}

/// Reads as a starting Pi would and never sees anything but whole settings.
int read_rounds(const settings_place& place) {
  posix_files disk;
  for (int round = 0; round < 200; ++round) {
    const auto values = read_settings(disk, place, real_tools());
    if (!values.problems.empty() || values.user.value("keep", 0) != 7) {
      return 5;
    }
    ::usleep(1000);
  }
  return 0;
}

template <class Run>
pid_t in_a_child(Run run) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(run());
  }
  return child;
}

bool has_node() {
  return ::system("node --version >/dev/null 2>&1") == 0; // NOLINT(cert-env33-c)
}

} // namespace

TEST_CASE("fifty writers, some of them as Pi writes, lose no key and never break the file") {
  const temporary_folder folder;
  folder.put("agent/settings.json", "{\n  \"keep\": 7,\n  \"big\": 1\n}\n");
  folder.put("writer.cjs", node_writer);
  const settings_place place = place_in(folder.at("agent"), folder.at("project"), true);
  const std::string script = folder.at("writer.cjs");
  const std::string rounds_text = std::to_string(rounds);

  const bool node = has_node();
  if (!node) {
    MESSAGE("node is missing: all writers are ours");
  }
  std::vector<pid_t> children;
  std::vector<std::string> names;
  for (int at = 0; at < 50; ++at) {
    const std::string name = "writer" + std::to_string(at);
    names.push_back(name);
    if (node && at % 10 == 0) {
      children.push_back(in_a_child([&] {
        ::execlp("node", "node", script.c_str(), place.user_file.c_str(), name.c_str(),
                 rounds_text.c_str(), nullptr);
        return 6;
      }));
    } else {
      children.push_back(in_a_child([&] { return write_rounds(place, name); }));
    }
  }
  children.push_back(in_a_child([&] { return read_rounds(place); }));

  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  posix_files disk;
  const auto settings = read_file(disk, place.user_file);
  REQUIRE(settings);
  CHECK(settings->at("keep") == 7);
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK(settings->value(name, "") == "round " + rounds_text);
  }
  CHECK(disk.list(folder.at("agent")).value().size() == 1);
}

// Needs PI_RESILIENT_TEST_PI (a folder with Pi 1.x in its node_modules) and PI_RESILIENT_TEST_NODE
// (a Node that this Pi accepts), as tests/e2e/pi/install prints them.
TEST_CASE(
    "a real Pi that starts and saves among fifty of our writers never goes without settings") {
  const char* pi = ::getenv("PI_RESILIENT_TEST_PI");
  const char* node = ::getenv("PI_RESILIENT_TEST_NODE");
  if (pi == nullptr || node == nullptr) {
    MESSAGE("skipped: PI_RESILIENT_TEST_PI and PI_RESILIENT_TEST_NODE are not set");
    return;
  }
  const temporary_folder folder;
  folder.put("agent/settings.json", "{\n  \"keep\": 7\n}\n");
  folder.put("starts.mjs", pi_starts);
  const settings_place place = place_in(folder.at("agent"), folder.at("project"), false);
  const std::string script = folder.at("starts.mjs");
  const std::string module = std::string{pi}
                             + "/node_modules/@earendil-works/pi-coding-agent/dist/core/"
                               "settings-manager.js";
  std::vector<pid_t> children;
  children.push_back(in_a_child([&] {
    ::execl(node, node, script.c_str(), module.c_str(), folder.at("agent").c_str(),
            folder.at("project").c_str(), "50", nullptr);
    return 6;
  }));
  for (int at = 0; at < 50; ++at) {
    children.push_back(in_a_child([&place, at] {
      for (int again = 0; again < 8; ++again) {
        ::usleep(100000);
        if (const int code = write_rounds(place, "writer" + std::to_string(at)); code != 0) {
          return code;
        }
      }
      return 0;
    }));
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  posix_files disk;
  const auto settings = read_file(disk, place.user_file);
  REQUIRE(settings);
  CHECK(settings->value("lastChangelogVersion", "") == "start 50");
  for (int at = 0; at < 50; ++at) {
    CHECK(settings->value("writer" + std::to_string(at), "") == "round " + std::to_string(rounds));
  }
}

} // namespace resilient::settings
