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
