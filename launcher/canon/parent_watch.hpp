#pragma once

#include <signal.h>
#include <sys/types.h>

namespace resilient::canon {

/// Lets a server end with the process that started it, and in between two messages rather than
/// within one. From its construction on, the signals that ask for an end are held back except
/// inside `wait`.
class parent_watch {
public:
  parent_watch();

  enum class outcome { ready, ended };

  /// Waits until the descriptor can be read (or written), or until there is nobody left to serve:
  /// the parent died, or a signal asked for the end.
  [[nodiscard]] outcome wait_to_read(int descriptor) const { return wait(descriptor, true); }
  [[nodiscard]] outcome wait_to_write(int descriptor) const { return wait(descriptor, false); }

private:
  [[nodiscard]] outcome wait(int descriptor, bool to_read) const;

  pid_t parent_;
  sigset_t outside_wait_{};
  sigset_t inside_wait_{};
};

} // namespace resilient::canon
