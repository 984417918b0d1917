#include "launcher/child/helper_output.hpp"

#include "launcher/child/helper_process.hpp"

#include <asio/buffer.hpp>

#include <utility>

namespace resilient::launcher {

helper_output::helper_output(io_loop& loop, std::function<void(std::string_view)> sink)
    : output_{loop.context()}, sink_{std::move(sink)} {}

void helper_output::begin(const descriptor& output, std::shared_ptr<void> owner) {
  std::error_code failed;
  output_.assign(another(output), failed);
  output_.non_blocking(true, failed);
  wait(std::move(owner));
}

void helper_output::wait(std::shared_ptr<void> owner) {
  output_.async_wait(asio::posix::stream_descriptor::wait_read,
                     [this, owner = std::move(owner)](std::error_code failed) mutable {
                       if (!failed && take()) {
                         wait(std::move(owner));
                       }
                     });
}

bool helper_output::take() {
  // Bounded, so that a helper that never stops writing does not keep the loop.
  constexpr int most_reads = 64;
  std::error_code failed;
  for (int reads = 0; reads < most_reads; ++reads) {
    if (!output_.is_open()) {
      return false;
    }
    const std::size_t count = output_.read_some(asio::buffer(buffer_), failed);
    sink_(std::string_view{buffer_.data(), count});
    if (failed) {
      return failed == asio::error::would_block || failed == asio::error::try_again;
    }
  }
  return true;
}

void helper_output::close() {
  std::error_code ignored;
  output_.close(ignored);
}

} // namespace resilient::launcher
