#pragma once

#include "core/support/error.hpp"
#include "launcher/bridge/connection.hpp"

#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

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

  /// Listens at `path`, replacing a socket that a dead run left there. Connections that are open
  /// stay when it listens anew. Before the loop runs or on its thread.
  [[nodiscard]] result<void> listen(const std::string& path);

  /// Whether the socket that we listen at is still where it was made.
  [[nodiscard]] bool reachable() const;

  /// Removes the socket, so that nobody finds this run any more.
  void stop_listening();

  void write(connection_id to, std::string line) override;
  void close(connection_id which) override;

  [[nodiscard]] std::size_t connections() const { return connections_.size(); }

private:
  using socket_identity = std::pair<std::uint64_t, std::uint64_t>; ///< device, inode

  static std::optional<socket_identity> identity_at(const std::string& path);
  void accept();
  void take(int accepted);

  io_loop& loop_;
  bridge_limits limits_;
  std::function<void(bridge_event)> tell_;
  asio::posix::stream_descriptor listener_;
  asio::steady_timer pause_;
  std::string path_;
  std::optional<socket_identity> made_; ///< what was made at `path_`
  connection_id next_ = 1;
  std::unordered_map<connection_id, std::shared_ptr<connection>> connections_;
};

} // namespace resilient::launcher
