#include "core/support/descriptor.hpp"
#include "launcher/bridge/server.hpp"
#include "launcher/bridge/sidecar.hpp"
#include "launcher/bridge/socket_place.hpp"
#include "tests/core/support/temporary_folder.hpp"
#include "tests/launcher/run_until.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <vector>

using namespace resilient;
using namespace std::chrono_literals;
using tests::run_until;
using tests::temporary_folder;

namespace {

descriptor connect_to(const std::string& path) {
  descriptor made{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  REQUIRE(::connect(made.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  return made;
}

void send(const descriptor& to, const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t count =
        ::send(to.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count <= 0) {
      return;
    }
    sent += static_cast<std::size_t>(count);
  }
}

/// What has arrived; "(closed)" at the end when the other side closed it.
std::string receive(const descriptor& from) {
  std::string all;
  char buffer[65536];
  while (true) {
    const ssize_t count = ::recv(from.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (count > 0) {
      all.append(buffer, static_cast<std::size_t>(count));
    } else {
      return count == 0 || (errno != EAGAIN && errno != EINTR) ? all + "(closed)" : all;
    }
  }
}

struct fixture {
  explicit fixture(launcher::bridge_limits limits = {})
      : server{loop, limits, [this](launcher::bridge_event event) { take(std::move(event)); }} {
    REQUIRE(server.listen(path));
  }

  void take(launcher::bridge_event event) {
    if (const auto* opened = std::get_if<message::connection_opened>(&event)) {
      log.push_back("opened");
      pid = opened->peer_pid;
      last = opened->connection;
    } else if (const auto* line = std::get_if<message::line_received>(&event)) {
      log.push_back(line->line);
    } else if (const auto* closed = std::get_if<message::connection_closed>(&event)) {
      log.push_back("closed: " + closed->why);
    } else if (const auto* control = std::get_if<message::control_line>(&event)) {
      log.push_back("control " + control->line);
      last = control->connection;
    }
  }

  bool logged(std::size_t count) {
    return run_until(loop, [&] { return log.size() >= count; });
  }

  bool closes(const descriptor& client) {
    std::string all;
    return run_until(loop, [&] {
      all = receive(client);
      return all.find("(closed)") != std::string::npos;
    });
  }

  temporary_folder folder;
  std::string path = folder.at("socket");
  launcher::io_loop loop;
  std::vector<std::string> log;
  int pid = 0;
  connection_id last = 0;
  launcher::bridge_server server;
};

const std::string hello = "{\"v\":1,\"type\":\"hello\",\"id\":1}";

} // namespace

TEST_CASE("an extension is opened, heard, answered and closed in order") {
  fixture f;
  auto client = connect_to(f.path);
  send(client, hello + "\r\n\n{\"v\":1}\n");
  REQUIRE(f.logged(3));
  CHECK(f.log == std::vector<std::string>{"opened", hello, "{\"v\":1}"});
  CHECK(f.pid == ::getpid());
  f.server.write(f.last, "one");
  f.server.write(f.last, "two");
  f.server.close(f.last);
  f.server.write(f.last, "never");
  std::string got;
  REQUIRE(run_until(f.loop, [&] {
    got += receive(client);
    return got.find("(closed)") != std::string::npos;
  }));
  CHECK(got == "one\ntwo\n(closed)");
  REQUIRE(f.logged(4));
  CHECK(f.log[3] == "closed: closed by us");
  CHECK(f.server.connections() == 0);
}

TEST_CASE("the last lines of a peer that closes at once are heard") {
  fixture f;
  {
    auto client = connect_to(f.path);
    send(client, hello + "\n{\"type\":\"goodbye\"}\ntorn");
  }
  REQUIRE(f.logged(4));
  CHECK(f.log[2] == "{\"type\":\"goodbye\"}");
  CHECK(f.log[3] == "closed: the other side closed it");
}

TEST_CASE("a request in the first line is a control connection, which the session never sees") {
  fixture f;
  auto client = connect_to(f.path);
  send(client, "{\"request\":\"status\"}\n{\"request\":\"stop\"}\n" + hello + "\n");
  REQUIRE(f.logged(1));
  tests::run_for(f.loop, 30ms);
  CHECK(f.log == std::vector<std::string>{"control {\"request\":\"status\"}"});
  f.server.write(f.last, "{}");
  f.server.close(f.last);
  CHECK(f.closes(client));
  CHECK(f.log.size() == 1);
}

TEST_CASE("a request after the first line is an ordinary line") {
  fixture f;
  auto client = connect_to(f.path);
  send(client, hello + "\n{\"request\":\"stop\"}\n");
  REQUIRE(f.logged(3));
  CHECK(f.log[2] == "{\"request\":\"stop\"}");
}

TEST_CASE("a silent peer, and one that never says hello, are dropped; one that did stays") {
  launcher::bridge_limits limits;
  limits.hello_within = 150ms;
  fixture f{limits};
  auto silent = connect_to(f.path);
  auto babbling = connect_to(f.path);
  auto good = connect_to(f.path);
  send(babbling, "garbage\n[1]\n{\"type\":7}\n");
  send(good, hello + "\n");
  CHECK(f.closes(silent));
  CHECK(f.closes(babbling));
  tests::run_for(f.loop, 300ms);
  CHECK(receive(good).empty());
  CHECK(f.server.connections() == 1);
}

TEST_CASE("a line that is too long ends the connection, one at the limit does not") {
  launcher::bridge_limits limits;
  limits.longest_line = 1000;
  fixture f{limits};
  auto client = connect_to(f.path);
  send(client, hello + "\n" + std::string(999, 'x') + "\n");
  REQUIRE(f.logged(3));
  send(client, std::string(1000, 'y'));
  CHECK(f.closes(client));
  CHECK(f.log.back() == "closed: it sent a line that is too long");
}

TEST_CASE("a peer that does not read is dropped when its queue is full, others do not notice") {
  launcher::bridge_limits limits;
  limits.longest_queue = 1U << 20U;
  fixture f{limits};
  auto slow = connect_to(f.path);
  send(slow, hello + "\n");
  REQUIRE(f.logged(2));
  const connection_id slow_id = f.last;
  auto quick = connect_to(f.path);
  send(quick, hello + "\n");
  REQUIRE(f.logged(4));
  const connection_id quick_id = f.last;
  for (int written = 0; written < 100; ++written) {
    f.server.write(slow_id, std::string(65536, 'x'));
  }
  f.server.write(quick_id, "here");
  REQUIRE(f.logged(5));
  CHECK(f.log.back() == "closed: it reads too slowly");
  std::string got;
  CHECK(run_until(f.loop, [&] {
    got += receive(quick);
    return got == "here\n";
  }));
}

TEST_CASE("a peer that does not take its last lines is dropped after a while") {
  launcher::bridge_limits limits;
  limits.flush_within = 100ms;
  fixture f{limits};
  auto client = connect_to(f.path);
  send(client, hello + "\n");
  REQUIRE(f.logged(2));
  f.server.write(f.last, std::string(2U << 20U, 'x'));
  f.server.close(f.last);
  REQUIRE(f.logged(3));
  CHECK(f.log.back() == "closed: it did not take what was left for it");
}

TEST_CASE("a peer that babbles is read slowly and loses nothing") {
  launcher::bridge_limits limits;
  limits.lines_a_second = 100;
  fixture f{limits};
  auto client = connect_to(f.path);
  std::string bytes = hello + "\n";
  for (int line = 0; line < 249; ++line) {
    bytes += std::to_string(line) + "\n";
  }
  send(client, bytes);
  tests::run_for(f.loop, 300ms);
  CHECK(f.log.size() == 101);
  REQUIRE(f.logged(251));
  CHECK(f.log[250] == "248");
}

TEST_CASE("more connections than the limit are refused, and room is made by those that leave") {
  launcher::bridge_limits limits;
  limits.most_connections = 2;
  fixture f{limits};
  auto one = connect_to(f.path);
  auto two = connect_to(f.path);
  REQUIRE(run_until(f.loop, [&] { return f.server.connections() == 2; }));
  auto three = connect_to(f.path);
  CHECK(f.closes(three));
  one = descriptor{};
  REQUIRE(run_until(f.loop, [&] { return f.server.connections() == 1; }));
  auto four = connect_to(f.path);
  send(four, hello + "\n");
  REQUIRE(f.logged(2));
}

TEST_CASE("the socket is private, replaces a dead one and is gone afterwards") {
  temporary_folder folder;
  const std::string path = folder.at("socket");
  folder.put("socket", "left by somebody");
  {
    launcher::io_loop loop;
    launcher::bridge_server server{loop, {}, [](launcher::bridge_event) {}};
    REQUIRE(server.listen(path));
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK(S_ISSOCK(status.st_mode));
    CHECK((status.st_mode & 0777) == 0600);
  }
  CHECK(::access(path.c_str(), F_OK) != 0);
}

TEST_CASE("another user is turned away even when the permissions let it in") {
  if (::geteuid() != 0) {
    return;
  }
  fixture f;
  REQUIRE(::chmod(f.folder.path().c_str(), 0755) == 0);
  REQUIRE(::chmod(f.path.c_str(), 0777) == 0);
  const pid_t other = ::fork();
  if (other == 0) {
    if (::setuid(65534) != 0) {
      ::_exit(3);
    }
    const descriptor client{::socket(AF_UNIX, SOCK_STREAM, 0)};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, f.path.c_str(), sizeof address.sun_path - 1);
    if (::connect(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      ::_exit(4);
    }
    ::send(client.get(), "x\n", 2, MSG_NOSIGNAL);
    pollfd state{client.get(), POLLIN, 0};
    ::poll(&state, 1, 10'000);
    char byte = 0;
    ::_exit(::recv(client.get(), &byte, 1, MSG_DONTWAIT) > 0 ? 5 : 0);
  }
  int status = -1;
  REQUIRE(run_until(f.loop, [&] { return ::waitpid(other, &status, WNOHANG) == other; }));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(f.log.empty());
}

TEST_CASE("a sidecar has one connection over two descriptors, and its end ends it") {
  int to[2];
  int from[2];
  REQUIRE(::pipe(to) == 0);
  REQUIRE(::pipe(from) == 0);
  launcher::io_loop loop;
  std::vector<std::string> log;
  bool ended = false;
  launcher::bridge_limits limits;
  limits.hello_within = 20ms;
  launcher::sidecar_bridge bridge{loop, limits, [&](launcher::bridge_event event) {
                                    if (const auto* line =
                                            std::get_if<message::line_received>(&event)) {
                                      log.push_back(line->line);
                                    } else {
                                      log.push_back(std::to_string(event.index()));
                                    }
                                  }};
  bridge.start(to[0], from[1], [&] { ended = true; });
  tests::run_for(loop, 60ms);
  CHECK_FALSE(ended);
  REQUIRE(::write(to[1], "{\"request\":\"status\"}\n", 21) == 21);
  REQUIRE(run_until(loop, [&] { return log.size() == 2; }));
  CHECK(log == std::vector<std::string>{"0", "{\"request\":\"status\"}"});
  bridge.write(launcher::sidecar_bridge::only_connection, "back");
  tests::run_for(loop, 20ms);
  char buffer[16];
  REQUIRE(::read(from[0], buffer, sizeof buffer) == 5);
  CHECK(std::string(buffer, 5) == "back\n");
  ::close(to[1]);
  CHECK(run_until(loop, [&] { return ended; }));
  CHECK(log.back() == "2");
  ::close(to[0]);
  ::close(from[0]);
  ::close(from[1]);
}

TEST_CASE(
    "the socket stands in the run folder, or in a short private place when that path is long") {
  temporary_folder folder;
  const auto nothing = [](const std::string&) -> std::optional<std::string> { return {}; };
  CHECK(*launcher::socket_place("/run", "id", nothing) == "/run/socket");
  const std::string deep = folder.at(std::string(90, 'x'));
  const auto runtime = [&](const std::string&) -> std::optional<std::string> {
    return folder.path();
  };
  CHECK(*launcher::socket_place(deep, "id", runtime) == folder.at("pi-resilient/id"));
  struct stat status {};
  REQUIRE(::stat(folder.at("pi-resilient").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
  const std::string fallback = "/tmp/pi-resilient-" + std::to_string(::geteuid()) + "/id";
  CHECK(*launcher::socket_place(deep, "id", nothing) == fallback);
  // A folder that others can enter is not used.
  REQUIRE(::chmod(folder.at("pi-resilient").c_str(), 0755) == 0);
  CHECK(*launcher::socket_place(deep, "id", runtime) == fallback);
  CHECK_FALSE(launcher::socket_place(deep, std::string(90, 'i'), runtime));
}
