#include "launcher/command/control_client.hpp"

#include "core/support/descriptor.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace resilient::launcher {

namespace {

constexpr std::size_t longest_answer = 16U << 20U;

result<descriptor> connect_to(const std::string& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.empty() || socket.size() >= sizeof address.sun_path) {
    return fail(error_kind::no_input, "{} is no path of a socket.", socket);
  }
  std::memcpy(address.sun_path, socket.c_str(), socket.size() + 1);
  descriptor made{::socket(AF_UNIX, SOCK_STREAM, 0)};
  if (!made
      || ::connect(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return fail(error_kind::no_input, "No run listens at {} ({}).", socket, std::strerror(errno));
  }
  return made;
}

} // namespace

bool is_listening(const std::string& socket) {
  return connect_to(socket).has_value();
}

result<std::string> ask_run(const std::string& socket, const std::string& request,
                            std::chrono::milliseconds patience) {
  auto connected = connect_to(socket);
  if (!connected) {
    return tl::unexpected{connected.error()};
  }
  if (auto sent = write_all(connected->get(), request + "\n", socket); !sent) {
    return tl::unexpected{sent.error()};
  }
  const auto give_up_at = std::chrono::steady_clock::now() + patience;
  std::string answer;
  while (answer.size() < longest_answer) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        give_up_at - std::chrono::steady_clock::now());
    pollfd state{connected->get(), POLLIN, 0};
    const int ready = ::poll(&state, 1, static_cast<int>(std::max<long>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    if (ready <= 0) {
      return fail(error_kind::unavailable,
                  "The run at {} did not answer. Is it stopped or its machine very busy?", socket);
    }
    char buffer[16384];
    const ssize_t count = ::read(connected->get(), buffer, sizeof buffer);
    if (count > 0) {
      answer.append(buffer, static_cast<std::size_t>(count));
      if (const std::size_t end = answer.find('\n'); end != std::string::npos) {
        answer.resize(end);
        return answer;
      }
    } else if (count == 0 || errno != EINTR) {
      break;
    }
  }
  return fail(error_kind::io, "The run at {} ended before it answered.", socket);
}

} // namespace resilient::launcher
