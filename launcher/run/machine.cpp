#include "launcher/run/machine.hpp"

#include "core/support/files.hpp"
#include "core/support/text.hpp"
#include "launcher/child/process_table.hpp"

#include <unistd.h>

namespace resilient::launcher {

process::lease_surroundings this_machine() {
  process::lease_surroundings here;
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) == 0) {
    here.host = name;
  }
  if (const auto id = posix_files{}.read("/proc/sys/kernel/random/boot_id", 100)) {
    here.boot_id = std::string{trim(*id)};
  }
  here.start_time = [](int pid) -> std::optional<std::uint64_t> {
    const auto entry = find_process(pid);
    if (!entry || entry->state == 'Z') {
      return std::nullopt;
    }
    return entry->start_time;
  };
  return here;
}

process::process_identity this_process() {
  const auto entry = find_process(::getpid());
  return {::getpid(), entry ? entry->start_time : 0};
}

} // namespace resilient::launcher
