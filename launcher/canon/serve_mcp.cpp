#include "launcher/canon/serve_mcp.hpp"

#include "core/canon/mcp_frames.hpp"
#include "launcher/canon/parent_watch.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <string>
#include <string_view>

namespace resilient::canon {

namespace {

/// A pipe that is ready takes this much without making the writer wait.
constexpr std::size_t never_waits = PIPE_BUF;

[[nodiscard]] bool is_transient(int error_number) {
  return error_number == EINTR || error_number == EAGAIN || error_number == EWOULDBLOCK;
}

[[nodiscard]] bool send(const parent_watch& watch, int output, std::string_view bytes) {
  while (!bytes.empty()) {
    if (watch.wait_to_write(output) == parent_watch::outcome::ended) {
      return false;
    }
    const ssize_t written =
        ::write(output, bytes.data(), std::min<std::size_t>(bytes.size(), never_waits));
    if (written < 0) {
      if (is_transient(errno)) {
        continue;
      }
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Answers every message that is complete. False when nobody takes the answers.
[[nodiscard]] bool answer_all(mcp_server& server, mcp_frames& frames, const parent_watch& watch,
                              int output) {
  while (const auto frame = frames.next()) {
    if (frame->too_long) {
      if (!send(watch, output, mcp_server::refuse_long_message() + "\n")) {
        return false;
      }
      continue;
    }
    for (const std::string& line : server.receive(frame->text)) {
      if (!send(watch, output, line + "\n")) {
        return false;
      }
    }
  }
  return true;
}

} // namespace

void log_line(const std::string& text) {
  const std::string line = text.substr(0, never_waits - 1) + "\n";
  pollfd log{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&log, 1, 0) == 1 && (log.revents & POLLOUT) != 0) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  }
}

int serve_mcp(mcp_server& server, int input, int output) {
  ::signal(SIGPIPE, SIG_IGN); // a closed output is an error of write, not the end of a half answer
  const parent_watch watch;
  mcp_frames frames{mcp_server::longest_message};
  std::array<char, 65536> piece{};
  while (watch.wait_to_read(input) == parent_watch::outcome::ready) {
    const ssize_t count = ::read(input, piece.data(), piece.size());
    if (count < 0 && is_transient(errno)) {
      continue;
    }
    if (count <= 0) {
      frames.finish();
      (void)answer_all(server, frames, watch, output);
      break;
    }
    frames.append({piece.data(), static_cast<std::size_t>(count)});
    if (!answer_all(server, frames, watch, output)) {
      break;
    }
  }
  return 0;
}

} // namespace resilient::canon
