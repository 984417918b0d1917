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

} // namespace resilient::settings
