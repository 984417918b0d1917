#pragma once

#include "launcher/bridge/connection.hpp"

#include <functional>
#include <memory>
#include <string>

namespace resilient::launcher {

/// The bridge of a sidecar: one connection, over the standard input and output. It is opened at
/// once, and its end ends the program.
class sidecar_bridge final : public bridge_port {
public:
  static constexpr connection_id only_connection = 1;

  sidecar_bridge(io_loop& loop, const bridge_limits& limits,
                 std::function<void(bridge_event)> tell);

  /// `ended` is called once, after the connection is gone.
  void start(int reading, int writing, std::function<void()> ended);

  void write(connection_id to, std::string line) override;
  void close(connection_id which) override;

private:
  io_loop& loop_;
  bridge_limits limits_;
  std::function<void(bridge_event)> tell_;
  std::shared_ptr<connection> connection_;
};

} // namespace resilient::launcher
