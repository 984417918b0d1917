#include "launcher/io/standard_descriptors.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace resilient::launcher {

void fill_standard_descriptors() {
  // The lowest number that is free is taken.
  int opened = ::open("/dev/null", O_RDWR);
  while (opened >= 0 && opened <= STDERR_FILENO) {
    opened = ::open("/dev/null", O_RDWR);
  }
  if (opened >= 0) {
    ::close(opened);
  }
}

} // namespace resilient::launcher
