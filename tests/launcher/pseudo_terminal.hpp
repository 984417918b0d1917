#pragma once

#include "core/support/descriptor.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

#include <string>

namespace resilient::tests {

/// A terminal that is not our controlling one.
class pseudo_terminal {
public:
  pseudo_terminal() {
    int outer = -1;
    int inner = -1;
    REQUIRE(::openpty(&outer, &inner, nullptr, nullptr, nullptr) == 0);
    ::fcntl(outer, F_SETFD, FD_CLOEXEC);
    ::fcntl(outer, F_SETFL, O_NONBLOCK);
    outer_ = descriptor{outer};
    inner_ = descriptor{inner};
  }

  /// The side of the program.
  [[nodiscard]] int inner() const { return inner_.get(); }
  /// The side of the person.
  [[nodiscard]] int outer() const { return outer_.get(); }

  /// What the person has seen since the last call.
  [[nodiscard]] std::string seen() const {
    std::string all;
    char buffer[4096];
    while (true) {
      const ssize_t count = ::read(outer_.get(), buffer, sizeof buffer);
      if (count <= 0) {
        return all;
      }
      all.append(buffer, static_cast<std::size_t>(count));
    }
  }

  void type(const std::string& keys) const {
    REQUIRE(::write(outer_.get(), keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
  }

  void hang_up() { outer_ = descriptor{}; }

private:
  descriptor outer_;
  descriptor inner_;
};

} // namespace resilient::tests
