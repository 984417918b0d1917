#include "core/settings/settings_save.hpp"

#include "core/support/folder.hpp"
#include "tests/core/settings/tools.hpp"
#include "tests/core/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

namespace resilient::settings {

using tests::temporary_folder;

namespace {

struct home {
  temporary_folder folder;
  posix_files disk;
  bool trusted = true;

  [[nodiscard]] settings_place place() const {
    return place_in(folder.at("agent"), folder.at("project"), trusted);
  }
  result<saved> save(const std::string& value) {
    return save_string(disk, place(), "canary", value, real_tools());
  }
  [[nodiscard]] std::string user() const { return folder.get("agent/settings.json"); }
  [[nodiscard]] std::string project() const { return folder.get("project/.pi/settings.json"); }
  [[nodiscard]] bool clean() const { return disk.list(folder.at("agent")).value().size() == 1; }
};

constexpr const char* user_text = "{\n    \"n\": 1.0,\n    \"big\": 12345678901234567890123\n}";

} // namespace

TEST_CASE("a keyword goes to the user's file, which is created with its folder when missing") {
  home one;
  const auto done = one.save("chirp");
  REQUIRE(done);
  CHECK(done->changed);
  CHECK(done->path == one.place().user_file);
  CHECK(one.user() == "{\n  \"canary\": \"chirp\"\n}\n");
  CHECK(one.clean());
  CHECK_FALSE(one.disk.exists(one.folder.at("project/.pi")));
}

TEST_CASE("bytes outside the value, permissions, links and a BOM stay") {
  home one;
  one.folder.put("dotfiles/pi.json", std::string{"\xEF\xBB\xBF"} + user_text);
  one.folder.put("agent/other", "");
  REQUIRE(::unlink(one.folder.at("agent/other").c_str()) == 0);
  REQUIRE(::symlink("../dotfiles/pi.json", one.folder.at("agent/settings.json").c_str()) == 0);
  REQUIRE(::chmod(one.folder.at("dotfiles/pi.json").c_str(), 0640) == 0);
  REQUIRE(one.save("chirp"));
  CHECK(one.disk.link_status(one.place().user_file).value().value().kind == file_kind::link);
  CHECK(one.disk.status(one.place().user_file).value().value().mode == 0640);
  CHECK(one.folder.get("dotfiles/pi.json")
        == "\xEF\xBB\xBF{\n    \"n\": 1.0,\n    \"big\": 12345678901234567890123,\n"
           "    \"canary\": \"chirp\"\n}");
  CHECK(one.disk.list(one.folder.at("dotfiles")).value().size() == 1);
  CHECK(one.clean());
}

TEST_CASE("a trusted project that defines the key is changed instead, whatever its value was") {
  for (const std::string value : {"\"old\"", "true", "null"}) {
    home one;
    one.folder.put("agent/settings.json", user_text);
    one.folder.put("project/.pi/settings.json", "{ \"canary\": " + value + " }");
    REQUIRE(one.save("chirp"));
    CHECK(one.project() == "{ \"canary\": \"chirp\" }");
    CHECK(one.user() == user_text);
  }
}

TEST_CASE("a project without the key, or without trust, is left alone") {
  home one;
  one.folder.put("agent/settings.json", "{}");
  one.folder.put("project/.pi/settings.json", "{ \"other\": {\"canary\": 1} }");
  REQUIRE(one.save("chirp"));
  CHECK(one.user() == "{\"canary\": \"chirp\"}");
  CHECK(one.project() == "{ \"other\": {\"canary\": 1} }");

  home two;
  two.trusted = false;
  two.folder.put("agent/settings.json", "{}");
  two.folder.put("project/.pi/settings.json", "{ \"canary\": \"theirs\" }");
  REQUIRE(two.save("chirp"));
  CHECK(two.project() == "{ \"canary\": \"theirs\" }");
  CHECK(two.user() == "{\"canary\": \"chirp\"}");
}

TEST_CASE("a value that is there already is not written again") {
  home one;
  one.folder.put("agent/settings.json", "{\"canary\":\"chirp\"}");
  const auto before = one.disk.status(one.place().user_file).value().value();
  const auto done = one.save("chirp");
  REQUIRE(done);
  CHECK_FALSE(done->changed);
  CHECK(one.disk.status(one.place().user_file).value().value() == before);
  CHECK(one.clean());
}

TEST_CASE("a writer of ours leaves the file alone for a while after a change, and only then") {
  home one;
  one.folder.put("agent/settings.json", "{}");
  std::vector<std::chrono::milliseconds> rests;
  const lock_tools tools{wall_now, [&](std::chrono::milliseconds length) {
                           // The change is there and Pi's lock is free: nobody else waits.
                           CHECK(one.user() == "{\"canary\": \"chirp\"}");
                           CHECK(one.clean());
                           CHECK_FALSE(folder::open(one.folder.at("agent"))->lock({}));
                           rests.push_back(length);
                         }};
  REQUIRE(save_string(one.disk, one.place(), "canary", "chirp", tools));
  CHECK(rests == std::vector<std::chrono::milliseconds>{std::chrono::milliseconds{20}});
  REQUIRE(save_string(one.disk, one.place(), "canary", "chirp", tools));
  CHECK(rests.size() == 1);
}

TEST_CASE("a malformed file is refused with its place and stays byte for byte") {
  for (const std::string text : {"{\"canary\": \"chi", " ", "[]", "{\"a\":1,}"}) {
    CAPTURE(text);
    home one;
    one.folder.put("agent/settings.json", text);
    const auto before = one.disk.status(one.place().user_file).value().value();
    const auto done = one.save("chirp");
    REQUIRE_FALSE(done);
    CHECK(done.error().kind == error_kind::data);
    CHECK(done.error().message.find(one.place().user_file) == 0);
    CHECK(one.user() == text);
    CHECK(one.disk.status(one.place().user_file).value().value() == before);
    CHECK(one.clean());
  }
}

TEST_CASE("a malformed project file is refused, since it might define the key") {
  home one;
  one.folder.put("agent/settings.json", "{}");
  one.folder.put("project/.pi/settings.json", "{\"canary\": \"chi");
  const auto done = one.save("chirp");
  REQUIRE_FALSE(done);
  CHECK(done.error().message.find(one.place().project_file) == 0);
  CHECK(one.user() == "{}");
  one.trusted = false;
  CHECK(one.save("chirp"));
}

TEST_CASE("a file in use is refused and left alone, and its lock stays") {
  home one;
  one.folder.put("agent/settings.json", "{}");
  REQUIRE(::mkdir(one.folder.at("agent/settings.json.lock").c_str(), 0700) == 0);
  const auto done = one.save("chirp");
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == error_kind::busy);
  CHECK(one.user() == "{}");
  CHECK(one.disk.exists(one.folder.at("agent/settings.json.lock")));
}

TEST_CASE("a link to nowhere is not replaced") {
  home one;
  one.folder.put("agent/x", "");
  REQUIRE(::unlink(one.folder.at("agent/x").c_str()) == 0);
  const std::string nowhere = one.folder.at("gone/x");
  REQUIRE(::symlink(nowhere.c_str(), one.folder.at("agent/settings.json").c_str()) == 0);
  const auto done = one.save("chirp");
  REQUIRE_FALSE(done);
  CHECK(done.error().message.find(one.folder.at("gone")) != std::string::npos);
  CHECK(one.disk.link_status(one.place().user_file).value().value().kind == file_kind::link);
  CHECK(one.clean());
}

namespace {

/// Runs as a user without rights of root, in a process of its own; gives its exit code.
int as_nobody(const home& one, const std::function<int()>& run) {
  REQUIRE(::chmod(one.folder.path().c_str(), 0755) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) {
      ::_exit(99);
    }
    ::_exit(run());
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

} // namespace

TEST_CASE("files that this user may not read or write are refused as such") {
  struct row {
    mode_t file_mode;
    mode_t folder_mode;
  };
  for (const row& rights : {row{0000, 0777}, row{0444, 0777}, row{0666, 0555}}) {
    CAPTURE(rights.file_mode);
    home one;
    one.trusted = false;
    one.folder.put("agent/settings.json", "{}");
    REQUIRE(::chmod(one.folder.at("agent").c_str(), rights.folder_mode) == 0);
    REQUIRE(::chmod(one.folder.at("agent/settings.json").c_str(), rights.file_mode) == 0);
    const int code = as_nobody(one, [&one] {
      const auto done = one.save("chirp");
      return done ? 1 : static_cast<int>(done.error().kind);
    });
    CHECK(code == static_cast<int>(error_kind::no_permission));
    REQUIRE(::chmod(one.folder.at("agent").c_str(), 0755) == 0);
    REQUIRE(::chmod(one.folder.at("agent/settings.json").c_str(), 0644) == 0);
    CHECK(one.user() == "{}");
    CHECK(one.clean());
  }
}

} // namespace resilient::settings
