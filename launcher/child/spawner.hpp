#pragma once

#include "core/support/error.hpp"
#include "messages/ports.hpp"

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace resilient::launcher {

struct spawned_child {
  pid_t pid = 0;
  std::uint64_t start_time = 0; ///< clock ticks after boot; 0 when the system does not tell
};

/// Executes a child of the calling thread. It stays in our process group, inherits stdin and
/// stdout, has no signal blocked, gets SIGTERM when this thread ends (Linux), and sees our
/// environment without our own `PI_RESILIENT_` variables but with those of the request. When this
/// returns, the child runs the program, or the failure says in a sentence why it does not.
[[nodiscard]] result<spawned_child> spawn_child(const spawn_request& request);

/// The environment of a child, as `NAME=value`.
[[nodiscard]] std::vector<std::string>
child_environment(const char* const* ours,
                  const std::vector<std::pair<std::string, std::string>>& added);

/// The texts as exec takes them: a null at the end, valid as long as the texts are.
[[nodiscard]] std::vector<char*> pointers_to(std::vector<std::string>& texts);

/// Makes orphans below us our children, so that nothing that a dead child started is lost (Linux).
void adopt_orphans();

} // namespace resilient::launcher
