#pragma once

#include <asio/io_context.hpp>

#include <atomic>
#include <functional>

namespace resilient::launcher {

/// The one I/O thread: everything that touches sockets, processes and terminals happens inside
/// `run`, which the main thread calls.
class io_loop {
public:
  /// Works until `finish` was called.
  void run();

  /// Runs `task` on the I/O thread, soon. From any thread.
  void post(std::function<void()> task);

  /// Ends `run`. The first exit code counts. From any thread.
  void finish(int exit_code);

  [[nodiscard]] int exit_code() const { return exit_code_; }
  [[nodiscard]] bool finished() const { return finished_; }

  /// For the parts of the launcher, on the I/O thread.
  [[nodiscard]] asio::io_context& context() { return context_; }

private:
  asio::io_context context_{1};
  std::atomic<bool> finished_{false};
  std::atomic<int> exit_code_{0};
};

} // namespace resilient::launcher
