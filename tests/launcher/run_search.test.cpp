#include "launcher/command/run_search.hpp"

#include "launcher/bridge/server.hpp"
#include "launcher/command/status_text.hpp"
#include "tests/core/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

using namespace resilient;
using tests::temporary_folder;

namespace {

/// Runs in an agent folder, each alive until `end`.
struct runs {
  void start(const std::string& id, const std::string& working_folder) {
    const std::string run = "resilient/runs/" + id;
    const std::string socket = above.at(run + "/socket");
    above.put(run + "/run.lock",
              fmt::format(R"({{"run_id":"{}","pid":1,"socket":"{}"}})", id, socket));
    above.put(run + "/supervisor.json",
              fmt::format(R"({{"state":"running","working_folder":"{}"}})", working_folder));
    auto bridge = std::make_unique<launcher::bridge_server>(loop, launcher::bridge_limits{},
                                                            [](const launcher::bridge_event&) {});
    REQUIRE(bridge->listen(socket));
    listening.push_back(std::move(bridge));
  }

  /// Ids: the run, then the others.
  std::vector<std::string> found(const std::string& here) {
    const auto all = launcher::find_run(disk, chosen, environment, here);
    REQUIRE(all);
    std::vector<std::string> ids{all->run.id};
    for (const auto& each : all->others) {
      ids.push_back(each.id);
    }
    return ids;
  }

  result<std::string> to_stop(const std::string& here) {
    return launcher::find_run_to_stop(disk, chosen, environment, here)
        .map([](const launcher::found_run& run) { return run.id; });
  }

  temporary_folder above;
  posix_files disk;
  launcher::io_loop loop;
  launcher::options chosen;
  launcher::environment_reader environment =
      [this](const std::string& name) -> std::optional<std::string> {
    return name == "PI_CODING_AGENT_DIR" ? std::optional{above.path()} : std::nullopt;
  };
  std::vector<std::unique_ptr<launcher::bridge_server>> listening;
};

const std::string first = "20261101T000000Z-aa";
const std::string second = "20261102T000000Z-bb";
const std::string third = "20261103T000000Z-cc";
using ids = std::vector<std::string>;

} // namespace

TEST_CASE("the run of this folder is meant first, then the newest that lives") {
  runs all;
  all.start(first, "/a");
  CHECK(all.found("/elsewhere") == ids{first});
  all.start(second, "/b");
  all.start(third, "/c");
  CHECK(all.found("/elsewhere") == ids{third, second, first});
  CHECK(all.found("/a") == ids{first, third, second});
  CHECK(all.found("/b") == ids{second, third, first});
  all.listening.pop_back();
  CHECK(all.found("/c") == ids{second, first});
}

TEST_CASE("a run is stopped only when no other may be meant") {
  runs all;
  all.start(first, "/a");
  CHECK(all.to_stop("/a") == first);
  const auto elsewhere = all.to_stop("/elsewhere");
  REQUIRE_FALSE(elsewhere);
  CHECK(elsewhere.error().kind == error_kind::usage);
  CHECK(elsewhere.error().message
        == fmt::format("No run lives in this folder, but elsewhere: {} in /a. Say which to end: "
                       "pi-resilient stop RUN.",
                       first));
  all.start(second, "/b");
  CHECK(all.to_stop("/a") == first);
  CHECK(all.to_stop("/b") == second);
  CHECK_FALSE(all.to_stop("/elsewhere"));
  all.start(third, "/a");
  CHECK_FALSE(all.to_stop("/a")); // two of this folder
  all.chosen.run = "20261103";
  CHECK(all.to_stop("/a") == third);
  CHECK(all.to_stop("/elsewhere") == third);
  all.chosen.run = "202611";
  CHECK(all.to_stop("/b") == second);
  const auto unclear = all.to_stop("/elsewhere");
  REQUIRE_FALSE(unclear);
  CHECK(unclear.error().message.find("More than one run may be meant: ") == 0);
  all.chosen.run.clear();
  all.listening.clear(); // none lives: the newest is told to have ended
  CHECK(all.to_stop("/elsewhere") == third);
}

TEST_CASE("the status of one run names the others that live") {
  const nlohmann::json data{
      {"run_id", second},
      {"other_runs", {{{"run_id", first}, {"working_folder", "/a\x1b[2J"}}, "nonsense"}}};
  const std::string shown = launcher::status_text(data);
  CHECK(shown.find("also runs  " + first + " in /a") != std::string::npos);
  CHECK(shown.find('\x1b') == std::string::npos);
}
