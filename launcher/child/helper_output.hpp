#pragma once

#include "core/support/descriptor.hpp"
#include "launcher/io/loop.hpp"

#include <asio/posix/stream_descriptor.hpp>

#include <array>
#include <functional>
#include <memory>
#include <string_view>

namespace resilient::launcher {

/// What a helper process writes, handed on as it comes, on the I/O thread.
class helper_output {
public:
  helper_output(io_loop& loop, std::function<void(std::string_view)> sink);

  /// Begins to read from a file of its own. `owner` holds this, and lives as long as it reads.
  void begin(const descriptor& output, std::shared_ptr<void> owner);
  /// Takes what is there. Whether more may come; nobody waits for who still has the pipe open.
  bool take();
  void close();

private:
  void wait(std::shared_ptr<void> owner);

  asio::posix::stream_descriptor output_;
  std::function<void(std::string_view)> sink_;
  std::array<char, 4096> buffer_{};
};

} // namespace resilient::launcher
