#pragma once

#include <csignal>

namespace resilient::launcher {

/// While it lives, a background process that writes to its terminal or changes it is not stopped
/// for that.
class no_background_stop {
public:
  no_background_stop() {
    sigset_t added;
    ::sigemptyset(&added);
    ::sigaddset(&added, SIGTTOU);
    ::pthread_sigmask(SIG_BLOCK, &added, &before_);
  }
  no_background_stop(const no_background_stop&) = delete;
  no_background_stop& operator=(const no_background_stop&) = delete;
  ~no_background_stop() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_{};
};

} // namespace resilient::launcher
