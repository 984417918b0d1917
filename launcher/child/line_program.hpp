#pragma once

#include "core/process/exit_status.hpp"
#include "core/support/error.hpp"
#include "launcher/io/loop.hpp"
#include "messages/ports.hpp"

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace resilient::launcher {

/// Keeps a program running beside Pi on the I/O thread and asks it line by line. It waits for
/// nobody: whoever reaps tells `on_ended`. A program that ended is started again by the next
/// question, but not for ever; so is one that has owed an answer for long.
class line_program final : public line_program_port {
public:
  struct limits {
    int starts = 5; ///< until `end`
    std::chrono::milliseconds owed_for = std::chrono::seconds{30};
    std::chrono::milliseconds grace = std::chrono::seconds{2}; ///< between SIGTERM and SIGKILL
  };

  /// `started` hears of every process that is made, on the I/O thread.
  line_program(io_loop& loop, std::function<void(pid_t)> started);
  line_program(io_loop& loop, std::function<void(pid_t)> started, limits bounds);
  line_program(const line_program&) = delete;
  line_program& operator=(const line_program&) = delete;
  ~line_program() override;

  void ask(line_question question, std::function<void(line_answer)> done) override;
  void end() override;

  /// The reaper took this process. Others than ours are ignored. On the I/O thread.
  void on_ended(pid_t pid, const process::exit_status& status);

private:
  class running_program;

  void put(const line_question& question, std::function<void(line_answer)> done);
  result<void> start(const line_question& question);
  void stop_current();

  io_loop& loop_;
  std::function<void(pid_t)> started_;
  limits limits_;
  std::shared_ptr<running_program> current_;                  ///< the one that is asked
  std::map<pid_t, std::shared_ptr<running_program>> running_; ///< and those that are ending
  int starts_ = 0;
};

} // namespace resilient::launcher
