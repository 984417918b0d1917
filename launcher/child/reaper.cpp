#include "launcher/child/reaper.hpp"

#include <sys/wait.h>

#include <cerrno>

namespace resilient::launcher {

std::vector<reaped> reap_children() {
  std::vector<reaped> found;
  while (true) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED);
    if (pid < 0 && errno == EINTR) {
      continue;
    }
    if (pid <= 0) {
      return found;
    }
    if (WIFEXITED(status)) {
      found.emplace_back(reaped_end{pid, process::exited{WEXITSTATUS(status)}});
    } else if (WIFSIGNALED(status)) {
      found.emplace_back(reaped_end{pid, process::signaled{WTERMSIG(status)}});
    } else if (WIFSTOPPED(status)) {
      found.emplace_back(reaped_pause{pid, true});
    } else if (WIFCONTINUED(status)) {
      found.emplace_back(reaped_pause{pid, false});
    }
  }
}

} // namespace resilient::launcher
