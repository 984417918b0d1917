#include "launcher/io/signals.hpp"

#include <csignal>
#include <utility>

#ifdef __linux__
#include <sys/signalfd.h>
#include <unistd.h>
#endif

namespace resilient::launcher {

namespace {

constexpr int watched_signals[] = {SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGCONT};

bool is_ignored(int signal_number) {
  struct sigaction current {};
  return ::sigaction(signal_number, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
}

// A blocked signal is queued even when it is ignored, so an ignored one must not be watched.
bool is_watched(int signal_number) {
  return signal_number == SIGCHLD || signal_number == SIGTERM || !is_ignored(signal_number);
}

void set_disposition(int signal_number, void (*handler)(int)) {
  struct sigaction wanted {};
  wanted.sa_handler = handler;
  ::sigemptyset(&wanted.sa_mask);
  ::sigaction(signal_number, &wanted, nullptr);
}

} // namespace

void prepare_signals() {
  set_disposition(SIGPIPE, SIG_IGN);
  // With SIGCHLD ignored the system would reap for us and lose the exit status.
  set_disposition(SIGCHLD, SIG_DFL);
  set_disposition(SIGTERM, SIG_DFL);
#ifdef __linux__
  sigset_t blocked;
  ::sigemptyset(&blocked);
  for (const int signal_number : watched_signals) {
    if (is_watched(signal_number)) {
      ::sigaddset(&blocked, signal_number);
    }
  }
  ::pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
#endif
}

#ifdef __linux__

signal_watcher::signal_watcher(io_loop& loop, std::function<void(int)> caught)
    : caught_{std::move(caught)}, source_{loop.context()} {
  sigset_t watched;
  ::sigemptyset(&watched);
  for (const int signal_number : watched_signals) {
    if (is_watched(signal_number)) {
      ::sigaddset(&watched, signal_number);
    }
  }
  source_.assign(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
  wait();
}

void signal_watcher::wait() {
  source_.async_wait(asio::posix::stream_descriptor::wait_read, [this](std::error_code failed) {
    if (failed) {
      return;
    }
    signalfd_siginfo info{};
    while (::read(source_.native_handle(), &info, sizeof info)
           == static_cast<ssize_t>(sizeof info)) {
      caught_(static_cast<int>(info.ssi_signo));
    }
    wait();
  });
}

#else

signal_watcher::signal_watcher(io_loop& loop, std::function<void(int)> caught)
    : caught_{std::move(caught)}, source_{loop.context()} {
  for (const int signal_number : watched_signals) {
    if (is_watched(signal_number)) {
      std::error_code ignored;
      source_.add(signal_number, ignored);
    }
  }
  wait();
}

void signal_watcher::wait() {
  source_.async_wait([this](std::error_code failed, int signal_number) {
    if (!failed) {
      caught_(signal_number);
      wait();
    }
  });
}

#endif

} // namespace resilient::launcher
