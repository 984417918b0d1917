#pragma once

#include "launcher/io/loop.hpp"

#ifdef __linux__
#include <asio/posix/stream_descriptor.hpp>
#else
#include <asio/signal_set.hpp>
#endif

#include <functional>

namespace resilient::launcher {

/// Prepares the process for `signal_watcher`. Called once, before any thread exists, so that every
/// thread inherits the mask: signals that we watch are blocked, a broken pipe is no signal, and the
/// ends of children are reported even when our parent ignored them. SIGTSTP, SIGTTIN and SIGTTOU
/// keep their effect: the launcher stops together with Pi.
void prepare_signals();

/// Reports SIGTERM, SIGINT, SIGHUP, SIGCHLD and SIGCONT on the I/O thread. One that our parent made
/// us ignore (SIGHUP under nohup, SIGINT in a background job) stays ignored.
class signal_watcher {
public:
  signal_watcher(io_loop& loop, std::function<void(int)> caught);

private:
  void wait();

  std::function<void(int)> caught_;
#ifdef __linux__
  asio::posix::stream_descriptor source_;
#else
  asio::signal_set source_;
#endif
};

} // namespace resilient::launcher
