#pragma once

#include "core/support/error.hpp"
#include "launcher/bridge/connection.hpp"

#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace resilient::launcher {

/// Listens on a Unix socket that only its user may open, and checks who connects. Connections of
/// extensions and of `pi-resilient status` and `stop` come in here.
class bridge_server final : public bridge_port {
public:
  bridge_server(io_loop& loop, const bridge_limits& limits, std::function<void(bridge_event)> tell);
  bridge_server(const bridge_server&) = delete;
  bridge_server& operator=(const bridge_server&) = delete;
  /// Removes the socket. The loop must not run any more.
  ~bridge_server() override;

  /// Listens at `path`, replacing a socket that a dead run left there. Before the loop runs.
  [[nodiscard]] result<void> listen(const std::string& path);

  /// Removes the socket, so that nobody finds this run any more.
  void stop_listening();

  void write(connection_id to, std::string line) override;
  void close(connection_id which) override;

  [[nodiscard]] std::size_t connections() const { return connections_.size(); }

private:
  void accept();
  void take(int accepted);

  io_loop& loop_;
  bridge_limits limits_;
  std::function<void(bridge_event)> tell_;
  asio::posix::stream_descriptor listener_;
  asio::steady_timer pause_;
  std::string path_;
  connection_id next_ = 1;
  std::unordered_map<connection_id, std::shared_ptr<connection>> connections_;
};

} // namespace resilient::launcher
