#include "launcher/terminal/waiting_line.hpp"

#include "launcher/terminal/last_lines.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace resilient::launcher {

namespace {

constexpr const char* erase_line = "\r\x1b[2K";
/// Lines that are kept while Pi has the terminal; older ones are dropped.
constexpr std::size_t most_kept = 20;

/// Whether reading from the terminal would not stop us.
bool is_in_foreground(int terminal) {
  return ::tcgetpgrp(terminal) == ::getpgrp();
}

bool has_hung_up(int terminal) {
  pollfd state{terminal, POLLIN, 0};
  return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

} // namespace

waiting_line::waiting_line(io_loop& loop, int input, output& errors,
                           std::function<void()> enter_pressed)
    : loop_{loop}, input_{input}, errors_{errors}, enter_pressed_{std::move(enter_pressed)} {}

waiting_line::~waiting_line() {
  stop_reading_keys();
}

void waiting_line::show(std::string line, bool keys) {
  line = without_controls(std::move(line));
  if (line == shown_) {
    return;
  }
  if (errors_.is_terminal()) {
    errors_.write(erase_line + line);
  } else if (!line.empty()) {
    errors_.write(line + "\n");
  }
  shown_ = std::move(line);
  if (keys && !shown_.empty()) {
    read_keys();
  } else {
    stop_reading_keys();
  }
}

void waiting_line::say(std::string line) {
  if (taken_) {
    kept_.push_back(std::move(line));
    if (kept_.size() > most_kept) {
      kept_.pop_front();
    }
    return;
  }
  if (errors_.is_terminal() && !shown_.empty()) {
    errors_.write(erase_line + line + "\n" + shown_);
  } else {
    errors_.write(line + "\n");
  }
}

void waiting_line::redraw() {
  if (errors_.is_terminal() && !shown_.empty()) {
    errors_.write(erase_line + shown_);
  }
}

void waiting_line::terminal_is_taken() {
  show({}, false);
  taken_ = true;
}

void waiting_line::terminal_is_free() {
  taken_ = false;
  for (std::string& line : std::exchange(kept_, {})) {
    say(std::move(line));
  }
}

void waiting_line::read_keys() {
  if (keys_ || ::isatty(input_) != 1) {
    return;
  }
  keys_ = std::make_unique<asio::posix::stream_descriptor>(loop_.context());
  std::error_code failed;
  // A copy: closing it leaves the terminal of the child open.
  keys_->assign(::fcntl(input_, F_DUPFD_CLOEXEC, 3), failed);
  if (failed) {
    keys_.reset();
    return;
  }
  keys_->async_wait(asio::posix::stream_descriptor::wait_read, [this](std::error_code stopped) {
    if (stopped) {
      return;
    }
    stop_reading_keys();
    if (!is_in_foreground(input_)) {
      // Somebody else's keys. The next line looks again.
      return;
    }
    char typed[256];
    const ssize_t count = ::read(input_, typed, sizeof typed);
    if (count < 0 || (count == 0 && has_hung_up(input_))) {
      return;
    }
    const bool enter = std::find(typed, typed + count, '\n') != typed + count;
    read_keys();
    redraw();
    if (enter) {
      enter_pressed_();
    }
  });
}

void waiting_line::stop_reading_keys() {
  keys_.reset();
}

} // namespace resilient::launcher
