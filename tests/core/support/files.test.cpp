#include "core/support/files.hpp"

#include "tests/core/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace resilient;
using resilient::tests::temporary_folder;

namespace {

constexpr std::size_t plenty = 1 << 20;

} // namespace

TEST_CASE("a read gives the bytes of a regular file and nothing else") {
  const temporary_folder folder;
  posix_files disk;
  folder.put("file", std::string("a\0b\xff", 4));
  CHECK(disk.read(folder.at("file"), plenty).value() == std::string("a\0b\xff", 4));
  CHECK(disk.read(folder.at("file"), 4).has_value());
  CHECK(disk.read(folder.at("file"), 3).error().kind == error_kind::data);
  CHECK(disk.read(folder.at("missing"), plenty).error().kind == error_kind::no_input);
  CHECK(disk.read(folder.path(), plenty).error().kind == error_kind::data);
  CHECK(disk.read(std::string("a\0b", 3), plenty).error().kind == error_kind::usage);
  REQUIRE(::mkfifo(folder.at("pipe").c_str(), 0600) == 0);
  CHECK(disk.read(folder.at("pipe"), plenty).error().kind == error_kind::data);
}

TEST_CASE("a replacement is a new file with the permissions of the old one") {
  const temporary_folder folder;
  posix_files disk;
  REQUIRE(disk.replace(folder.at("file"), "one").has_value());
  const file_status fresh = disk.status(folder.at("file")).value().value();
  CHECK(fresh.mode == 0600);
  CHECK(fresh.size == 3);
  REQUIRE(::chmod(folder.at("file").c_str(), 0640) == 0);
  REQUIRE(disk.replace(folder.at("file"), "two").has_value());
  const file_status second = disk.status(folder.at("file")).value().value();
  CHECK(second.mode == 0640);
  CHECK_FALSE(second.same_file(fresh));
  REQUIRE(disk.replace(folder.at("file"), "three", 0644).has_value());
  CHECK(disk.status(folder.at("file")).value().value().mode == 0644);
  CHECK(folder.get("file") == "three");
  CHECK(disk.list(folder.path()).value().size() == 1);
}

TEST_CASE("replacing through a link changes the file that is meant and keeps the link") {
  const temporary_folder folder;
  posix_files disk;
  folder.put("real/file", "old");
  REQUIRE(::symlink("real/file", folder.at("link").c_str()) == 0);
  REQUIRE(::symlink("link", folder.at("second").c_str()) == 0);
  REQUIRE(::symlink("real/new", folder.at("dangling").c_str()) == 0);
  REQUIRE(::symlink("circle", folder.at("circle").c_str()) == 0);
  REQUIRE(disk.replace(folder.at("second"), "new").has_value());
  CHECK(folder.get("real/file") == "new");
  CHECK(disk.link_status(folder.at("second")).value().value().kind == file_kind::link);
  REQUIRE(disk.replace(folder.at("dangling"), "made").has_value());
  CHECK(folder.get("real/new") == "made");
  CHECK_FALSE(disk.replace(folder.at("circle"), "x").has_value());
}

TEST_CASE("a replacement that does not fit leaves the old file and no other") {
  const temporary_folder folder;
  folder.put("file", "the old content");
  const pid_t child = ::fork();
  if (child == 0) {
    // A limit on file sizes fails a write half way, as a full disk does.
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    posix_files disk;
    const auto written = disk.replace(folder.at("file"), std::string(10000, 'x'));
    ::_exit(!written && written.error().kind == error_kind::io ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(folder.get("file") == "the old content");
  CHECK(posix_files().list(folder.path()).value().size() == 1);
}

TEST_CASE("a prepared replacement takes its place with the commit and leaves nothing without it") {
  const temporary_folder folder;
  posix_files disk;
  folder.put("real/file", "old");
  REQUIRE(::chmod(folder.at("real/file").c_str(), 0640) == 0);
  REQUIRE(::symlink("real/file", folder.at("link").c_str()) == 0);
  {
    const auto dropped = disk.prepare(folder.at("link"), "dropped");
    REQUIRE(dropped.has_value());
    CHECK(folder.get("real/file") == "old");
  }
  CHECK(disk.list(folder.at("real")).value().size() == 1);
  const auto prepared = disk.prepare(folder.at("link"), "new");
  REQUIRE(prepared.has_value());
  CHECK(folder.get("link") == "old");
  REQUIRE((*prepared)->commit().has_value());
  REQUIRE((*prepared)->settle().has_value());
  CHECK(folder.get("real/file") == "new");
  CHECK(disk.link_status(folder.at("link")).value().value().kind == file_kind::link);
  CHECK(disk.status(folder.at("real/file")).value().value().mode == 0640);
  CHECK(disk.list(folder.at("real")).value().size() == 1);
  CHECK_FALSE(disk.prepare(folder.at("no/file"), "x").has_value());
}

TEST_CASE("appending creates the file and adds to it") {
  const temporary_folder folder;
  posix_files disk;
  REQUIRE(disk.append(folder.at("log"), "one\n").has_value());
  REQUIRE(disk.append(folder.at("log"), "two\n").has_value());
  CHECK(folder.get("log") == "one\ntwo\n");
  CHECK(disk.append(folder.at("missing/log"), "x").error().kind == error_kind::no_input);
}

TEST_CASE("folders are made with those above them") {
  const temporary_folder folder;
  posix_files disk;
  REQUIRE(disk.make_folders(folder.at("a/b/c")).has_value());
  REQUIRE(disk.make_folders(folder.at("a/b/c/")).has_value());
  CHECK(disk.status(folder.at("a/b")).value().value().mode == 0700);
  CHECK(disk.status(folder.at("a/b")).value().value().kind == file_kind::folder);
  folder.put("file", "x");
  CHECK_FALSE(disk.make_folders(folder.at("file")).has_value());
  CHECK_FALSE(disk.make_folders(folder.at("file/below")).has_value());
}

TEST_CASE("listing, moving and removing") {
  const temporary_folder folder;
  posix_files disk;
  folder.put("b", "1");
  folder.put("a/inner", "2");
  REQUIRE(::symlink("b", folder.at("c").c_str()) == 0);
  const std::vector<folder_entry> expected = {
      {"a", file_kind::folder}, {"b", file_kind::regular}, {"c", file_kind::link}};
  CHECK(disk.list(folder.path()).value() == expected);
  REQUIRE(disk.move(folder.at("b"), folder.at("d")).has_value());
  CHECK(folder.get("d") == "1");
  REQUIRE(disk.remove(folder.at("d")).has_value());
  REQUIRE(disk.remove(folder.at("d")).has_value());
  CHECK_FALSE(disk.exists(folder.at("d")));
  CHECK_FALSE(disk.status(folder.at("d")).value().has_value());
  CHECK_FALSE(disk.remove(folder.at("a")).has_value());
  REQUIRE(disk.remove(folder.at("a/inner")).has_value());
  CHECK(disk.remove(folder.at("a")).has_value());
}

TEST_CASE("a lock is held by one, survives as a file, and carries a record") {
  const temporary_folder folder;
  posix_files disk;
  {
    auto held = disk.lock(folder.at("lease")).value();
    CHECK(held->read().value().empty());
    REQUIRE(held->write("a long first record").has_value());
    REQUIRE(held->write("pid 7").has_value());
    CHECK(held->read().value() == "pid 7");
    CHECK(folder.get("lease") == "pid 7");
    CHECK(disk.lock(folder.at("lease")).error().kind == error_kind::busy);
  }
  const auto again = disk.lock(folder.at("lease"));
  REQUIRE(again.has_value());
  CHECK((*again)->read().value() == "pid 7");
  CHECK(disk.lock(folder.at("missing/lease")).error().kind == error_kind::no_input);
}

TEST_CASE("a writer of a record that is killed never leaves an empty or torn one") {
  const temporary_folder folder;
  posix_files disk;
  const std::string small(100, 's');
  const std::string large(2000, 'l');
  REQUIRE(disk.lock(folder.at("lease")).value()->write(small));
  for (int round = 0; round < 60; ++round) {
    const pid_t writer = ::fork();
    if (writer == 0) {
      const auto held = disk.lock(folder.at("lease"));
      while (held && (*held)->write(large) && (*held)->write(small)) {
      }
      ::_exit(1);
    }
    ::usleep(static_cast<useconds_t>(1000 + round * 37));
    ::kill(writer, SIGKILL);
    ::waitpid(writer, nullptr, 0);
    std::string left = folder.get("lease");
    left.erase(std::min(left.find('\n'), left.size()));
    CHECK((left == small || left == large));
  }
}

TEST_CASE("the lock of a killed process is free at once") {
  const temporary_folder folder;
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    posix_files disk;
    const auto held = disk.lock(folder.at("lease"));
    const char byte = held ? 'y' : 'n';
    [[maybe_unused]] const ssize_t sent = ::write(ready[1], &byte, 1);
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK(byte == 'y');
  posix_files disk;
  CHECK(disk.lock(folder.at("lease")).error().kind == error_kind::busy);
  ::kill(child, SIGKILL);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  CHECK(disk.lock(folder.at("lease")).has_value());
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("the parts of a path") {
  CHECK(real_path("/usr/./bin/..").value() == "/usr");
  CHECK(real_path("/nowhere/at/all").error().kind == error_kind::no_input);
  CHECK(parent_path("/a/b") == "/a");
  CHECK(parent_path("/a") == "/");
  CHECK(parent_path("a") == ".");
  CHECK(last_name("/a/b") == "b");
  CHECK(last_name("b") == "b");
}

TEST_CASE("one folder is created by one caller only") {
  const temporary_folder folder;
  posix_files disk;
  CHECK(disk.create_folder(folder.at("lock")).value());
  CHECK_FALSE(disk.create_folder(folder.at("lock")).value());
  folder.put("file", "x");
  CHECK_FALSE(disk.create_folder(folder.at("file")).value());
  CHECK(disk.create_folder(folder.at("no/lock")).error().kind == error_kind::no_input);
}

TEST_CASE("whether a file may be written is asked without changing it") {
  const temporary_folder folder;
  posix_files disk;
  folder.put("file", "x");
  CHECK(disk.check_writable(folder.at("file")).has_value());
  CHECK(folder.get("file") == "x");
  CHECK(disk.check_writable(folder.at("missing")).error().kind == error_kind::no_input);
}
