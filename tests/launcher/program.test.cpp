#include "core/support/descriptor.hpp"
#include "launcher/child/process_table.hpp"
#include "launcher/terminal/saved_terminal.hpp"
#include "tests/core/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <pty.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

// The program as a whole, with a shell script in the place of Pi.

using namespace resilient;
using tests::temporary_folder;

namespace {

template <class Condition>
bool eventually(Condition reached) {
  const auto give_up_at = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (!reached()) {
    if (std::chrono::steady_clock::now() >= give_up_at) {
      return false;
    }
    ::usleep(5'000);
  }
  return true;
}

struct outcome {
  std::string out;
  std::string errors;
  int code = -1; ///< 128 plus the signal when it was killed
};

int code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// A home of its own, a project, and a Pi made of a script.
class machine {
public:
  explicit machine(const std::string& pi_script) {
    std::filesystem::create_directory(home());
    std::filesystem::create_directory(folder_.at("project"));
    folder_.put("pi", "#!/bin/sh\n" + pi_script);
    ::chmod(folder_.at("pi").c_str(), 0755);
  }
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;
  ~machine() {
    for (const pid_t pid : started_) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }

  [[nodiscard]] std::string home() const { return folder_.at("home"); }
  [[nodiscard]] const temporary_folder& folder() const { return folder_; }

  /// Starts pi-resilient with stdin from /dev/null and its output into files.
  pid_t start(const std::vector<std::string>& arguments, const std::string& name = "run") {
    const pid_t pid = ::fork();
    if (pid == 0) {
      redirect("/dev/null", O_RDONLY, 0);
      redirect(folder_.at(name + ".out"), O_WRONLY | O_CREAT | O_TRUNC, 1);
      redirect(folder_.at(name + ".err"), O_WRONLY | O_CREAT | O_TRUNC, 2);
      execute(arguments);
    }
    started_.push_back(pid);
    return pid;
  }

  /// The same without stdin, stdout and stderr.
  pid_t start_closed(const std::vector<std::string>& arguments) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      for (const int number : {0, 1, 2}) {
        ::close(number);
      }
      execute(arguments);
    }
    started_.push_back(pid);
    return pid;
  }

  /// Waits for the end of one that was started.
  outcome end(pid_t pid, const std::string& name = "run") {
    int status = 0;
    REQUIRE(eventually([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }));
    std::erase(started_, pid);
    return {folder_.get(name + ".out"), folder_.get(name + ".err"), code_of(status)};
  }

  outcome run(const std::vector<std::string>& arguments, const std::string& name = "command") {
    return end(start(arguments, name), name);
  }

  /// In a child process: becomes pi-resilient.
  [[noreturn]] void execute(const std::vector<std::string>& arguments) const {
    ::setenv("HOME", home().c_str(), 1);
    ::setenv("PI_REAL_BIN", folder_.at("pi").c_str(), 1);
    ::setenv("PI_RESILIENT_EXTENSION", folder_.at("pi").c_str(), 1);
    ::unsetenv("PI_CODING_AGENT_DIR");
    ::setenv("T", folder_.path().c_str(), 1);
    ::unsetenv("PI_RESILIENT_SECRET");
    if (::chdir(folder_.at("project").c_str()) != 0) {
      ::_exit(1);
    }
    std::vector<std::string> words{PI_RESILIENT_PROGRAM_UNDER_TEST};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& each : words) {
      pointers.push_back(each.data());
    }
    pointers.push_back(nullptr);
    ::execv(pointers[0], pointers.data());
    ::_exit(126);
  }

  /// The number in a file that a script writes with `echo $$ > file`.
  pid_t pid_in(const std::string& name) const {
    pid_t pid = 0;
    eventually([&] {
      const std::string text = folder_.get(name);
      if (text != "(none)" && !text.empty() && text.back() == '\n') {
        pid = static_cast<pid_t>(std::stol(text));
      }
      return pid > 0;
    });
    REQUIRE(pid > 0);
    return pid;
  }

private:
  static void redirect(const std::string& path, int flags, int number) {
    const int opened = ::open(path.c_str(), flags, 0600);
    ::dup2(opened, number);
    ::close(opened);
  }

  temporary_folder folder_;
  std::vector<pid_t> started_;
};

bool is_gone(pid_t pid) {
  const auto entry = launcher::find_process(pid);
  return !entry || entry->state == 'Z';
}

bool has_state(pid_t pid, char state) {
  const auto entry = launcher::find_process(pid);
  return entry && entry->state == state;
}

/// It waits without a child: a shell that starts one just when Ctrl+Z stops both is not seen as
/// stopped itself.
const std::string live = "trap 'echo term >> $T/told; exit 143' TERM; "
                         "mkfifo $T/idle.$$; exec 3<>$T/idle.$$; "
                         "echo $$ > $T/pid.$$; mv $T/pid.$$ $T/pid; "
                         "while :; do read -r idle <&3; done\n";

/// A terminal with a shell of sorts that runs pi-resilient in the foreground.
class terminal_session {
public:
  terminal_session(const machine& where, const std::vector<std::string>& arguments) {
    int told[2];
    REQUIRE(::pipe2(told, O_CLOEXEC) == 0);
    int outer = -1;
    shell_ = ::forkpty(&outer, nullptr, nullptr, nullptr);
    if (shell_ == 0) {
      ::signal(SIGTTOU, SIG_IGN);
      const pid_t job = ::fork();
      if (job == 0) {
        ::setpgid(0, 0);
        ::tcsetpgrp(0, ::getpid());
        for (const int number : {SIGTTOU, SIGTSTP, SIGTTIN, SIGINT, SIGHUP}) {
          ::signal(number, SIG_DFL);
        }
        where.execute(arguments);
      }
      [[maybe_unused]] auto written = ::write(told[1], &job, sizeof job);
      int status = 0;
      ::waitpid(job, &status, 0);
      written = ::write(told[1], &status, sizeof status);
      ::_exit(0);
    }
    ::close(told[1]);
    told_ = descriptor{told[0]};
    outer_ = descriptor{outer};
    ::fcntl(outer, F_SETFL, O_NONBLOCK);
    REQUIRE(::read(told_.get(), &job_, sizeof job_) == sizeof job_);
  }
  terminal_session(const terminal_session&) = delete;
  terminal_session& operator=(const terminal_session&) = delete;
  ~terminal_session() {
    ::kill(job_, SIGKILL);
    ::kill(shell_, SIGKILL);
    ::waitpid(shell_, nullptr, 0);
  }

  [[nodiscard]] pid_t job() const { return job_; }

  bool sees(const std::string& text) {
    return eventually([&] {
      read_screen();
      return screen_.find(text) != std::string::npos;
    });
  }
  [[nodiscard]] const std::string& screen() const { return screen_; }
  void type(const std::string& keys) const {
    REQUIRE(::write(outer_.get(), keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
  }
  void hang_up() { outer_ = descriptor{}; }

  /// The exit code of pi-resilient.
  int end() {
    int status = -1;
    pollfd state{told_.get(), POLLIN, 0};
    REQUIRE(eventually([&] {
      read_screen();
      return ::poll(&state, 1, 0) > 0;
    }));
    REQUIRE(::read(told_.get(), &status, sizeof status) == sizeof status);
    return code_of(status);
  }

private:
  void read_screen() {
    char buffer[4096];
    while (outer_) {
      const ssize_t count = ::read(outer_.get(), buffer, sizeof buffer);
      if (count <= 0) {
        return;
      }
      screen_.append(buffer, static_cast<std::size_t>(count));
    }
  }

  pid_t shell_ = 0;
  pid_t job_ = 0;
  descriptor told_;
  descriptor outer_;
  std::string screen_;
};

} // namespace

TEST_CASE("Pi gets the extension, the pinned session, its own arguments and what names its run") {
  machine here{"printf '[%s]' \"$@\" > $T/arguments; env > $T/environment; exit 0\n"};
  const auto end = here.run({"--", "--mode", "rpc", "a b", "ü*"});
  CHECK(end.code == 0);
  const std::string arguments = here.folder().get("arguments");
  CHECK(arguments.find("[-e][" + here.folder().at("pi") + "]") == 0);
  const std::size_t session = arguments.find("[--session][");
  REQUIRE(session != std::string::npos);
  const std::string file =
      arguments.substr(session + 12, arguments.find(']', session + 12) - session - 12);
  CHECK(std::filesystem::exists(file));
  CHECK(file.find(here.home() + "/.pi/agent/sessions/") == 0);
  CHECK(arguments.find("[a b][ü*]") != std::string::npos);
  const std::string environment = "\n" + here.folder().get("environment");
  for (const char* name : {"PI_RESILIENT_SOCKET", "PI_RESILIENT_GENERATION", "PI_RESILIENT_SECRET",
                           "PI_RESILIENT_MARK"}) {
    CAPTURE(name);
    CHECK(environment.find("\n" + std::string{name} + "=") != std::string::npos);
  }
  CHECK(environment.find("PI_RESILIENT_EXTENSION") == std::string::npos);
}

TEST_CASE("what is no session runs as it is, unsupervised") {
  machine here{"printf '[%s]' \"$@\"; exit 9\n"};
  const auto end = here.run({"--", "--help", "x"});
  CHECK(end.out == "[--help][x]");
  CHECK(end.code == 9);
  CHECK_FALSE(std::filesystem::exists(here.home() + "/.pi/agent/resilient"));
}

TEST_CASE("a wrapper that starts us again in disguise ends with a sentence, not in a loop") {
  machine here{"r=pi-resil; exec \"$(dirname \"" PI_RESILIENT_PROGRAM_UNDER_TEST
               "\")/${r}ient\" -- \"$@\"\n"};
  const auto unsupervised = here.run({"--", "--help"});
  CHECK(unsupervised.code == 78);
  CHECK(unsupervised.errors.find("PI_REAL_BIN") != std::string::npos);
  const auto supervised = here.run({"--", "-p", "x"});
  CHECK(supervised.code == 78);
  CHECK(supervised.errors.find("PI_REAL_BIN") != std::string::npos);
}

TEST_CASE("each refusal is one sentence and its exit code") {
  machine here{"exit 0\n"};
  const auto check = [&](const std::vector<std::string>& arguments, int code, const char* says) {
    const auto end = here.run(arguments);
    CHECK(end.code == code);
    CHECK_MESSAGE(end.errors.find(says) != std::string::npos, end.errors);
    CHECK(end.out.empty());
  };
  check({"--", "--no-session"}, 64, "--no-session");
  check({"--model", "x"}, 64, "behind `--`");
  check({"--run-dir", "/proc/none", "--", "-p", "x"}, 73, "/proc/none");
  check({"status"}, 66, "no run");
  here.folder().put("pi", "#!/nonexistent/node\n");
  check({"--", "-p", "x"}, 69, "interpreter");
}

TEST_CASE("SIGTERM to the launcher stops Pi cleanly and ends with its code") {
  machine here{live};
  const pid_t launcher_pid = here.start({"--", "--mode", "rpc"});
  const pid_t pi = here.pid_in("pid");
  ::kill(launcher_pid, SIGTERM);
  CHECK(here.end(launcher_pid).code == 143);
  CHECK(is_gone(pi));
  CHECK(here.folder().get("told") == "term\n");
}

TEST_CASE("a SIGINT that was ignored when it started stays ignored, SIGTERM ends it") {
  machine here{live};
  // As a script does with `pi-resilient ... &`.
  const auto before = std::signal(SIGINT, SIG_IGN);
  const pid_t launcher_pid = here.start({"--", "--mode", "rpc"});
  std::signal(SIGINT, before);
  const pid_t pi = here.pid_in("pid");
  ::kill(launcher_pid, SIGINT);
  ::kill(pi, SIGINT);
  ::usleep(300'000);
  CHECK_FALSE(is_gone(pi));
  ::kill(launcher_pid, SIGTERM);
  // A SIGINT that had been noted would make it 130.
  CHECK(here.end(launcher_pid).code == 143);
}

TEST_CASE("a Pi that is killed is started again, in RPC mode after one newline") {
  machine here{live};
  const pid_t launcher_pid = here.start({"--", "--mode", "rpc"});
  const pid_t first = here.pid_in("pid");
  ::kill(first, SIGKILL);
  REQUIRE(eventually([&] { return here.pid_in("pid") != first; }));
  CHECK(here.folder().get("run.out") == "\n");
  const auto status = here.run({"status", "--json"});
  const auto data = nlohmann::json::parse(status.out, nullptr, false);
  REQUIRE(data.is_object());
  CHECK(data["alive"] == true);
  CHECK(data["supervisor"]["child_pid"] == here.pid_in("pid"));
  CHECK(data["supervisor"]["generation_number"] == 2);
  CHECK(here.run({"stop"}).code == 0);
  CHECK(here.end(launcher_pid).code == 0);
  const auto dead = nlohmann::json::parse(here.run({"status", "--json"}).out, nullptr, false);
  CHECK(dead["alive"] == false);
  CHECK(dead["supervisor"]["state"] == "ended");
}

TEST_CASE("no file of ours takes the place of a closed stdin, stdout or stderr") {
  machine here{"ls -l /proc/$PPID/fd > $T/fds.$$; mv $T/fds.$$ $T/fds; exit 0\n"};
  CHECK(here.end(here.start_closed({"--", "--mode", "rpc"})).code == 0);
  const std::string open = here.folder().get("fds");
  for (const char* link : {" 0 -> /dev/null", " 1 -> /dev/null", " 2 -> /dev/null"}) {
    CHECK_MESSAGE(open.find(link) != std::string::npos, open);
  }
}

TEST_CASE("a second launcher on the same run folder, and one on the same session, are refused") {
  machine here{live};
  const std::string run = here.folder().at("run-folder");
  const std::string session = here.folder().at("s.jsonl");
  const pid_t launcher_pid =
      here.start({"--run-dir", run, "--", "--mode", "rpc", "--session", session});
  here.pid_in("pid");
  const auto same_folder = here.run({"--run-dir", run, "--", "--mode", "rpc"});
  CHECK(same_folder.code == 75);
  CHECK(same_folder.errors.find(std::to_string(launcher_pid)) != std::string::npos);
  const auto same_session = here.run({"--", "--mode", "rpc", "--session", session});
  CHECK(same_session.code == 75);
  CHECK(same_session.errors.find(std::to_string(launcher_pid)) != std::string::npos);
  CHECK(here.run({"stop", "--run-dir", run}).code == 0);
  here.end(launcher_pid);
}

TEST_CASE("a Pi without a first beat is stopped, unless a debugger holds it") {
  for (const bool traced : {false, true}) {
    CAPTURE(traced);
    machine here{live};
    const std::string run = here.folder().at("run-folder");
    const pid_t launcher_pid =
        here.start({"--run-dir", run, "--startup-timeout-seconds", "2", "--", "--mode", "rpc"});
    const auto has_event = [&](const char* text) {
      return here.folder().get("run-folder/events.jsonl").find(text) != std::string::npos;
    };
    const pid_t pi = here.pid_in("pid");
    const pid_t debugger = ::fork();
    if (debugger == 0) {
      if (traced && ::ptrace(PTRACE_SEIZE, pi, nullptr, nullptr) != 0) {
        ::_exit(1);
      }
      ::pause();
      ::_exit(0);
    }
    if (traced) {
      CHECK(eventually([&] { return has_event("child.traced"); }));
      CHECK(here.folder().get("told") == "(none)");
      CHECK(here.pid_in("pid") == pi);
    } else {
      CHECK(eventually([&] { return here.folder().get("told") == "term\n"; }));
      CHECK(has_event("no first heartbeat within 2 s"));
    }
    ::kill(debugger, SIGKILL); // which lets go of what it holds
    ::waitpid(debugger, nullptr, 0);
    ::kill(launcher_pid, SIGTERM);
    CHECK(here.end(launcher_pid).code == 143);
  }
}

TEST_CASE("Pi dies with a launcher that is killed, and what it left is found by the next run") {
  machine here{"setsid sh -c 'echo $$ > $T/tool.$$; mv $T/tool.$$ $T/tool; while :; do sleep 0.02; "
               "done' >/dev/null 2>&1 &\n"
               + live};
  const std::string session = here.folder().at("s.jsonl");
  const pid_t first = here.start({"--", "--mode", "rpc", "--session", session});
  const pid_t pi = here.pid_in("pid");
  const pid_t tool = here.pid_in("tool");
  ::kill(first, SIGKILL);
  here.end(first);
  CHECK(eventually([&] { return is_gone(pi); }));
  CHECK_FALSE(is_gone(tool));
  std::filesystem::remove(here.folder().at("pid"));
  std::filesystem::remove(here.folder().at("tool"));
  const pid_t second = here.start({"--", "--mode", "rpc", "--session", session});
  here.pid_in("pid");
  CHECK(is_gone(tool));
  CHECK(here.run({"stop"}).code == 0);
  here.end(second);
  const pid_t last_tool = here.pid_in("tool");
  ::kill(last_tool, SIGKILL);
}

TEST_CASE("after a kill in terminal mode every mode is undone before the next start") {
  machine here{"stty raw -echo; printf 'PI-DRAWS'; " + live};
  terminal_session terminal{here, {}};
  REQUIRE(terminal.sees("PI-DRAWS"));
  const pid_t first = here.pid_in("pid");
  ::kill(first, SIGKILL);
  REQUIRE(eventually([&] { return here.pid_in("pid") != first; }));
  REQUIRE(terminal.sees(std::string{launcher::leave_all_modes}));
  ::kill(terminal.job(), SIGTERM);
  CHECK(terminal.end() == 143);
  const std::string& screen = terminal.screen();
  // Once for each of the two, and nothing of ours after the second.
  const std::size_t once = screen.find(launcher::leave_all_modes);
  const std::size_t twice = screen.find(launcher::leave_all_modes, once + 1);
  CHECK(once != std::string::npos);
  CHECK(twice != std::string::npos);
}

TEST_CASE("Ctrl+Z stops both, going on resumes both, and nothing is restarted") {
  machine here{live};
  terminal_session terminal{here, {}};
  const pid_t pi = here.pid_in("pid");
  terminal.type("\x1a");
  CHECK(eventually([&] { return has_state(pi, 'T'); }));
  CHECK(eventually([&] { return has_state(terminal.job(), 'T'); }));
  ::usleep(100'000);
  ::kill(-terminal.job(), SIGCONT);
  CHECK(eventually([&] { return !has_state(pi, 'T') && !has_state(terminal.job(), 'T'); }));
  ::usleep(100'000);
  CHECK_FALSE(is_gone(pi));
  CHECK(here.pid_in("pid") == pi);
  ::kill(terminal.job(), SIGTERM);
  CHECK(terminal.end() == 143);
}

TEST_CASE("Ctrl+C while Pi runs is Pi's: its end is then the person's") {
  machine here{"trap 'exit 0' INT; " + live};
  terminal_session terminal{here, {}};
  here.pid_in("pid");
  terminal.type("\x03");
  CHECK(terminal.end() == 130);
}

TEST_CASE("a Pi that never gets healthy is given up after five starts, with the reason") {
  machine here{"echo x >> $T/starts; kill -9 $$\n"};
  terminal_session terminal{here, {"--healthy-seconds", "0"}};
  const int code = terminal.end();
  CHECK(code == 100);
  CHECK(terminal.screen().find("gave up") != std::string::npos);
  CHECK(here.folder().get("starts") == "x\nx\nx\nx\nx\n");
}

TEST_CASE("a terminal that hangs up ends the run without a spin") {
  machine here{live};
  terminal_session terminal{here, {}};
  const pid_t pi = here.pid_in("pid");
  terminal.hang_up();
  CHECK(eventually([&] { return is_gone(terminal.job()) && is_gone(pi); }));
  // A launcher that the signal had killed would have told its state nothing of an end.
  const auto told = nlohmann::json::parse(here.run({"status", "--json"}).out, nullptr, false);
  REQUIRE(told.is_object());
  CHECK(told["supervisor"]["state"] == "ended");
  CHECK(told["supervisor"]["exit_code"] == 129);
}
