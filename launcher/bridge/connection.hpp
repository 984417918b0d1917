#pragma once

#include "launcher/bridge/line_splitter.hpp"
#include "launcher/io/loop.hpp"
#include "messages/bridge.hpp"

#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <variant>

namespace resilient::launcher {

/// What the I/O thread tells of connections: the first three to `session`, the last to
/// `supervisor`.
using bridge_event = std::variant<message::connection_opened, message::line_received,
                                  message::connection_closed, message::control_line>;

struct bridge_limits {
  std::size_t longest_line = bridge::longest_line;
  std::size_t longest_queue = bridge::longest_queue;
  std::size_t most_connections = 16;
  /// A peer that has not said hello by then is dropped.
  std::chrono::milliseconds hello_within{10'000};
  /// What is queued when a connection is closed must be taken within this.
  std::chrono::milliseconds flush_within{5'000};
  /// What one connection may send in a second before it is read more slowly.
  std::size_t lines_a_second = 2'000;
  std::size_t bytes_a_second = 8U << 20U;
};

/// One peer, on the I/O thread: cuts its lines, queues ours, and ends when a limit is broken. The
/// first line decides what it is: an extension, or a command that asks for one thing
/// (`{"request":…}`), whose connection the session never sees.
class connection : public std::enable_shared_from_this<connection> {
public:
  /// `reading` and `writing` may be one descriptor. `patient`: it need not say hello in time.
  connection(io_loop& loop, connection_id id, int reading, int writing, int peer_pid,
             const bridge_limits& limits, bool patient, std::function<void(bridge_event)> tell,
             std::function<void(connection_id)> gone);

  void start();
  void write(std::string line);
  void close();
  /// Ends at once.
  void drop(const std::string& why);

private:
  enum class role { unknown, extension, control };

  void read();
  void take_lines();
  void take(std::string line);
  void flush();
  void pause_reading();
  void drop_after(std::chrono::milliseconds delay, const char* why);
  [[nodiscard]] asio::posix::stream_descriptor& out() { return separate_ ? *separate_ : stream_; }

  connection_id id_;
  int peer_pid_;
  bridge_limits limits_;
  bool patient_;
  std::function<void(bridge_event)> tell_;
  std::function<void(connection_id)> gone_;

  asio::posix::stream_descriptor stream_;
  std::unique_ptr<asio::posix::stream_descriptor> separate_;
  asio::steady_timer deadline_;
  asio::steady_timer pause_;
  std::array<char, 16384> buffer_{};
  line_splitter lines_;
  role role_ = role::unknown;
  bool said_hello_ = false;
  bool closing_ = false;
  bool ended_ = false;

  std::deque<std::string> queue_;
  std::size_t queued_bytes_ = 0;
  bool writing_ = false;

  std::chrono::steady_clock::time_point second_began_;
  std::size_t lines_this_second_ = 0;
  std::size_t bytes_this_second_ = 0;
};

} // namespace resilient::launcher
