#include "core/support/folder_watch.hpp"

#include "core/support/files.hpp"
#include "tests/core/support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace resilient;
using resilient::tests::temporary_folder;

namespace {

struct watched_folder {
  temporary_folder all;
  folder opened;

  watched_folder() : opened(prepare()) {}

  folder prepare() const {
    all.put("in/old", "x");
    all.put("out/other", "x");
    return folder::open(all.at("in")).value();
  }
  void create(const std::string& name) const { CHECK(opened.create(name, "x").value()); }
  [[nodiscard]] file_status status() const { return opened.status(".").value().value(); }
};

} // namespace

TEST_CASE_FIXTURE(watched_folder, "a change of one's own is vouched for") {
  auto watch = folder_watch::start(opened);
  REQUIRE(watch);
  create("own");
  const auto state = watch->finish("own");
  REQUIRE(state);
  CHECK(*state == status());
  CHECK_FALSE(watch->finish("own")); // once
}

TEST_CASE_FIXTURE(watched_folder, "any change after it leaves another status, however soon") {
  for (int round = 0; round < 200; ++round) {
    auto watch = folder_watch::start(opened);
    create("own" + std::to_string(round));
    const auto state = watch->finish("own" + std::to_string(round));
    REQUIRE(state);
    all.put("in/later" + std::to_string(round), "");
    REQUIRE(*state != status());
  }
}

TEST_CASE_FIXTURE(watched_folder, "nothing is vouched for when another name changed meanwhile") {
  auto watch = folder_watch::start(opened);
  REQUIRE(watch);
  SUBCASE("one came before") {
    all.put("in/foreign", "");
    create("own");
  }
  SUBCASE("one came after") {
    create("own");
    all.put("in/foreign", "");
  }
  SUBCASE("one went") {
    create("own");
    std::filesystem::remove(all.at("in/old"));
  }
  SUBCASE("one got another name") {
    create("own");
    std::filesystem::rename(all.at("in/old"), all.at("in/new"));
  }
  SUBCASE("one was moved in") {
    create("own");
    std::filesystem::rename(all.at("out/other"), all.at("in/other"));
  }
  SUBCASE("one was moved out") {
    std::filesystem::rename(all.at("in/old"), all.at("out/old"));
    create("own");
  }
  SUBCASE("its own went and came again") {
    create("own");
    std::filesystem::remove(all.at("in/own"));
    create("own");
  }
  SUBCASE("its own was replaced") {
    create("own");
    std::filesystem::rename(all.at("out/other"), all.at("in/own"));
  }
  SUBCASE("nothing came") {}
  CHECK_FALSE(watch->finish("own"));
}

TEST_CASE("a file system that others change unseen is not watched") {
  const auto proc = folder::open("/proc");
  REQUIRE(proc);
  CHECK_FALSE(folder_watch::start(*proc));
}
