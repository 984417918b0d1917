#include "launcher/canon/parent_watch.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace resilient::canon {

namespace {

volatile sig_atomic_t end_requested = 0;

void request_end(int /*signal*/) {
  end_requested = 1;
}

void look_around(int /*signal*/) {
  // only interrupts the wait: whether the parent died is asked afterwards
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

} // namespace

parent_watch::parent_watch() : parent_(::getppid()) {
  const int parent_died = SIGRTMIN;
  sigemptyset(&outside_wait_);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, parent_died}) {
    sigaddset(&outside_wait_, signal);
    handle(signal, signal == parent_died ? look_around : request_end);
  }
  ::sigprocmask(SIG_BLOCK, &outside_wait_, &inside_wait_);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, parent_died}) {
    sigdelset(&inside_wait_, signal);
  }
#ifdef __linux__
  // The kernel also sends this signal when only the thread of the parent ended that started us.
  ::prctl(PR_SET_PDEATHSIG, parent_died);
#endif
}

parent_watch::outcome parent_watch::wait(int descriptor, bool to_read) const {
  for (;;) {
    if (end_requested != 0 || ::getppid() != parent_) {
      return outcome::ended;
    }
    pollfd watched{descriptor, static_cast<short>(to_read ? POLLIN : POLLOUT), 0};
    const int ready = ::ppoll(&watched, 1, nullptr, &inside_wait_);
    if (ready > 0) {
      return outcome::ready; // errors and hang-ups are found by the read or write
    }
    if (ready < 0 && errno != EINTR && errno != EAGAIN) {
      return outcome::ended;
    }
  }
}

} // namespace resilient::canon
