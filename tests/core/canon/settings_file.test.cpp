#include "core/canon/settings_file.hpp"

#include "core/canon/options.hpp"
#include "core/support/folder.hpp"
#include "tests/core/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

using namespace resilient;
using namespace resilient::canon;
using resilient::tests::temporary_folder;

TEST_CASE("the first save takes over what the older release left, and leaves its file alone") {
  const temporary_folder home;
  home.put("older/settings.json", "{\"standout\":2}");
  const settings_files where{home.at("own/settings.json"), home.at("older/settings.json")};
  posix_files disk;
  CHECK(settings_file_to_read(disk, where) == where.older);
  REQUIRE(save_option(disk, where, "surface", "off"));
  CHECK(settings_file_to_read(disk, where) == where.own);
  CHECK(home.get("own/settings.json") == "{\n  \"standout\": 2,\n  \"surface\": false\n}\n");
  CHECK(home.get("older/settings.json") == "{\"standout\":2}");
  CHECK(settings_file_to_read(disk, {home.at("none"), home.at("none too")}) == home.at("none"));
  CHECK(settings_file_to_read(disk, {}).empty());
}

TEST_CASE("what cannot be saved changes nothing and says whose mistake it is") {
  const temporary_folder home;
  const settings_files where{home.at("settings.json"), ""};
  posix_files disk;
  CHECK(save_option(disk, {}, "surface", "on").error().kind == error_kind::config);
  CHECK(save_option(disk, where, "surface", "maybe").error().kind == error_kind::usage);
  CHECK(save_option(disk, where, "budget", "5").error().kind == error_kind::usage);
  CHECK(home.get("settings.json") == "(none)");
  home.put("settings.json", "{bad");
  CHECK(save_option(disk, where, "surface", "on").error().kind != error_kind::usage);
  CHECK(home.get("settings.json") == "{bad");
}

TEST_CASE("of those who set different options at the same time, none undoes what another one set") {
  const temporary_folder home;
  const settings_files where{home.at("canon/settings.json"), ""};
  using setting = std::pair<const char*, std::vector<const char*>>;
  std::vector<pid_t> children;
  for (const setting& each : std::vector<setting>{{"surface", {"on", "off"}},
                                                  {"resurface", {"on", "off"}},
                                                  {"retrieval", {"none", "lexical"}},
                                                  {"standout", {"1.2", "3"}}}) {
    const pid_t child = ::fork();
    if (child == 0) {
      posix_files disk;
      int undone = 0;
      for (std::size_t round = 0; round < 40; ++round) {
        const char* value = each.second[round % 2];
        const bool saved = save_option(disk, where, each.first, value).has_value();
        const auto text = disk.read(where.own, longest_settings_file);
        const auto kept = text ? parse_options({}, *text, options_source::user_file)
                               : result<options>(tl::unexpected(text.error()));
        const bool is_there = kept && show_option(*kept, each.first).value_or("") == value;
        undone += saved && is_there ? 0 : 1;
      }
      ::_exit(undone);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
}

TEST_CASE("a program that was stopped in its turn keeps nobody from setting an option for long") {
  const temporary_folder home;
  const auto held = folder::open(home.path()).value().lock(std::chrono::milliseconds{0});
  REQUIRE(held);
  posix_files disk;
  CHECK(save_option(disk, {home.at("settings.json"), ""}, "surface", "off"));
  CHECK(home.get("settings.json") == "{\n  \"surface\": false\n}\n");
}
