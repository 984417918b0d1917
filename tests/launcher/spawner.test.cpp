#include "launcher/child/spawner.hpp"

#include "core/support/descriptor.hpp"
#include "launcher/child/process_table.hpp"
#include "tests/core/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

using namespace resilient;
using tests::temporary_folder;

namespace {

int wait_for(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return status;
}

spawn_request shell(const std::string& script, std::vector<std::string> arguments = {}) {
  spawn_request request;
  request.generation = "g1";
  request.program = "/bin/sh";
  request.arguments = {"-c", script, "sh"};
  request.arguments.insert(request.arguments.end(), arguments.begin(), arguments.end());
  return request;
}

} // namespace

TEST_CASE("the child gets its arguments as they are, its folder and its stderr file") {
  const temporary_folder folder;
  const auto child = [&] {
    auto request = shell("pwd >&2; printf '[%s]' \"$@\" >&2", {"a b", "", "*", "-e", "ü\n'\""});
    request.folder = folder.path();
    request.error_file = folder.at("errors");
    return launcher::spawn_child(request);
  }();
  REQUIRE(child);
  CHECK(child->start_time == launcher::find_process(child->pid)->start_time);
  CHECK(wait_for(child->pid) == 0);
  CHECK(folder.get("errors") == folder.path() + "\n[a b][][*][-e][ü\n'\"]");
  struct stat status {};
  REQUIRE(::stat(folder.at("errors").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("stderr of later children is appended, and the file is bounded") {
  const temporary_folder folder;
  for (int round = 0; round < 2; ++round) {
    auto request = shell("echo again >&2");
    request.error_file = folder.at("errors");
    wait_for(launcher::spawn_child(request)->pid);
  }
  CHECK(folder.get("errors") == "again\nagain\n");
  folder.put("errors", std::string((1U << 20U) + 1, 'x'));
  auto request = shell("echo again >&2");
  request.error_file = folder.at("errors");
  wait_for(launcher::spawn_child(request)->pid);
  CHECK(folder.get("errors") == "again\n");
  CHECK(folder.get("errors.old").size() == (1U << 20U) + 1);
}

TEST_CASE("a stderr file that cannot be opened does not keep the child from running") {
  auto request = shell("echo lost >&2; exit 7");
  request.error_file = "/nonexistent/folder/errors";
  const auto child = launcher::spawn_child(request);
  REQUIRE(child);
  CHECK(WEXITSTATUS(wait_for(child->pid)) == 7);
}

TEST_CASE("the child's environment is ours without our own variables, with the added ones") {
  const char* ours[] = {"HOME=/h", "PI_RESILIENT_SECRET=old", "PI_RESILIENT_MARK=outer",
                        "ODD",     "PI_RESILIENTLY=kept",     "PATH=/bin",
                        nullptr};
  const auto made = launcher::child_environment(
      ours, {{"PI_RESILIENT_SECRET", "new"}, {"PATH", "/other"}, {"EMPTY", ""}});
  CHECK(made
        == std::vector<std::string>{"HOME=/h", "ODD", "PI_RESILIENTLY=kept",
                                    "PI_RESILIENT_SECRET=new", "PATH=/other", "EMPTY="});
}

TEST_CASE(
    "blocked and ignored signals of ours are usual ones in the child, and it keeps our group") {
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::sigaddset(&blocked, SIGCHLD);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  ::signal(SIGPIPE, SIG_IGN);
  // No shell: some clear their mask by themselves.
  spawn_request request;
  request.program = "/bin/sleep";
  request.arguments = {"100"};
  const auto child = launcher::spawn_child(request);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  REQUIRE(child);
  std::ifstream status{"/proc/" + std::to_string(child->pid) + "/status"};
  const std::string told{std::istreambuf_iterator<char>(status), std::istreambuf_iterator<char>()};
  CHECK(told.find("SigBlk:\t0000000000000000") != std::string::npos);
  const std::string ignored = told.substr(told.find("SigIgn:\t") + 8, 16);
  CHECK((std::stoull(ignored, nullptr, 16) & (1ULL << (SIGPIPE - 1))) == 0);
  CHECK(::getpgid(child->pid) == ::getpgrp());
  ::kill(child->pid, SIGKILL);
  wait_for(child->pid);
}

TEST_CASE("descriptors of ours do not reach the child, those that were meant for it do") {
  const temporary_folder folder;
  const descriptor null{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  const descriptor ours{::fcntl(null.get(), F_DUPFD_CLOEXEC, 150)};
  const descriptor meant{::fcntl(null.get(), F_DUPFD, 160)};
  auto request = shell("ls /proc/self/fd >&2");
  request.error_file = folder.at("errors");
  wait_for(launcher::spawn_child(request)->pid);
  const std::string open = folder.get("errors");
  CHECK(open.find(std::to_string(ours.get())) == std::string::npos);
  CHECK(open.find(std::to_string(meant.get())) != std::string::npos);
}

TEST_CASE("a program that cannot be executed is a sentence that names it and what to do") {
  const temporary_folder folder;
  folder.put("plain", "no program");
  folder.put("no-interpreter", "#!/nonexistent/node\n");
  folder.put("data", "neither program nor script");
  ::chmod(folder.at("no-interpreter").c_str(), 0755);
  ::chmod(folder.at("data").c_str(), 0755);
  struct row {
    std::string program;
    std::string folder;
    std::string says;
  };
  const row table[] = {
      {folder.at("missing"), "", "missing does not exist"},
      {folder.at("plain"), "", "plain may not be executed"},
      {folder.at("no-interpreter"), "", "the interpreter in its first line"},
      {folder.at("data"), "", "names no interpreter"},
      {folder.path(), "", "may not be executed"},
      {"/bin/true", folder.at("gone"), "gone cannot be entered"},
  };
  for (const row& each : table) {
    spawn_request request;
    request.program = each.program;
    request.folder = each.folder;
    const auto child = launcher::spawn_child(request);
    CAPTURE(each.program);
    REQUIRE_FALSE(child);
    CHECK(child.error().message.find(each.says) != std::string::npos);
    // Nothing is left to reap.
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
  }
}

TEST_CASE("the child gets SIGTERM when its launcher is killed") {
  const temporary_folder folder;
  // The launcher of this test is a process of its own that can be killed.
  const pid_t launcher_pid = ::fork();
  if (launcher_pid == 0) {
    auto request = shell("trap 'echo term > ended; exit' TERM; echo up > up; "
                         "while :; do sleep 0.02; done");
    request.folder = folder.path();
    if (!launcher::spawn_child(request)) {
      ::_exit(1);
    }
    ::pause();
    ::_exit(0);
  }
  const auto appears = [&](const char* name) {
    const auto missing = [&] { return folder.get(name).empty() || folder.get(name) == "(none)"; };
    for (int tries = 0; tries < 1000 && missing(); ++tries) {
      ::usleep(10'000);
    }
    return folder.get(name);
  };
  REQUIRE(appears("up") == "up\n");
  ::kill(launcher_pid, SIGKILL);
  wait_for(launcher_pid);
  CHECK(appears("ended") == "term\n");
}
