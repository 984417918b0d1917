#include "core/support/folder.hpp"

#include "tests/core/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>

using namespace resilient;
using namespace std::chrono_literals;
using resilient::tests::temporary_folder;

namespace {

constexpr std::size_t plenty = 1 << 20;

/// A folder `inside` to be opened, and a neighbour that must stay untouched.
struct world {
  temporary_folder all;

  world() {
    all.put("inside/plain", "plain");
    all.put("inside/deep/er/file", "deep");
    all.put("outside/victim", "victim");
    link("../outside", "inside/out");
    link("../outside/victim", "inside/out_file");
    link(all.at("outside"), "inside/absolute");
    link("deep/er", "inside/short");
    link("plain", "inside/alias");
    link("/proc/self/cwd", "inside/magic");
  }
  void link(const std::string& target, const std::string& name) const {
    REQUIRE(::symlink(target.c_str(), all.at(name).c_str()) == 0);
  }
};

} // namespace

TEST_CASE("nothing leads out of a folder") {
  for (const auto how : {folder::resolution::by_kernel, folder::resolution::by_walking}) {
    CAPTURE(how == folder::resolution::by_kernel);
    const world made;
    const folder inside = folder::open(made.all.at("inside"), how).value();
    for (const std::string name :
         {"../outside/victim", "deep/../../outside/victim", "/etc/passwd", "out/victim", "out_file",
          "absolute/victim", "magic/x", "", "deep/er/../../../outside/victim"}) {
      CAPTURE(name);
      CHECK_FALSE(inside.read(name, plenty).has_value());
      CHECK_FALSE(inside.replace(name, "changed").has_value());
      CHECK_FALSE(inside.make_folders(name).has_value());
    }
    CHECK_FALSE(inside.create("out/fresh", "x").has_value());
    CHECK_FALSE(inside.make_folders("out/fresh").has_value());
    CHECK_FALSE(inside.make_folders("absolute/fresh").has_value());
    CHECK_FALSE(inside.open_folder("out").has_value());
    CHECK_FALSE(inside.list("out").has_value());
    CHECK(made.all.get("outside/victim") == "victim");
    CHECK(folder::open(made.all.at("outside")).value().list().value().size() == 1);
    CHECK_FALSE(inside.read(std::string("pl\0ain", 6), plenty).has_value());
  }
}

TEST_CASE("inside, files are read, replaced and created") {
  for (const auto how : {folder::resolution::by_kernel, folder::resolution::by_walking}) {
    CAPTURE(how == folder::resolution::by_kernel);
    const world made;
    const folder inside = folder::open(made.all.at("inside"), how).value();
    file_status status;
    CHECK(inside.read("deep/er/file", plenty, &status).value() == "deep");
    CHECK(status.size == 4);
    CHECK(inside.read("deep/er", plenty).error().kind == error_kind::data);
    CHECK(inside.read("deep/none", plenty).error().kind == error_kind::no_input);
    CHECK_FALSE(inside.status("deep/none").value().has_value());
    CHECK(inside.status("deep").value().value().kind == file_kind::folder);
    REQUIRE(inside.replace("deep/er/file", "changed").has_value());
    CHECK(made.all.get("inside/deep/er/file") == "changed");
    CHECK(inside.create("deep/new", "first").value());
    CHECK_FALSE(inside.create("deep/new", "second").value());
    CHECK(made.all.get("inside/deep/new") == "first");
    REQUIRE(inside.make_folders("one/two/three").has_value());
    REQUIRE(inside.make_folders("one/two/three").has_value());
    CHECK(inside.create("one/two/three/file", "x").value());
    CHECK_FALSE(inside.make_folders("plain/below").has_value());
    const folder below = inside.open_folder("deep").value();
    CHECK(below.list().value()
          == std::vector<folder_entry>{{"er", file_kind::folder}, {"new", file_kind::regular}});
    CHECK_FALSE(below.read("../plain", plenty).has_value());
  }
}

TEST_CASE("a link that stays inside is read through and never written through") {
  const world made;
  const folder inside = folder::open(made.all.at("inside")).value();
  CHECK(inside.read("short/file", plenty).value() == "deep");
  CHECK(inside.read("alias", plenty).value() == "plain");
  CHECK(inside.replace("alias", "x").error().kind == error_kind::no_permission);
  CHECK(made.all.get("inside/plain") == "plain");
  CHECK_FALSE(folder::open(made.all.at("inside"), folder::resolution::by_walking)
                  .value()
                  .read("alias", plenty)
                  .has_value());
}

TEST_CASE("a walk shows the regular files with a suffix") {
  const temporary_folder all;
  all.put("tree/a.md", "A");
  all.put("tree/b/c.md", "C");
  all.put("tree/b/d.txt", "D");
  all.put("tree/e.md/inner.md", "I");
  all.put("elsewhere/x.md", "X");
  REQUIRE(::symlink("../elsewhere", all.at("tree/linked").c_str()) == 0);
  REQUIRE(::symlink("../elsewhere/x.md", all.at("tree/out.md").c_str()) == 0);
  REQUIRE(::symlink("a.md", all.at("tree/same.md").c_str()) == 0);
  std::map<std::string, std::string> seen;
  std::string problems;
  folder::open(all.at("tree"))
      .value()
      .walk(
          ".md",
          [&](const folder::walked_file& file) {
            seen[file.name] = file.read(plenty).value();
            CHECK(file.status.size == 1);
          },
          [&](const error& problem) { problems += problem.message; });
  CHECK(problems.find("/tree/out.md passes a link that leads out") != std::string::npos);
  CHECK(seen
        == std::map<std::string, std::string>{
            {"a.md", "A"}, {"b/c.md", "C"}, {"e.md/inner.md", "I"}, {"same.md", "A"}});
}

TEST_CASE("a walk shows the beginnings of files") {
  const temporary_folder all;
  all.put("tree/short.md", "abc");
  all.put("tree/exact.md", "abcd");
  all.put("tree/b/long.md", "abcdef");
  REQUIRE(::symlink("b/long.md", all.at("tree/same.md").c_str()) == 0);
  REQUIRE(::symlink("/etc/passwd", all.at("tree/out.md").c_str()) == 0);
  REQUIRE(::mkfifo(all.at("tree/pipe.md").c_str(), 0600) == 0);
  std::map<std::string, std::string> seen;
  std::size_t unreadable = 0;
  folder::open(all.at("tree"))
      .value()
      .walk_heads(
          ".md", 4,
          [&](const folder::walked_head& file) {
            seen[file.name] = std::string(file.head) + (file.is_whole ? "." : "");
          },
          [&](const error& /*problem*/) { ++unreadable; });
  CHECK(seen
        == std::map<std::string, std::string>{{"short.md", "abc."},
                                              {"exact.md", "abcd"},
                                              {"b/long.md", "abcd"},
                                              {"same.md", "abcdef."}});
  CHECK(unreadable == 1); // the link that leads out
}

TEST_CASE("a folder is locked by one at a time") {
  const temporary_folder all;
  const folder first = folder::open(all.path()).value();
  const folder second = folder::open(all.path()).value();
  {
    const auto held = first.lock(0ms);
    REQUIRE(held.has_value());
    CHECK(second.lock(5ms).error().kind == error_kind::busy);
    CHECK(first.lock(5ms).error().kind == error_kind::busy);
  }
  CHECK(second.lock(0ms).has_value());
}
