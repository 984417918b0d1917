#include "launcher/terminal/last_lines.hpp"
#include "launcher/terminal/saved_terminal.hpp"
#include "launcher/terminal/waiting_line.hpp"
#include "tests/core/support/temporary_folder.hpp"
#include "tests/launcher/pseudo_terminal.hpp"
#include "tests/launcher/run_until.hpp"

#include <sys/ioctl.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>

using namespace resilient;
using namespace std::chrono_literals;
using tests::pseudo_terminal;

namespace {

struct pipe_pair {
  pipe_pair() {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    reading = descriptor{ends[0]};
    writing = descriptor{ends[1]};
  }
  [[nodiscard]] std::string seen() const {
    char buffer[65536];
    const ssize_t count = ::read(reading.get(), buffer, sizeof buffer);
    return count > 0 ? std::string(buffer, static_cast<std::size_t>(count)) : std::string{};
  }
  descriptor reading;
  descriptor writing;
};

} // namespace

TEST_CASE("after a dead child the terminal is as it was, byte for byte, and typed bytes are gone") {
  const pseudo_terminal terminal;
  termios before{};
  REQUIRE(::tcgetattr(terminal.inner(), &before) == 0);
  // Something that is no default, so that restoring defaults would show.
  before.c_cc[VINTR] = 7;
  before.c_lflag &= ~static_cast<tcflag_t>(ECHOCTL);
  REQUIRE(::tcsetattr(terminal.inner(), TCSANOW, &before) == 0);
  launcher::output screen{terminal.inner()};
  launcher::saved_terminal saved{terminal.inner(), screen};
  CHECK(saved.is_terminal());

  termios raw = before;
  ::cfmakeraw(&raw);
  REQUIRE(::tcsetattr(terminal.inner(), TCSANOW, &raw) == 0);
  terminal.type("left over");
  int arrived = 0;
  for (int tries = 0; tries < 1000 && arrived < 9; ++tries) {
    ::ioctl(terminal.inner(), FIONREAD, &arrived);
    ::usleep(1000);
  }
  REQUIRE(arrived == 9);
  saved.restore();

  termios after{};
  REQUIRE(::tcgetattr(terminal.inner(), &after) == 0);
  CHECK(after.c_iflag == before.c_iflag);
  CHECK(after.c_oflag == before.c_oflag);
  CHECK(after.c_cflag == before.c_cflag);
  CHECK(after.c_lflag == before.c_lflag);
  CHECK(std::memcmp(after.c_cc, before.c_cc, sizeof after.c_cc) == 0);
  // Written out here once more: the order matters.
  CHECK(terminal.seen()
        == "\033[?2026l\033[?1006l\033[?1004l\033[?1003l\033[?1002l\033[?1000l\033[?2031l\033[?7h"
           "\033[?2004l\033[<u\033[>4;0m\033]8;;\a\033[0m\033[?25h\0337\033[?1049l\r\033[J");
  int waiting = -1;
  REQUIRE(::ioctl(terminal.inner(), FIONREAD, &waiting) == 0);
  CHECK(waiting == 0);
}

TEST_CASE("before a start only the line modes are put back") {
  const pseudo_terminal terminal;
  launcher::output screen{terminal.inner()};
  launcher::saved_terminal saved{terminal.inner(), screen};
  termios raw{};
  ::tcgetattr(terminal.inner(), &raw);
  ::cfmakeraw(&raw);
  ::tcsetattr(terminal.inner(), TCSANOW, &raw);
  saved.restore_line_modes();
  termios after{};
  ::tcgetattr(terminal.inner(), &after);
  CHECK((after.c_lflag & ICANON) != 0);
  CHECK(terminal.seen().empty());
}

TEST_CASE("a pipe is never sent what a terminal needs") {
  const pipe_pair pipe;
  launcher::output screen{pipe.writing.get()};
  launcher::saved_terminal saved{pipe.reading.get(), screen};
  CHECK_FALSE(saved.is_terminal());
  saved.restore();
  CHECK(pipe.seen().empty());
}

TEST_CASE("a terminal that is gone is no failure") {
  pseudo_terminal terminal;
  launcher::output screen{terminal.inner()};
  launcher::saved_terminal saved{terminal.inner(), screen};
  terminal.hang_up();
  const auto begin = std::chrono::steady_clock::now();
  saved.restore();
  CHECK_FALSE(screen.write("x"));
  CHECK(std::chrono::steady_clock::now() - begin < 500ms);
}

TEST_CASE("a reader that does not read costs a bounded time") {
  ::signal(SIGPIPE, SIG_IGN);
  {
    const pseudo_terminal terminal;
    launcher::output screen{terminal.inner(), 50ms};
    REQUIRE(::tcflow(terminal.inner(), TCOOFF) == 0);
    CHECK_FALSE(screen.write(std::string(100'000, 'x')));
  }
  const pipe_pair pipe;
  launcher::output out{pipe.writing.get(), 50ms};
  CHECK_FALSE(out.write(std::string(1'000'000, 'x')));
  CHECK(pipe.seen().size() > 50'000);
  pipe_pair gone;
  launcher::output lost{gone.writing.get(), 50ms};
  gone.reading = descriptor{};
  CHECK_FALSE(lost.write("x"));
}

TEST_CASE("our writing leaves the flags of the shared terminal alone") {
  const pseudo_terminal terminal;
  launcher::output screen{terminal.inner()};
  CHECK(screen.write("hello"));
  CHECK((::fcntl(terminal.inner(), F_GETFL) & O_NONBLOCK) == 0);
  CHECK(terminal.seen() == "hello");
}

TEST_CASE("the waiting line replaces itself, and lines that are said stand above it") {
  launcher::io_loop loop;
  const pseudo_terminal terminal;
  launcher::output errors{terminal.inner()};
  launcher::waiting_line line{loop, terminal.inner(), errors, [] {}};
  line.show("waiting 2 min", false);
  CHECK(terminal.seen() == "\r\x1b[2Kwaiting 2 min");
  line.show("waiting 2 min", false);
  CHECK(terminal.seen().empty());
  line.show("waiting\x1b[2J\n1 min", false);
  CHECK(terminal.seen() == "\r\x1b[2Kwaiting [2J 1 min");
  line.say("a word");
  CHECK(terminal.seen() == "\r\x1b[2Ka word\r\nwaiting [2J 1 min");
  line.redraw();
  CHECK(terminal.seen() == "\r\x1b[2Kwaiting [2J 1 min");
  line.show("", false);
  CHECK(terminal.seen() == "\r\x1b[2K");
  line.say("bye");
  CHECK(terminal.seen() == "bye\r\n");
}

TEST_CASE("a line that is too long for one row loses what stands before its end") {
  struct row {
    std::size_t columns;
    const char* line;
    const char* fitted;
  };
  const row rows[] = {
      {0, "of any length", "of any length"},
      {14, "thirteen long", "thirteen long"},
      {13, "thirteen long", "thirteen…ong"},
      {6, "Grüße, Größe", "Grü…e"},
      {2, "ab", "…"},
      {1, "ab", ""},
      {80,
       "pi-resilient waits until 11:10Z (5 min): Pi keeps failing: exit 1, Error: no. Enter: "
       "now. Ctrl+C: end.",
       "pi-resilient waits until 11:10Z (5 min): Pi keeps fa…. Enter: now. Ctrl+C: end."},
  };
  for (const row& row : rows) {
    CAPTURE(row.line);
    CHECK(launcher::fitted(row.line, row.columns) == row.fitted);
  }
  launcher::io_loop loop;
  const pseudo_terminal terminal;
  winsize size{24, 11, 0, 0};
  REQUIRE(::ioctl(terminal.inner(), TIOCSWINSZ, &size) == 0);
  launcher::output errors{terminal.inner()};
  launcher::waiting_line line{loop, terminal.inner(), errors, [] {}};
  line.show("waiting for long", false);
  CHECK(terminal.seen() == "\r\x1b[2Kwaitin…ong");
  size.ws_col = 30;
  REQUIRE(::ioctl(terminal.inner(), TIOCSWINSZ, &size) == 0);
  line.redraw();
  CHECK(terminal.seen() == "\r\x1b[2Kwaiting for long");
}

TEST_CASE("where stderr is no terminal each waiting line is one plain line") {
  launcher::io_loop loop;
  const pipe_pair pipe;
  launcher::output errors{pipe.writing.get()};
  launcher::waiting_line line{loop, pipe.reading.get(), errors, [] {}};
  line.show("one", true);
  line.show("two", true);
  line.show("", false);
  line.say("three");
  CHECK(pipe.seen() == "one\ntwo\nthree\n");
}

TEST_CASE("while Pi has the terminal nothing is written; it comes afterwards, bounded") {
  launcher::io_loop loop;
  const pseudo_terminal terminal;
  launcher::output errors{terminal.inner()};
  launcher::waiting_line line{loop, terminal.inner(), errors, [] {}};
  line.show("waiting", false);
  static_cast<void>(terminal.seen());
  line.terminal_is_taken();
  CHECK(terminal.seen() == "\r\x1b[2K");
  for (int said = 0; said < 30; ++said) {
    line.say(std::to_string(said));
  }
  CHECK(terminal.seen().empty());
  line.terminal_is_free();
  const std::string seen = terminal.seen();
  CHECK(seen.find("10\r\n11\r\n") == 0);
  CHECK(seen.find("29\r\n") != std::string::npos);
}

TEST_CASE("Enter is reported, other keys are not, and Ctrl+C stays a signal") {
  int outer = -1;
  const pid_t child = ::forkpty(&outer, nullptr, nullptr, nullptr);
  if (child == 0) {
    sigset_t none;
    ::sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
    launcher::io_loop loop;
    launcher::output errors{2};
    int enters = 0;
    launcher::waiting_line line{loop, 0, errors, [&] { ++enters; }};
    line.show("ready", true);
    if (!tests::run_until(loop, [&] { return enters == 2; })) {
      ::_exit(9);
    }
    // Ctrl+C now ends it by the signal's own effect.
    line.show("interrupt", true);
    tests::run_for(loop, 20s);
    ::_exit(8);
  }
  const descriptor owned{outer};
  const auto await = [&](const std::string& text) {
    std::string all;
    char buffer[1024];
    while (all.find(text) == std::string::npos) {
      pollfd state{outer, POLLIN, 0};
      if (::poll(&state, 1, 10'000) <= 0) {
        return false;
      }
      const ssize_t count = ::read(outer, buffer, sizeof buffer);
      if (count <= 0) {
        return false;
      }
      all.append(buffer, static_cast<std::size_t>(count));
    }
    return true;
  };
  REQUIRE(await("ready"));
  REQUIRE(::write(outer, "abc\x04", 4) == 4); // no Enter: only the end of the input
  ::usleep(50'000);
  REQUIRE(::write(outer, "\r", 1) == 1);
  REQUIRE(await("\x1b[2Kready"));
  REQUIRE(::write(outer, "\r", 1) == 1);
  REQUIRE(await("interrupt"));
  REQUIRE(::write(outer, "\x03", 1) == 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGINT);
}

TEST_CASE("a terminal that hangs up while keys are read does not make us spin") {
  int outer = -1;
  int told[2];
  REQUIRE(::pipe2(told, O_CLOEXEC) == 0);
  const pid_t child = ::forkpty(&outer, nullptr, nullptr, nullptr);
  if (child == 0) {
    ::signal(SIGHUP, SIG_IGN);
    launcher::io_loop loop;
    launcher::output errors{2};
    launcher::waiting_line line{loop, 0, errors, [] {}};
    line.show("ready", true);
    int turns = 0;
    const auto until = std::chrono::steady_clock::now() + 600ms;
    while (std::chrono::steady_clock::now() < until) {
      turns += static_cast<int>(loop.context().run_one_for(600ms));
      if (loop.context().stopped()) {
        loop.context().restart();
        ::usleep(20'000);
      }
    }
    [[maybe_unused]] const auto written = ::write(told[1], &turns, sizeof turns);
    ::_exit(0);
  }
  char buffer[64];
  REQUIRE(::read(outer, buffer, sizeof buffer) > 0);
  ::usleep(50'000);
  ::close(outer);
  int turns = -1;
  REQUIRE(::read(told[0], &turns, sizeof turns) == sizeof turns);
  CHECK(turns < 10);
  ::waitpid(child, nullptr, 0);
  ::close(told[0]);
  ::close(told[1]);
}

TEST_CASE("Enter is taken again once the keys are ours again") {
  // The shell of a terminal moves the launcher to the background, where another program reads what
  // is typed, and back to the foreground, of which nobody tells us.
  int outer = -1;
  int told[2];
  REQUIRE(::pipe2(told, O_CLOEXEC) == 0);
  const pid_t shell = ::forkpty(&outer, nullptr, nullptr, nullptr);
  if (shell == 0) {
    ::signal(SIGTTOU, SIG_IGN);
    const pid_t job = ::fork();
    if (job == 0) {
      ::setpgid(0, 0);
      launcher::io_loop loop;
      launcher::output errors{2};
      int enters = 0;
      launcher::waiting_line line{loop, 0, errors, [&] { ++enters; }};
      line.show("ready", true);
      [[maybe_unused]] auto written = ::write(told[1], "r", 1);
      const bool reached = tests::run_until(loop, [&] { return enters == 1; });
      written = ::write(told[1], reached ? "e" : "n", 1);
      ::_exit(0);
    }
    ::setpgid(job, job);
    char typed[16];
    [[maybe_unused]] const auto count = ::read(0, typed, sizeof typed);
    ::usleep(200'000); // the launcher has seen that keys came
    ::tcsetpgrp(0, job);
    ::waitpid(job, nullptr, 0);
    ::_exit(0);
  }
  char said = 0;
  REQUIRE(::read(told[0], &said, 1) == 1);
  ::usleep(50'000);
  REQUIRE(::write(outer, "ls\r", 3) == 3); // the shell's
  ::usleep(500'000);
  REQUIRE(::write(outer, "\r", 1) == 1);
  REQUIRE(::read(told[0], &said, 1) == 1);
  CHECK(said == 'e');
  ::kill(shell, SIGKILL);
  ::waitpid(shell, nullptr, 0);
  for (const int each : {outer, told[0], told[1]}) {
    ::close(each);
  }
}

TEST_CASE("the last words of a program are its error, not what stands below it") {
  const tests::temporary_folder folder;
  struct row {
    const char* what;
    std::string text;
    const char* words;
  };
  const std::string thrown = "/pi/main.js:3\n  throw new Error('no');\n  ^\n\nError: no\n    at "
                             "main (/pi/main.js:3:9)\n    at run (node:internal)\n\nNode.js "
                             "v22.18.0\n";
  const row rows[] = {
      {"an error of Node's", thrown, "Error: no"},
      {"one with more in it", "Error: no {\n  code: 'ENOENT'\n}\n\nNode.js v22.18.0\n",
       "Error: no {"},
      {"a plain line", "warming up\npi: out of luck\n", "pi: out of luck"},
      {"no newline at its end", "a\nb", "b"},
      {"controls", "\x1b[1;31mred\x1b[0m\x07\n", "red"},
      {"a colour that was cut", "red\x1b[3", "red"},
      {"a key", "refused sk-abcdefghijklmnopqrstuvwxyz0123456789\n", "refused sk-***"},
      {"nothing", "", ""},
      {"blanks", "\n\n  \n", ""},
  };
  for (const row& row : rows) {
    CAPTURE(row.what);
    folder.put("errors", row.text);
    CHECK(launcher::last_words(folder.at("errors"), 0) == row.words);
    // What was there before is somebody else's, also when its last line was not ended.
    folder.put("errors", "Error: of an earlier one" + row.text);
    CHECK(launcher::last_words(folder.at("errors"), 24) == row.words);
  }
  folder.put("errors", "Error: of another file\n");
  CHECK(launcher::last_words(folder.at("errors"), 1000).empty());
  folder.put("errors", "Error: " + std::string(5000, 'x') + "\n");
  CHECK(launcher::last_words(folder.at("errors"), 0).size() == 200);
  CHECK(launcher::last_words(folder.at("missing"), 0).empty());
}

TEST_CASE("the end of a file is shown as whole lines without controls") {
  const tests::temporary_folder folder;
  folder.put("errors", "first line\nsecond\x1b[31m red\nthird\xff\n");
  using lines = std::vector<std::string>;
  CHECK(launcher::last_lines(folder.at("errors"), 1000)
        == lines{"first line", "second [31m red", "third\xef\xbf\xbd"});
  CHECK(launcher::last_lines(folder.at("errors"), 12) == lines{"third\xef\xbf\xbd"});
  CHECK(launcher::last_lines(folder.at("missing"), 12).empty());
  folder.put("empty", "");
  CHECK(launcher::last_lines(folder.at("empty"), 12).empty());
  folder.put("one", std::string(100, 'x'));
  CHECK(launcher::last_lines(folder.at("one"), 12).empty());
}
