#include "core/settings/settings_file.hpp"

#include "tests/core/settings/tools.hpp"
#include "tests/core/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <string>

namespace resilient::settings {

using tests::temporary_folder;

namespace {

settings_place place_of(const temporary_folder& folder, bool trusted) {
  return place_in(folder.at("agent"), folder.at("project"), trusted);
}

} // namespace

TEST_CASE("the agent folder is what Pi takes it for") {
  CHECK(agent_folder(std::nullopt, "/home/u") == "/home/u/.pi/agent");
  CHECK(agent_folder("", "/home/u") == "/home/u/.pi/agent");
  CHECK(agent_folder("/srv/pi", "/home/u") == "/srv/pi");
  CHECK(agent_folder("~", "/home/u") == "/home/u");
  CHECK(agent_folder("~/pi", "/home/u") == "/home/u/pi");
  CHECK(agent_folder("~/pi", "/") == "/pi");
  CHECK(agent_folder("~other/pi", "/home/u") == "~other/pi");
  CHECK(place_in("/a", "/p", true).user_file == "/a/settings.json");
  CHECK(place_in("/a/", "/", true).project_file == "/.pi/settings.json");
}

TEST_CASE("the project's settings are laid on the user's only when it is trusted") {
  const temporary_folder folder;
  posix_files disk;
  folder.put("agent/settings.json", R"({"canary":"user","o":{"a":1,"b":1}})");
  folder.put("project/.pi/settings.json", R"({"canary":"project","o":{"b":2}})");
  const auto trusted = read_settings(disk, place_of(folder, true), real_tools());
  CHECK(trusted.merged == nlohmann::json{{"canary", "project"}, {"o", {{"a", 1}, {"b", 2}}}});
  CHECK(trusted.user.at("canary") == "user");
  const auto untrusted = read_settings(disk, place_of(folder, false), real_tools());
  CHECK(untrusted.merged.at("canary") == "user");
  CHECK(untrusted.project.empty());
  CHECK(untrusted.problems.empty());
}

TEST_CASE("missing and empty files are empty settings, a BOM is skipped, blanks are malformed") {
  const temporary_folder folder;
  posix_files disk;
  const auto place = place_of(folder, true);
  CHECK(read_settings(disk, place, real_tools()).problems.empty());
  folder.put("agent/settings.json", "");
  folder.put("project/.pi/settings.json", "\xEF\xBB\xBF{\"canary\":\"chirp\"}");
  const auto read = read_settings(disk, place, real_tools());
  CHECK(read.problems.empty());
  CHECK(read.merged.at("canary") == "chirp");
  for (const std::string text : {" \n", "[]", "null", "{\"a\":", "\xEF\xBB\xBF"}) {
    CAPTURE(text);
    folder.put("agent/settings.json", text);
    const auto broken = read_settings(disk, place, real_tools());
    REQUIRE(broken.problems.size() == 1);
    CHECK(broken.problems.at(0).message.find(place.user_file) == 0);
    CHECK(broken.user.empty());
    CHECK(broken.merged.at("canary") == "chirp");
  }
}

TEST_CASE("a file that cannot be read is a problem, not an absence") {
  const temporary_folder folder;
  posix_files disk;
  folder.put("agent/settings.json/inside", "");
  const auto read = read_settings(disk, place_of(folder, false), real_tools());
  REQUIRE(read.problems.size() == 1);
  CHECK(read.problems.at(0).kind == error_kind::data);
}

TEST_CASE("a file in the middle of being written is read again under the lock") {
  const temporary_folder folder;
  posix_files disk;
  const auto place = place_of(folder, false);
  folder.put("agent/settings.json", R"({"canary":"chi)");
  REQUIRE(::mkdir(folder.at("agent/settings.json.lock").c_str(), 0700) == 0);
  int pauses = 0;
  const lock_tools tools{[] { return wall_now(); },
                         [&](std::chrono::milliseconds) {
                           // The other program finishes while we wait.
                           if (++pauses == 3) {
                             folder.put("agent/settings.json", R"({"canary":"chirp"})");
                             REQUIRE(::rmdir(folder.at("agent/settings.json.lock").c_str()) == 0);
                           }
                         }};
  const auto read = read_settings(disk, place, tools);
  CHECK(pauses == 3);
  CHECK(read.problems.empty());
  CHECK(read.user.at("canary") == "chirp");
  CHECK_FALSE(disk.exists(folder.at("agent/settings.json.lock")));
}

} // namespace resilient::settings
