#pragma once

#include "core/process/exit_status.hpp"
#include "launcher/io/loop.hpp"
#include "messages/ports.hpp"

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>

namespace resilient::launcher {

/// Runs commands of a person on the I/O thread, each in a session of its own: no terminal, no
/// Ctrl+C of ours, one process group that can be killed as a whole. It waits for nobody: whoever
/// reaps tells `on_ended`.
class command_runner final : public command_port {
public:
  /// `started` hears of every process that is made, on the I/O thread.
  command_runner(io_loop& loop, std::function<void(pid_t)> started,
                 std::chrono::milliseconds grace = std::chrono::seconds{2});
  command_runner(const command_runner&) = delete;
  command_runner& operator=(const command_runner&) = delete;
  ~command_runner() override;

  void run(command_request request, std::function<void(command_result)> done) override;

  /// The reaper took this process. Others than ours are ignored. On the I/O thread.
  void on_ended(pid_t pid, const process::exit_status& status);

private:
  class running_command;

  void start(command_request request, std::function<void(command_result)> done);

  io_loop& loop_;
  std::function<void(pid_t)> started_;
  std::chrono::milliseconds grace_; ///< between SIGTERM and SIGKILL after a deadline
  std::map<pid_t, std::shared_ptr<running_command>> running_;
};

} // namespace resilient::launcher
