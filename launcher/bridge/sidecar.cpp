#include "launcher/bridge/sidecar.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace resilient::launcher {

sidecar_bridge::sidecar_bridge(io_loop& loop, const bridge_limits& limits,
                               std::function<void(bridge_event)> tell)
    : loop_{loop}, limits_{limits}, tell_{std::move(tell)} {}

void sidecar_bridge::start(int reading, int writing, std::function<void()> ended) {
  connection_ =
      std::make_shared<connection>(loop_, only_connection, ::fcntl(reading, F_DUPFD_CLOEXEC, 3),
                                   ::fcntl(writing, F_DUPFD_CLOEXEC, 3), ::getppid(), limits_, true,
                                   tell_, [ended = std::move(ended)](connection_id) { ended(); });
  connection_->start();
}

void sidecar_bridge::write(connection_id to, std::string line) {
  loop_.post([this, to, line = std::move(line)]() mutable {
    if (to == only_connection && connection_) {
      connection_->write(std::move(line));
    }
  });
}

void sidecar_bridge::close(connection_id which) {
  loop_.post([this, which] {
    if (which == only_connection && connection_) {
      connection_->close();
    }
  });
}

} // namespace resilient::launcher
