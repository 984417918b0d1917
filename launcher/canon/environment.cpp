#include "launcher/canon/environment.hpp"

#include <cstdlib>

namespace resilient::canon {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string own_environment(const std::string& name) {
  std::string value = environment(("CANON_" + name).c_str());
  return value.empty() ? environment(("PI_CANON_" + name).c_str()) : value;
}

} // namespace resilient::canon
