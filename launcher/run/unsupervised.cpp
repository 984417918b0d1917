#include "launcher/run/unsupervised.hpp"

#include "launcher/child/spawner.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

// NOLINTNEXTLINE(readability-redundant-declaration): not every system declares it.
extern char** environ;

namespace resilient::launcher {

error become(const unsupervised_plan& plan) {
  std::vector<std::string> arguments{plan.program};
  arguments.insert(arguments.end(), plan.arguments.begin(), plan.arguments.end());
  std::vector<std::string> environment = child_environment(environ, {{loop_guard_variable, "1"}});
  std::vector<char*> argument_pointers;
  for (std::string& each : arguments) {
    argument_pointers.push_back(each.data());
  }
  argument_pointers.push_back(nullptr);
  std::vector<char*> environment_pointers;
  for (std::string& each : environment) {
    environment_pointers.push_back(each.data());
  }
  environment_pointers.push_back(nullptr);
  ::execve(plan.program.c_str(), argument_pointers.data(), environment_pointers.data());
  return {error_kind::unavailable,
          fmt::format("{} cannot be executed ({}). Set PI_REAL_BIN to the real pi.", plan.program,
                      std::strerror(errno))};
}

} // namespace resilient::launcher
