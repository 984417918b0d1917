#include "core/settings/settings_lock.hpp"

#include "tests/core/settings/tools.hpp"
#include "tests/core/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

namespace resilient::settings {

using tests::temporary_folder;

TEST_CASE("the lock is a folder beside the file, held by one and gone afterwards") {
  const temporary_folder folder;
  posix_files disk;
  const std::string file = folder.at("settings.json");
  {
    auto lock = settings_lock::try_take(disk, file, wall_now());
    REQUIRE(lock);
    CHECK(lock->still_held());
    CHECK(disk.status(file + ".lock").value().value().kind == file_kind::folder);
    const auto second = settings_lock::try_take(disk, file, wall_now());
    REQUIRE_FALSE(second);
    CHECK(second.error().kind == error_kind::busy);
    CHECK(second.error().message.find(file + ".lock") != std::string::npos);
    const settings_lock moved = *std::move(lock);
    CHECK(moved.still_held());
  }
  CHECK_FALSE(disk.exists(file + ".lock"));
}

TEST_CASE("a lock older than ten seconds is taken over, a younger one is not") {
  struct row {
    std::chrono::milliseconds age;
    bool taken;
  };
  for (const row& one : std::vector<row>{{std::chrono::milliseconds{0}, false},
                                         {std::chrono::seconds{9}, false},
                                         {std::chrono::milliseconds{10001}, true},
                                         {std::chrono::hours{24}, true},
                                         {std::chrono::seconds{-60}, false}}) {
    const temporary_folder folder;
    posix_files disk;
    const std::string file = folder.at("settings.json");
    REQUIRE(::mkdir((file + ".lock").c_str(), 0700) == 0);
    const auto made = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::nanoseconds{disk.status(file + ".lock").value().value().modified_ns});
    CAPTURE(one.age.count());
    CHECK(settings_lock::try_take(disk, file, wall_time{made} + one.age).has_value() == one.taken);
    CHECK(disk.exists(file + ".lock") != one.taken);
  }
}

TEST_CASE("what is no lock folder, or not an empty one, is never removed") {
  const temporary_folder folder;
  posix_files disk;
  const std::string file = folder.at("settings.json");
  const wall_time later = wall_now() + std::chrono::hours{1};
  folder.put("settings.json.lock", "somebody's file");
  CHECK(settings_lock::try_take(disk, file, later).error().kind == error_kind::busy);
  CHECK(folder.get("settings.json.lock") == "somebody's file");

  REQUIRE(disk.remove(file + ".lock"));
  folder.put("settings.json.lock/inside", "x");
  CHECK_FALSE(settings_lock::try_take(disk, file, later));
  CHECK(folder.get("settings.json.lock/inside") == "x");
}

TEST_CASE("a lock that somebody took over is noticed and not removed") {
  const temporary_folder folder;
  posix_files disk;
  const std::string file = folder.at("settings.json");
  {
    auto lock = settings_lock::try_take(disk, file, wall_now());
    REQUIRE(lock);
    REQUIRE(::rmdir((file + ".lock").c_str()) == 0);
    CHECK_FALSE(lock->still_held());
    REQUIRE(::mkdir((file + ".lock").c_str(), 0700) == 0);
    CHECK_FALSE(lock->still_held());
  }
  CHECK(disk.exists(file + ".lock"));
}

TEST_CASE("taking waits as often and as long as Pi does") {
  const temporary_folder folder;
  posix_files disk;
  const std::string file = folder.at("settings.json");
  REQUIRE(::mkdir((file + ".lock").c_str(), 0700) == 0);
  std::vector<std::chrono::milliseconds> pauses;
  const lock_tools tools{[] { return wall_now(); },
                         [&](std::chrono::milliseconds length) { pauses.push_back(length); }};
  CHECK(settings_lock::take(disk, file, tools).error().kind == error_kind::busy);
  CHECK(pauses == std::vector<std::chrono::milliseconds>(9, std::chrono::milliseconds{20}));

  pauses.clear();
  CHECK_FALSE(settings_lock::take(disk, folder.at("no/settings.json"), tools));
  CHECK(pauses.empty());
}

} // namespace resilient::settings
