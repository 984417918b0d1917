#include "core/canon/project.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

using namespace resilient;
using namespace resilient::canon;

namespace {

/// A folder of its own, removed at the end.
struct scratch {
  scratch() {
    std::string pattern = std::filesystem::temp_directory_path() / "canon-project-XXXXXX";
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    root = std::filesystem::canonical(pattern);
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { std::filesystem::remove_all(root); }

  std::string root;
};

} // namespace

TEST_CASE("the project is the nearest folder upwards that has articles") {
  struct row {
    const char* what;
    std::vector<const char*> folders;
    const char* start;
    const char* project;
  };
  const std::vector<row> table{
      {"where it starts", {"p/.canon/articles"}, "p", "p"},
      {"above", {"p/.canon/articles", "p/src/core"}, "p/src/core", "p"},
      {"the nearest of two", {"p/.canon/articles", "p/q/.canon/articles", "p/q/r"}, "p/q/r", "p/q"},
      {"none: the start", {"p/src"}, "p/src", "p/src"},
      {"a store without articles is none", {"p/.canon/journal", "p/src"}, "p/src", "p/src"},
      {"a folder with .git is the last",
       {"p/.canon/articles", "p/q/.git", "p/q/r"},
       "p/q/r",
       "p/q/r"},
      {"a folder with .git may itself have articles",
       {"p/.canon/articles", "p/.git", "p/q"},
       "p/q",
       "p"},
      {"the home folder is not taken", {"home/.canon/articles", "home/p"}, "home/p", "home/p"},
      {"unless it starts there", {"home/.canon/articles"}, "home", "home"},
      {"nothing above the home folder", {".canon/articles", "home/p"}, "home/p", "home/p"},
      {"nor when it starts there", {".canon/articles", "home"}, "home", "home"},
  };
  for (const row& line : table) {
    CAPTURE(line.what);
    const scratch place;
    for (const char* name : line.folders) {
      std::filesystem::create_directories(place.root + "/" + name);
    }
    CHECK(find_project(posix_files{}, place.root + "/" + line.start, place.root + "/home")
          == place.root + "/" + line.project);
  }
}

TEST_CASE("a worktree marks its top by a file, which ends the search too") {
  const scratch place;
  std::filesystem::create_directories(place.root + "/p/.canon/articles");
  std::filesystem::create_directories(place.root + "/p/q/r");
  posix_files disk;
  REQUIRE(disk.append(place.root + "/p/q/.git", "gitdir: elsewhere\n"));
  CHECK(find_project(disk, place.root + "/p/q/r", "") == place.root + "/p/q/r");
}

TEST_CASE("the search ends at the root of the file system") {
  CHECK(find_project(posix_files{}, "/", "") == "/");
  CHECK(find_project(posix_files{}, "/nowhere", "") == "/nowhere");
}
