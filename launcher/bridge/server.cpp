#include "launcher/bridge/server.hpp"

#include "core/support/descriptor.hpp"
#include "launcher/bridge/peer.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace resilient::launcher {

namespace {

int open_socket() {
#ifdef __linux__
  return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
#else
  const int made = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ::fcntl(made, F_SETFD, FD_CLOEXEC);
  ::fcntl(made, F_SETFL, O_NONBLOCK);
  return made;
#endif
}

// Not by asio: its sockets would be inherited by Pi and its tools.
int accept_closed_on_exec(int listener) {
#ifdef __linux__
  return ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
#else
  const int accepted = ::accept(listener, nullptr, nullptr);
  if (accepted >= 0) {
    ::fcntl(accepted, F_SETFD, FD_CLOEXEC);
  }
  return accepted;
#endif
}

} // namespace

bridge_server::bridge_server(io_loop& loop, const bridge_limits& limits,
                             std::function<void(bridge_event)> tell)
    : loop_{loop}, limits_{limits}, tell_{std::move(tell)}, listener_{loop.context()},
      pause_{loop.context()} {}

bridge_server::~bridge_server() {
  stop_listening();
}

void bridge_server::stop_listening() {
  if (reachable()) {
    ::unlink(path_.c_str());
  }
  made_.reset();
}

result<void> bridge_server::listen(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return fail(error_kind::software, "The socket path {} is longer than the system allows.", path);
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  descriptor made{open_socket()};
  if (!made) {
    return fail_errno(errno, "cannot make a socket for", path);
  }
  ::unlink(path.c_str());
  // Nobody can connect before it listens, so the permissions are never too wide.
  if (::bind(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0
      || ::chmod(path.c_str(), 0600) != 0 || ::listen(made.get(), 16) != 0) {
    return fail_errno(errno, "cannot listen at", path);
  }
  path_ = path;
  made_ = identity_at(path);
  const int owned = ::fcntl(made.get(), F_DUPFD_CLOEXEC, 3);
  std::error_code failed;
  listener_.close(failed);
  listener_.assign(owned, failed);
  if (failed) {
    return fail(error_kind::system, "Cannot watch the socket {}: {}.", path, failed.message());
  }
  accept();
  return {};
}

bool bridge_server::reachable() const {
  return made_ && identity_at(path_) == made_;
}

std::optional<bridge_server::socket_identity> bridge_server::identity_at(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    return std::nullopt;
  }
  return socket_identity{status.st_dev, status.st_ino};
}

void bridge_server::accept() {
  listener_.async_wait(asio::posix::stream_descriptor::wait_read, [this](std::error_code failed) {
    if (failed) {
      return;
    }
    const int accepted = accept_closed_on_exec(listener_.native_handle());
    if (accepted >= 0) {
      take(accepted);
    } else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
      // No descriptor is left: the peer stays in the queue, and trying at once would spin.
      pause_.expires_after(std::chrono::seconds{1});
      pause_.async_wait([this](std::error_code stopped) {
        if (!stopped) {
          accept();
        }
      });
      return;
    }
    accept();
  });
}

void bridge_server::take(int accepted) {
  descriptor owned{accepted};
  const peer_identity peer = identify_peer(accepted);
  if (!peer.known || peer.user != ::geteuid() || connections_.size() >= limits_.most_connections) {
    return;
  }
  const connection_id id = next_++;
  const int passed = ::fcntl(owned.get(), F_DUPFD_CLOEXEC, 3);
  if (passed < 0) {
    return;
  }
  auto made =
      std::make_shared<connection>(loop_, id, passed, passed, peer.pid, limits_, false, tell_,
                                   [this](connection_id gone) { connections_.erase(gone); });
  connections_.emplace(id, made);
  made->start();
}

void bridge_server::write(connection_id to, std::string line) {
  loop_.post([this, to, line = std::move(line)]() mutable {
    if (const auto found = connections_.find(to); found != connections_.end()) {
      // Held here: a broken limit removes it from the table.
      const auto held = found->second;
      held->write(std::move(line));
    }
  });
}

void bridge_server::close(connection_id which) {
  loop_.post([this, which] {
    if (const auto found = connections_.find(which); found != connections_.end()) {
      const auto held = found->second;
      held->close();
    }
  });
}

} // namespace resilient::launcher
