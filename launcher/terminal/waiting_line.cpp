#include "launcher/terminal/waiting_line.hpp"

#include "core/support/text.hpp"
#include "launcher/terminal/last_lines.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace resilient::launcher {

namespace {

/// How many of a line's last columns are kept when it is too long: ". Enter: now. Ctrl+C: end."
constexpr std::size_t kept_end = 26;
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

/// Whether it would wait for somebody to type.
bool has_input(int terminal) {
  pollfd state{terminal, POLLIN, 0};
  return ::poll(&state, 1, 0) > 0;
}

} // namespace

std::string fitted(std::string_view line, std::size_t columns) {
  std::vector<std::string_view> letters;
  for (std::string_view rest = line; !rest.empty();) {
    const std::string_view before = rest;
    static_cast<void>(take_code_point(rest));
    letters.push_back(before.substr(0, before.size() - rest.size()));
  }
  // A terminal may go on to the next line once its last column is full.
  const std::size_t room = columns > 0 ? columns - 1 : letters.size();
  if (letters.size() <= room) {
    return std::string{line};
  }
  if (room == 0) {
    return {};
  }
  const std::size_t end = std::min(kept_end, (room - 1) / 3);
  const std::size_t beginning = room - 1 - end;
  std::string text;
  for (std::size_t each = 0; each < letters.size(); ++each) {
    if (each == beginning) {
      text += "…";
    }
    if (each < beginning || each >= letters.size() - end) {
      text += letters[each];
    }
  }
  return text;
}

waiting_line::waiting_line(io_loop& loop, int input, output& errors,
                           std::function<void()> enter_pressed)
    : loop_{loop}, input_{input}, errors_{errors}, enter_pressed_{std::move(enter_pressed)},
      keys_again_{loop.context()} {}

waiting_line::~waiting_line() {
  stop_reading_keys();
}

void waiting_line::show(std::string line, bool keys) {
  line = without_controls(std::move(line));
  if (line == shown_) {
    return;
  }
  if (errors_.is_terminal()) {
    errors_.write(erase_line + fitted(line, errors_.columns()));
  } else if (!line.empty()) {
    errors_.write(line + "\n");
  }
  shown_ = std::move(line);
  takes_keys_ = keys && !shown_.empty();
  if (takes_keys_) {
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
    errors_.write(erase_line + line + "\n" + fitted(shown_, errors_.columns()));
  } else {
    errors_.write(line + "\n");
  }
}

void waiting_line::redraw() {
  if (errors_.is_terminal() && !shown_.empty()) {
    errors_.write(erase_line + fitted(shown_, errors_.columns()));
  }
  if (takes_keys_) {
    read_keys();
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
      // Somebody else's keys. Nobody tells a process that it comes to the foreground.
      look_again();
      return;
    }
    if (!has_input(input_)) {
      read_keys();
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

void waiting_line::look_again() {
  keys_again_.expires_after(std::chrono::seconds{5});
  keys_again_.async_wait([this](std::error_code cancelled) {
    if (cancelled || !takes_keys_) {
      return;
    }
    if (is_in_foreground(input_)) {
      read_keys();
    } else {
      look_again();
    }
  });
}

void waiting_line::stop_reading_keys() {
  keys_again_.cancel();
  keys_.reset();
}

} // namespace resilient::launcher
