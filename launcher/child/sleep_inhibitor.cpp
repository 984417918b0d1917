#include "launcher/child/sleep_inhibitor.hpp"

#include "launcher/child/helper_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace resilient::launcher {

namespace {

/// The first line of what it said.
std::string complaint(const descriptor& output) {
  char buffer[400];
  const ssize_t count = ::read(output.get(), buffer, sizeof buffer);
  std::string text(buffer, count > 0 ? static_cast<std::size_t>(count) : 0);
  text.erase(std::min(text.find('\n'), text.size()));
  return text;
}

} // namespace

std::vector<std::string> inhibitor_words(platform system, pid_t launcher) {
  switch (system) {
  case platform::macos:
    return {"caffeinate", "-i", "-w", fmt::format("{}", launcher)};
  case platform::systemd:
    break;
  }
  return {"systemd-inhibit",        "--what=sleep:idle", "--who=pi-resilient",
          "--why=a goal is active", "--mode=block",      "cat"};
}

sleep_inhibitor::sleep_inhibitor(io_loop& loop, std::function<void(pid_t)> started)
    : loop_{loop}, started_{std::move(started)} {}

void sleep_inhibitor::keep_awake(std::function<void(std::string)> ended) {
  loop_.post([this, ended = std::move(ended)]() mutable { start(std::move(ended)); });
}

void sleep_inhibitor::let_sleep() {
  loop_.post([this] { release(); });
}

void sleep_inhibitor::start(std::function<void(std::string)> ended) {
  release();
  auto life = make_pipe();
  auto output = make_pipe();
  if (!life || !output) {
    ended((!life ? life : output).error().message);
    return;
  }
  const std::vector<std::string> words = inhibitor_words(this_platform, ::getpid());
  const auto pid = start_helper({words, {}, life->reading.get(), output->writing.get()});
  if (!pid) {
    ended(pid.error() == ENOENT ? fmt::format("{} is not installed", words.front())
                                : fmt::format("{} could not be started ({})", words.front(),
                                              std::strerror(pid.error())));
    return;
  }
  ::fcntl(output->reading.get(), F_SETFL, O_NONBLOCK);
  life_ = std::move(life->writing);
  output_ = std::move(output->reading);
  pid_ = *pid;
  ended_ = std::move(ended);
  started_(pid_);
}

void sleep_inhibitor::release() {
  ended_ = nullptr;
  life_ = descriptor{};
  output_ = descriptor{};
  signal_group(std::exchange(pid_, 0), SIGTERM);
}

void sleep_inhibitor::on_ended(pid_t pid, const process::exit_status& status) {
  if (pid != pid_ || pid == 0) {
    return;
  }
  pid_ = 0;
  const std::string said = complaint(output_);
  const auto ended = std::exchange(ended_, nullptr);
  release();
  ended(fmt::format("{} ended ({}){}{}", inhibitor_words(this_platform, 0).front(),
                    process::describe(status), said.empty() ? "" : ": ", said));
}

} // namespace resilient::launcher
