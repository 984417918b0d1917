#include "launcher/terminal/output.hpp"

#include "launcher/terminal/background.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace resilient::launcher {

namespace {

descriptor open_again(int number) {
  char name[256];
  if (::ttyname_r(number, name, sizeof name) != 0) {
    // In a container the name may not be visible, the link is.
    const std::string link = "/proc/self/fd/" + std::to_string(number);
    return descriptor{::open(link.c_str(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)};
  }
  return descriptor{::open(name, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)};
}

} // namespace

output::output(int number, std::chrono::milliseconds patience)
    : number_{number}, is_terminal_{::isatty(number) == 1}, patience_{patience} {
  if (is_terminal_) {
    own_ = open_again(number);
  }
}

std::size_t output::columns() const {
  winsize size{};
  return is_terminal_ && ::ioctl(own_ ? own_.get() : number_, TIOCGWINSZ, &size) == 0 ? size.ws_col
                                                                                      : 0;
}

bool output::write(std::string_view bytes) {
  const no_background_stop guard;
  const int to = own_ ? own_.get() : number_;
  const auto give_up_at = std::chrono::steady_clock::now() + patience_;
  while (!bytes.empty()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        give_up_at - std::chrono::steady_clock::now());
    pollfd ready{to, POLLOUT, 0};
    const int count = ::poll(&ready, 1, static_cast<int>(std::max<long>(left.count(), 0)));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0 || (ready.revents & POLLOUT) == 0) {
      return false;
    }
    // A pipe that is ready takes this much at once.
    const ssize_t written = ::write(to, bytes.data(), std::min<std::size_t>(bytes.size(), 512));
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (written < 0 && errno != EINTR && errno != EAGAIN) {
      return false;
    }
  }
  return true;
}

} // namespace resilient::launcher
