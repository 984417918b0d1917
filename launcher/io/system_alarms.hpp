#pragma once

#include "launcher/io/loop.hpp"
#include "messages/ports.hpp"

#include <atomic>
#include <functional>
#include <memory>

namespace resilient::launcher {

/// Alarms on the boot clock and on the wall clock. On Linux each clock has one kernel timer, which
/// counts through a suspend and is told when the calendar clock is set; elsewhere the clocks are
/// looked at again at least every 30 s while an alarm is armed. Rings on the I/O thread.
///
/// Outlives every call: the loop must not run any more when it is destroyed.
class system_alarms final : public alarms {
public:
  explicit system_alarms(io_loop& loop);
  ~system_alarms() override;

  [[nodiscard]] alarm_id arm(boot_time at, std::function<void()> ring) override;
  [[nodiscard]] alarm_id arm(wall_time at, std::function<void()> ring) override;
  void cancel(alarm_id id) override;

private:
  class queue;

  io_loop& loop_;
  std::atomic<alarm_id> next_{1};
  std::unique_ptr<queue> boot_;
  std::unique_ptr<queue> wall_;
};

} // namespace resilient::launcher
