#include "core/process/exit_status.hpp"

#include <fmt/format.h>

#include <csignal>

namespace resilient::process {

std::string signal_name(int signal_number) {
  struct named {
    int number;
    const char* name;
  };
  static constexpr named names[] = {
      {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
      {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
      {SIGKILL, "SIGKILL"}, {SIGSEGV, "SIGSEGV"}, {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"},
      {SIGTERM, "SIGTERM"}, {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}, {SIGSTOP, "SIGSTOP"},
      {SIGCONT, "SIGCONT"}, {SIGTSTP, "SIGTSTP"}, {SIGXCPU, "SIGXCPU"}, {SIGSYS, "SIGSYS"},
  };
  for (const named& each : names) {
    if (each.number == signal_number) {
      return each.name;
    }
  }
  return fmt::format("signal {}", signal_number);
}

std::string describe(const exit_status& status) {
  if (const auto* code = std::get_if<exited>(&status)) {
    return fmt::format("exit {}", code->code);
  }
  return fmt::format("killed by {}", signal_name(std::get<signaled>(status).signal_number));
}

int shell_status(const exit_status& status) {
  if (const auto* code = std::get_if<exited>(&status)) {
    return code->code;
  }
  return 128 + std::get<signaled>(status).signal_number;
}

} // namespace resilient::process
