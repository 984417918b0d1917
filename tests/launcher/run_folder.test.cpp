#include "launcher/command/run_folder.hpp"

#include "launcher/command/run_commands.hpp"
#include "launcher/command/status_text.hpp"
#include "launcher/command/trust_question.hpp"
#include "tests/core/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

using namespace resilient;
using tests::temporary_folder;

namespace {

std::string id_of(int number) {
  char text[64];
  std::snprintf(text, sizeof text, "202611%02dT%02d0000Z-0000000a", 1 + number / 24, number % 24);
  return text;
}

} // namespace

TEST_CASE("a run id sorts by time and is known again") {
  const wall_time now{std::chrono::milliseconds{1'796'066'043'250}};
  const std::string id = launcher::make_run_id(now, "9f86d081");
  CHECK(id == "20261130T191403Z-9f86d081");
  CHECK(launcher::is_run_id(id));
  for (const char* other : {"", "20261130T191403Z-", "20261130T191403Z-XY", "2026113aT191403Z-ab",
                            "runs", "20261130T191403Z_ab", "..", "20261130T191403Z-ab/../x"}) {
    CAPTURE(other);
    CHECK_FALSE(launcher::is_run_id(other));
  }
}

TEST_CASE("a run folder is private, and its lock keeps others out while it lives") {
  const temporary_folder folder;
  posix_files disk;
  const std::string path = folder.at("agent/resilient/runs/x");
  {
    auto mine = launcher::make_run_folder(disk, path, "id1");
    REQUIRE(mine);
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
    REQUIRE(launcher::write_run_record(*mine, 4711, path + "/socket"));
    const auto second = launcher::make_run_folder(disk, path, "id2");
    REQUIRE_FALSE(second);
    CHECK(second.error().kind == error_kind::busy);
    CHECK(second.error().message.find("process 4711") != std::string::npos);
    CHECK(launcher::read_run_record(disk, path)->socket == path + "/socket");
  }
  CHECK(launcher::make_run_folder(disk, path, "id3"));
}

TEST_CASE("a run folder that cannot be made or is not ours alone is refused with its exit code") {
  const temporary_folder folder;
  posix_files disk;
  folder.put("file", "");
  for (const char* name : {"file", "file/below"}) {
    const auto refused = launcher::make_run_folder(disk, folder.at(name), "id");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == error_kind::no_create);
    CHECK(refused.error().message.find("another one with --run-dir.") != std::string::npos);
    CHECK(refused.error().message.find(".)") == std::string::npos);
  }
  std::filesystem::create_directory(folder.at("open"));
  ::chmod(folder.at("open").c_str(), 0777);
  const auto open = launcher::make_run_folder(disk, folder.at("open"), "id");
  REQUIRE_FALSE(open);
  CHECK(open.error().kind == error_kind::no_permission);
}

TEST_CASE("a folder with something else in it is no run folder, an empty one is") {
  const temporary_folder folder;
  posix_files disk;
  folder.put("project/notes.txt", "mine");
  std::filesystem::permissions(folder.at("project"), std::filesystem::perms::owner_all);
  const auto refused = launcher::make_run_folder(disk, folder.at("project"), "id");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == error_kind::no_create);
  CHECK(refused.error().message.find("notes.txt") != std::string::npos);
  CHECK_FALSE(disk.exists(folder.at("project/run.lock")));
  std::filesystem::create_directory(folder.at("empty"));
  std::filesystem::permissions(folder.at("empty"), std::filesystem::perms::owner_all);
  CHECK(launcher::make_run_folder(disk, folder.at("empty"), "id"));
}

TEST_CASE("a folder of a user without write permission is refused with exit code 73") {
  const temporary_folder folder;
  std::filesystem::create_directory(folder.at("closed"));
  ::chmod(folder.path().c_str(), 0755);
  ::chmod(folder.at("closed").c_str(), 0555);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) {
      ::_exit(1);
    }
    posix_files disk;
    const auto made = launcher::make_run_folder(disk, folder.at("closed/run"), "id");
    ::_exit(made ? 0 : static_cast<int>(made.error().kind));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 73);
}

TEST_CASE("old runs are pruned to the newest, a live one and what is no run stay") {
  const temporary_folder folder;
  posix_files disk;
  for (int number = 0; number < 60; ++number) {
    folder.put(id_of(number) + "/runtime.json", "{}");
    folder.put(id_of(number) + "/run.lock", "");
    folder.put(id_of(number) + "/deep/file", "");
  }
  folder.put("notes/keep", "");
  folder.put("20261130T191403Z-ab", "a file");
  const auto live = launcher::make_run_folder(disk, folder.at(id_of(3)), id_of(3));
  REQUIRE(live);
  launcher::prune_runs(disk, folder.path());
  const auto left = launcher::list_runs(disk, folder.path());
  CHECK(left.size() == 51);
  CHECK(left.front() == id_of(59));
  CHECK(left.back() == id_of(3));
  CHECK(folder.get("notes/keep").empty());
  CHECK(folder.get("20261130T191403Z-ab") == "a file");
}

TEST_CASE("a record that is no record is nothing") {
  const temporary_folder folder;
  const posix_files disk;
  for (const char* text :
       {"", "{", "[]", "{}", R"({"run_id":1,"pid":1,"socket":"s"})",
        R"({"run_id":"a","pid":"1","socket":"s"})", R"({"run_id":"a","pid":1})", "\xff\xfe"}) {
    folder.put("run.lock", text);
    CAPTURE(text);
    CHECK_FALSE(launcher::read_run_record(disk, folder.path()));
  }
}

TEST_CASE("the goal of a live run keeps its lines, without what a terminal would obey") {
  const nlohmann::json data{
      {"alive", true},
      {"run_id", "r"},
      {"goal", {{"text", "Goal: x\nState: active\n\x1b[2JNext attempt: now"}}}};
  CHECK(launcher::status_text(data).find(
            "goal       Goal: x\n           State: active\n            [2JNext attempt: now\n")
        != std::string::npos);
}

TEST_CASE("the status of a dead run is told from its files, whatever they hold") {
  const temporary_folder folder;
  const posix_files disk;
  const auto environment = [&](const std::string& name) -> std::optional<std::string> {
    return name == "PI_CODING_AGENT_DIR" ? std::optional<std::string>{folder.path()} : std::nullopt;
  };
  launcher::options chosen;
  CHECK(launcher::tell_status(disk, chosen, environment).exit_code == 66);
  const std::string run = "resilient/runs/" + id_of(5) + "/";
  folder.put("resilient/runs/" + id_of(4) + "/run.lock", "");
  folder.put(run + "run.lock",
             R"({"run_id":")" + id_of(5) + R"(","pid":1,"socket":"/nonexistent"})");
  folder.put(run + "supervisor.json",
             R"({"state":"waiting","reason":"waiting: usage limit","launcher_pid":12,
                 "deaths":[{"cause":"killed by SIGKILL\u001b[2J","at":"2026"}]})");
  auto answer = launcher::tell_status(disk, chosen, environment);
  CHECK(answer.exit_code == 0);
  CHECK(answer.out.find(id_of(5) + " (ended)") != std::string::npos);
  CHECK(answer.out.find("usage limit") != std::string::npos);
  CHECK(answer.out.find("killed by SIGKILL") != std::string::npos);
  CHECK(answer.out.find('\x1b') == std::string::npos);
  chosen.json = true;
  CHECK(launcher::tell_status(disk, chosen, environment).out.find("\"alive\": false")
        != std::string::npos);
  for (const char* text : {"", "[]", "{\"deaths\":7}", "{\"deaths\":[7],\"state\":{}}", "\xff"}) {
    folder.put(run + "supervisor.json", text);
    chosen.json = false;
    CHECK(launcher::tell_status(disk, chosen, environment).exit_code == 0);
  }
  folder.put(run + "runtime.json",
             R"({"goal":{"objective":"build it","state":"paused","pause_reason":"user"}})");
  CHECK(launcher::tell_status(disk, chosen, environment)
            .out.find("goal       Goal: build it\n           State: paused (user)\n")
        != std::string::npos);
  for (const char* text : {"[]", "{\"goal\":7}", "{\"goal\":{\"state\":\"none\"}}"}) {
    folder.put(run + "runtime.json", text);
    CHECK(launcher::tell_status(disk, chosen, environment).out.find("\ngoal") == std::string::npos);
  }
  // What Pi said last is told when it was not an end in order.
  folder.put(run + "stderr.txt", "no such model\n");
  folder.put(run + "supervisor.json", R"({"state":"ended","exit_code":1})");
  CHECK(launcher::tell_status(disk, chosen, environment).out.find("no such model")
        != std::string::npos);
  folder.put(run + "supervisor.json", R"({"state":"ended","exit_code":0})");
  CHECK(launcher::tell_status(disk, chosen, environment).out.find("no such model")
        == std::string::npos);
  // A start that was refused is passed over, unless it is named.
  const std::string refused = "resilient/runs/" + id_of(6) + "/";
  folder.put(refused + "run.lock",
             R"({"run_id":")" + id_of(6) + R"(","pid":1,"socket":"/nonexistent"})");
  folder.put(refused + "supervisor.json",
             R"({"state":"ended","exit_code":75,"generation_number":0})");
  CHECK(launcher::tell_status(disk, chosen, environment).out.find(id_of(5)) != std::string::npos);
  chosen.run = id_of(6);
  CHECK(launcher::tell_status(disk, chosen, environment).out.find(id_of(6)) != std::string::npos);
  chosen.run = id_of(4);
  CHECK(launcher::tell_status(disk, chosen, environment).out.find(id_of(4)) != std::string::npos);
  chosen.run = "1999";
  CHECK(launcher::tell_status(disk, chosen, environment).exit_code == 66);
  chosen.run.clear();
  CHECK(launcher::stop_run(disk, chosen, environment).out.find("has ended already")
        != std::string::npos);
}

TEST_CASE("an error text is explained as a sentence or as JSON") {
  launcher::options chosen;
  const auto nothing = [](const std::string&) -> std::optional<std::string> { return {}; };
  const std::string text = R"(429: {"type":"usage_limit_reached","resets_in_seconds":3600})";
  for (const char* empty : {"", " \n"}) {
    const auto nothing_came = launcher::explain_error(empty, chosen, nothing);
    CHECK(nothing_came.exit_code == 64);
    CHECK(nothing_came.wrong.find("Nothing came on stdin") != std::string::npos);
  }
  CHECK(launcher::explain_error(text, chosen, nothing).out.size() > 20);
  chosen.json = true;
  CHECK(launcher::explain_error(text, chosen, nothing).out.find("\"class\":\"usage_exhausted\"")
        != std::string::npos);
}

TEST_CASE("what else is known of an error goes into its explanation") {
  const auto explain = [](const std::string& text, auto&& change) {
    launcher::options chosen;
    chosen.json = true;
    chosen.seen_at = "2026-06-01T12:00:00Z";
    change(chosen);
    return launcher::explain_error(text, chosen, [](const std::string& name) {
      return name == "TZ" ? std::optional<std::string>{"UTC"} : std::nullopt;
    });
  };
  struct row {
    const char* text;
    void (*change)(launcher::options&);
    const char* says;
  };
  const row table[] = {
      {"Usage limit reached. Resets at 3:30 PM", [](auto&) {},
       R"("reset_at":"2026-06-01T15:30:00Z")"},
      {"Usage limit reached. Resets at 3:30 PM",
       [](auto& chosen) { chosen.time_zone = "Europe/Berlin"; },
       R"("reset_at":"2026-06-01T13:30:00Z")"},
      {"Usage limit reached. Resets at 3:30 PM",
       [](auto& chosen) { chosen.seen_at = "2026-06-01T16:00:00Z"; },
       R"("reset_at":"2026-06-02T15:30:00Z")"},
      {"upstream said no", [](auto& chosen) { chosen.http_status = 429; },
       R"("class":"rate_limit")"},
      {"upstream said no", [](auto& chosen) { chosen.http_status = 401; }, R"("class":"auth")"},
      {"Too many requests",
       [](auto& chosen) {
         chosen.http_status = 429;
         chosen.headers = {"Retry-After: 42"};
       },
       R"("retry_after_s":42)"},
  };
  for (const row& each : table) {
    CAPTURE(std::string{each.says});
    const auto answer = explain(each.text, each.change);
    CHECK(answer.exit_code == 0);
    CHECK_MESSAGE(answer.out.find(each.says) != std::string::npos, answer.out);
  }
  const row mistakes[] = {
      {"x", [](auto& chosen) { chosen.time_zone = "Mars/Olympus"; }, "Mars/Olympus"},
      {"x", [](auto& chosen) { chosen.seen_at = "noon"; }, "--at must be an instant"},
      {"x", [](auto& chosen) { chosen.headers = {"retry-after 30"}; }, "--header must be a header"},
      {"x", [](auto& chosen) { chosen.headers = {": 30"}; }, "--header must be a header"},
  };
  for (const row& each : mistakes) {
    CAPTURE(std::string{each.says});
    const auto answer = explain(each.text, each.change);
    CHECK(answer.exit_code == 64);
    CHECK_MESSAGE(answer.wrong.find(each.says) != std::string::npos, answer.wrong);
  }
}

TEST_CASE("Pi asks for trust only where something is protected and nothing is decided") {
  const temporary_folder project;
  const temporary_folder agent;
  posix_files disk;
  const auto asks = [&] { return launcher::asks_for_trust(disk, project.path(), agent.path()); };
  std::filesystem::create_directory(project.at(".pi"));
  CHECK_FALSE(asks());
  project.put(".pi/settings.json", "{}");
  CHECK(asks());
  agent.put("settings.json", R"({"defaultProjectTrust":"always"})");
  CHECK_FALSE(asks());
  agent.put("settings.json", R"({"defaultProjectTrust":"ask"})");
  CHECK(asks());
  agent.put("trust.json", "{\"" + project.path() + "\": false}");
  CHECK_FALSE(asks());
  agent.put("trust.json",
            "{\"" + std::filesystem::path(project.path()).parent_path().string() + "\": true}");
  CHECK_FALSE(asks());
  agent.put("trust.json", "broken");
  CHECK(asks());
}
