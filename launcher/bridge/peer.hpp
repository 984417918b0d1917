#pragma once

#include <sys/types.h>

namespace resilient::launcher {

/// Who is at the other end of a Unix socket, as the kernel says.
struct peer_identity {
  bool known = false;
  uid_t user = 0;
  pid_t pid = 0; ///< 0 when the system does not tell
};

[[nodiscard]] peer_identity identify_peer(int socket);

} // namespace resilient::launcher
