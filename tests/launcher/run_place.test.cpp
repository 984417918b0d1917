#include "launcher/run/run_place.hpp"

#include "tests/core/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

using namespace resilient;
using tests::temporary_folder;

namespace {

/// A run that lives in a folder, as far as it is found from outside.
struct place {
  place() : folder{take_folder()} {
    REQUIRE(launcher::write_run_record(folder, ::getpid(), socket));
    REQUIRE(bridge.listen(socket));
  }

  launcher::run_folder take_folder() {
    auto made = launcher::make_run_folder(disk, path, "id");
    REQUIRE(made);
    return std::move(*made);
  }

  result<bool> restore() {
    return launcher::restore_run_place(folder, socket, bridge, disk,
                                       [](const std::string&) { return std::nullopt; });
  }

  [[nodiscard]] bool is_whole() const {
    const auto record = launcher::read_run_record(disk, path);
    return bridge.reachable() && folder.lock->in_place() && record && record->socket == socket
           && record->id == "id" && record->pid == ::getpid();
  }

  temporary_folder above;
  std::string path = above.at("runs/x");
  std::string socket = path + "/socket";
  posix_files disk;
  launcher::io_loop loop;
  launcher::bridge_server bridge{loop, launcher::bridge_limits{},
                                 [](const launcher::bridge_event&) {}};
  launcher::run_folder folder;
};

} // namespace

TEST_CASE("a run that can be found is left alone") {
  place run;
  const auto restored = run.restore();
  REQUIRE(restored);
  CHECK_FALSE(*restored);
  CHECK(run.is_whole());
}

TEST_CASE("what is gone of a run's folder is made again, and others are still kept out") {
  place run;
  SUBCASE("everything") {
    std::filesystem::remove_all(run.above.at("runs"));
  }
  SUBCASE("the socket") {
    std::filesystem::remove(run.socket);
  }
  SUBCASE("the lock") {
    std::filesystem::remove(run.path + "/run.lock");
  }
  CHECK_FALSE(run.is_whole());
  const auto restored = run.restore();
  REQUIRE(restored);
  CHECK(*restored);
  CHECK(run.is_whole());
  const auto other = launcher::make_run_folder(run.disk, run.path, "other");
  REQUIRE_FALSE(other);
  CHECK(other.error().kind == error_kind::busy);
}

TEST_CASE("a folder that another run has taken in the meantime is not taken back") {
  place run;
  std::filesystem::remove_all(run.path);
  const auto other = launcher::make_run_folder(run.disk, run.path, "other");
  REQUIRE(other);
  const auto restored = run.restore();
  REQUIRE_FALSE(restored);
  CHECK(restored.error().kind == error_kind::busy);
  CHECK_FALSE(std::filesystem::exists(run.socket));
}

TEST_CASE("a folder that cannot be made again is an error") {
  place run;
  std::filesystem::remove_all(run.path);
  run.above.put("runs/x", "a file");
  const auto restored = run.restore();
  REQUIRE_FALSE(restored);
  CHECK(restored.error().kind == error_kind::no_create);
  CHECK(restored.error().message.find("a file is in its place") != std::string::npos);
}
