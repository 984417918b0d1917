#pragma once

#include "core/process/exit_status.hpp"
#include "core/support/descriptor.hpp"
#include "launcher/io/loop.hpp"
#include "messages/ports.hpp"

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace resilient::launcher {

enum class platform { systemd, macos };

#ifdef __APPLE__
inline constexpr platform this_platform = platform::macos;
#else
inline constexpr platform this_platform = platform::systemd;
#endif

/// The command that keeps a machine awake as long as its stdin is open (systemd), or as long as the
/// process `launcher` lives (macOS).
[[nodiscard]] std::vector<std::string> inhibitor_words(platform system, pid_t launcher);

/// Holds an inhibitor by a process of the system's own program. On Linux that ends when the pipe to
/// it is closed, which the kernel does for us after any end of ours.
class sleep_inhibitor final : public sleep_port {
public:
  /// `started` hears of every process that is made, on the I/O thread.
  sleep_inhibitor(io_loop& loop, std::function<void(pid_t)> started);

  void keep_awake(std::function<void(std::string)> ended) override;
  void let_sleep() override;

  /// The reaper took this process. Others than ours are ignored. On the I/O thread.
  void on_ended(pid_t pid, const process::exit_status& status);

private:
  void start(std::function<void(std::string)> ended);
  void release();

  io_loop& loop_;
  std::function<void(pid_t)> started_;
  std::function<void(std::string)> ended_;
  descriptor life_;   ///< the inhibitor reads from its other end
  descriptor output_; ///< what the inhibitor says
  pid_t pid_ = 0;
};

} // namespace resilient::launcher
