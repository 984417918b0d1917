#pragma once

#include "core/support/descriptor.hpp"

#include <chrono>
#include <cstddef>
#include <string_view>

namespace resilient::launcher {

/// An inherited descriptor that we write to without ever hanging: a terminal that was stopped by
/// Ctrl+S, a pipe that nobody reads, or a terminal that is gone costs at most `patience`.
class output {
public:
  /// `number` stays open and is not changed: its flags belong to others, too.
  explicit output(int number, std::chrono::milliseconds patience = std::chrono::milliseconds{1000});

  [[nodiscard]] bool is_terminal() const { return is_terminal_; }

  /// How many columns the terminal has now; 0 when that is unknown.
  [[nodiscard]] std::size_t columns() const;

  /// False when not every byte was taken.
  bool write(std::string_view bytes);

private:
  int number_;
  bool is_terminal_;
  /// The same terminal, opened once more to be non-blocking for us alone.
  descriptor own_;
  std::chrono::milliseconds patience_;
};

} // namespace resilient::launcher
