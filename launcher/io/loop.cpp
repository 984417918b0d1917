#include "launcher/io/loop.hpp"

#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>

#include <utility>

namespace resilient::launcher {

void io_loop::run() {
  const auto guard = asio::make_work_guard(context_);
  context_.run();
}

void io_loop::post(std::function<void()> task) {
  asio::post(context_, std::move(task));
}

void io_loop::finish(int exit_code) {
  if (!finished_.exchange(true)) {
    exit_code_ = exit_code;
  }
  // Posted, so that what was asked for before is still done.
  asio::post(context_, [this] { context_.stop(); });
}

} // namespace resilient::launcher
