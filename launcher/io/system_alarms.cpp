#include "launcher/io/system_alarms.hpp"

#include "launcher/io/system_clocks.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <utility>

#ifdef __linux__
#include <asio/posix/stream_descriptor.hpp>
#include <sys/timerfd.h>
#include <unistd.h>
#else
#include <asio/steady_timer.hpp>
#endif

namespace resilient::launcher {

/// The alarms of one clock, on the I/O thread. Times are nanoseconds of that clock.
class system_alarms::queue {
public:
  enum class source { boot, wall };

  queue(io_loop& loop, source from) : timer_{loop.context()}, source_{from} {
#ifdef __linux__
    const clockid_t clock = from == source::boot ? CLOCK_BOOTTIME : CLOCK_REALTIME;
    timer_.assign(::timerfd_create(clock, TFD_CLOEXEC | TFD_NONBLOCK));
    wait();
#endif
  }

  void add(alarm_id id, std::chrono::nanoseconds at, std::function<void()> ring) {
    waiting_.emplace(at, entry{id, std::move(ring)});
    set();
  }

  void remove(alarm_id id) {
    const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                    [&](const auto& each) { return each.second.id == id; });
    if (found != waiting_.end()) {
      waiting_.erase(found);
      set();
    }
  }

private:
  struct entry {
    alarm_id id;
    std::function<void()> ring;
  };

  [[nodiscard]] std::chrono::nanoseconds now() const {
    const instant read = clocks_.now();
    return source_ == source::boot ? read.boot.time_since_epoch()
                                   : std::chrono::nanoseconds{read.wall.time_since_epoch()};
  }

  void ring_due() {
    const auto due = now();
    while (!waiting_.empty() && waiting_.begin()->first <= due) {
      // Taken out first: ringing may arm and cancel.
      auto ring = std::move(waiting_.begin()->second.ring);
      waiting_.erase(waiting_.begin());
      ring();
    }
    set();
  }

#ifdef __linux__
  void set() {
    using std::chrono::seconds;
    itimerspec wanted{};
    if (!waiting_.empty()) {
      // A zero time would disarm the timer.
      const auto at = std::max(waiting_.begin()->first, std::chrono::nanoseconds{1});
      const auto whole = std::chrono::duration_cast<seconds>(at);
      wanted.it_value.tv_sec = whole.count();
      wanted.it_value.tv_nsec = (at - whole).count();
    }
    int flags = TFD_TIMER_ABSTIME;
    if (source_ == source::wall) {
      flags |= TFD_TIMER_CANCEL_ON_SET;
    }
    ::timerfd_settime(timer_.native_handle(), flags, &wanted, nullptr);
  }

  void wait() {
    timer_.async_wait(asio::posix::stream_descriptor::wait_read, [this](std::error_code failed) {
      if (failed) {
        return;
      }
      // Fails with ECANCELED when the calendar clock was set; the times are compared anyway.
      std::uint64_t count = 0;
      [[maybe_unused]] const auto taken = ::read(timer_.native_handle(), &count, sizeof count);
      ring_due();
      wait();
    });
  }

  asio::posix::stream_descriptor timer_;
#else
  void set() {
    if (waiting_.empty()) {
      timer_.cancel();
      return;
    }
    const auto left = waiting_.begin()->first - now();
    const std::chrono::nanoseconds longest = std::chrono::seconds{30};
    timer_.expires_after(std::clamp(left, std::chrono::nanoseconds{0}, longest));
    timer_.async_wait([this](std::error_code failed) {
      if (!failed) {
        ring_due();
      }
    });
  }

  asio::steady_timer timer_;
#endif

  source source_;
  system_clocks clocks_;
  std::multimap<std::chrono::nanoseconds, entry> waiting_;
};

system_alarms::system_alarms(io_loop& loop)
    : loop_{loop}, boot_{std::make_unique<queue>(loop, queue::source::boot)},
      wall_{std::make_unique<queue>(loop, queue::source::wall)} {}

system_alarms::~system_alarms() = default;

alarms::alarm_id system_alarms::arm(boot_time at, std::function<void()> ring) {
  const alarm_id id = next_++;
  loop_.post([this, id, at, ring = std::move(ring)]() mutable {
    boot_->add(id, at.time_since_epoch(), std::move(ring));
  });
  return id;
}

alarms::alarm_id system_alarms::arm(wall_time at, std::function<void()> ring) {
  const alarm_id id = next_++;
  loop_.post([this, id, at, ring = std::move(ring)]() mutable {
    // Nanoseconds end in the year 2262.
    const auto since_epoch = std::min<std::chrono::milliseconds>(
        at.time_since_epoch(), std::chrono::hours{24 * 365 * 200});
    wall_->add(id, since_epoch, std::move(ring));
  });
  return id;
}

void system_alarms::cancel(alarm_id id) {
  loop_.post([this, id] {
    boot_->remove(id);
    wall_->remove(id);
  });
}

} // namespace resilient::launcher
