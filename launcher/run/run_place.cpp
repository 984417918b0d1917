#include "launcher/run/run_place.hpp"

#include "launcher/bridge/socket_place.hpp"

#include <unistd.h>

#include <utility>

namespace resilient::launcher {

result<bool> restore_run_place(run_folder& folder, const std::string& socket_path,
                               bridge_server& bridge, files& disk,
                               const environment_reader& environment) {
  const bool locked = folder.lock->in_place();
  if (locked && bridge.reachable()) {
    return false;
  }
  if (!locked) {
    const auto written = restore_run_folder(disk, folder).and_then([&] {
      return write_run_record(folder, ::getpid(), socket_path);
    });
    if (!written) {
      return tl::unexpected{written.error()};
    }
  }
  // Its folder may be another one, which had to go as well.
  if (auto place = socket_place(folder.path, folder.id, environment); !place) {
    return tl::unexpected{place.error()};
  }
  if (auto listening = bridge.listen(socket_path); !listening) {
    return tl::unexpected{listening.error()};
  }
  return true;
}

} // namespace resilient::launcher
