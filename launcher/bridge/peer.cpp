#include "launcher/bridge/peer.hpp"

#include <sys/socket.h>
#include <unistd.h>

namespace resilient::launcher {

peer_identity identify_peer(int socket) {
#ifdef __linux__
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return {};
  }
  return {true, credentials.uid, credentials.pid};
#else
  uid_t user = 0;
  gid_t group = 0;
  if (::getpeereid(socket, &user, &group) != 0) {
    return {};
  }
  return {true, user, 0};
#endif
}

} // namespace resilient::launcher
