#include "launcher/child/spawner.hpp"

#include "core/support/descriptor.hpp"
#include "core/support/text.hpp"
#include "launcher/child/process_table.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#ifdef __linux__
#include <sys/prctl.h>
#endif

// NOLINTNEXTLINE(readability-redundant-declaration): not every system declares it.
extern char** environ;

namespace resilient::launcher {

namespace {

enum class step : int { parent, folder, errors, execute };

/// What the child tells through the pipe when it cannot execute the program.
struct spawn_failure {
  step failed_step;
  int error_number;
};

/// Everything the child needs, made before it exists: between fork and exec it may neither
/// allocate nor lock.
struct child_plan {
  const char* program;
  char* const* arguments;
  char* const* environment;
  const char* folder; ///< null: ours
  int errors;         ///< -1: ours
  int report;
  pid_t parent;
};

[[noreturn]] void give_up(const child_plan& plan, step failed_step) {
  const spawn_failure failure{failed_step, errno};
  [[maybe_unused]] const auto written = ::write(plan.report, &failure, sizeof failure);
  ::_exit(127);
}

[[noreturn]] void run_child(const child_plan& plan) {
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  // The signal is not sent when the parent was gone before it was asked for.
  if (::getppid() != plan.parent) {
    errno = ESRCH;
    give_up(plan, step::parent);
  }
#endif
  if (plan.folder != nullptr && ::chdir(plan.folder) != 0) {
    give_up(plan, step::folder);
  }
  if (plan.errors >= 0 && ::dup2(plan.errors, STDERR_FILENO) < 0) {
    give_up(plan, step::errors);
  }
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(SIGPIPE, &standard, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(plan.program, plan.arguments, plan.environment);
  give_up(plan, step::execute);
}

pid_t start(const child_plan& plan) {
#ifdef __linux__
  // The parent waits until the exec and no page table is copied. The child only calls what is safe
  // there, and our signals stay blocked until their handling is as the program expects it.
  const pid_t pid = ::vfork(); // NOLINT(clang-analyzer-security.insecureAPI.vfork)
#else
  const pid_t pid = ::fork();
#endif
  if (pid == 0) {
    run_child(plan); // NOLINT(clang-analyzer-unix.Vfork)
  }
  return pid;
}

/// A child that fails all night must not fill the disk: two parts of bounded size are kept.
descriptor open_error_file(const std::string& path) {
  constexpr off_t longest = 1L << 20;
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && status.st_size > longest) {
    ::rename(path.c_str(), (path + ".old").c_str());
  }
  descriptor opened{
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!opened) {
    // A full disk is no reason to leave Pi dead, and on the terminal its errors would spoil the
    // screen.
    opened = descriptor{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
  }
  return opened;
}

struct pipe_ends {
  descriptor reading;
  descriptor writing;
};

result<pipe_ends> open_pipe() {
  int ends[2];
#ifdef __linux__
  const int made = ::pipe2(ends, O_CLOEXEC);
#else
  const int made = ::pipe(ends);
#endif
  if (made != 0) {
    return fail(error_kind::system,
                "Cannot start Pi: no pipe could be made ({}). Close programs "
                "or raise the limit of open files (ulimit -n).",
                std::strerror(errno));
  }
#ifndef __linux__
  ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  ::fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#endif
  return pipe_ends{descriptor{ends[0]}, descriptor{ends[1]}};
}

tl::unexpected<error> explain(const spawn_failure& failure, const spawn_request& request) {
  const char* why = std::strerror(failure.error_number);
  switch (failure.failed_step) {
  case step::parent:
    return fail(error_kind::system, "Cannot start Pi: the launcher ended at the same moment.");
  case step::folder:
    return fail(error_kind::no_input,
                "Cannot start Pi: the working folder {} cannot be entered ({}). Start again in a "
                "folder that exists.",
                request.folder, why);
  case step::errors:
    return fail(error_kind::io, "Cannot start Pi: its stderr cannot be redirected to {} ({}).",
                request.error_file, why);
  case step::execute:
    break;
  }
  switch (failure.error_number) {
  case ENOENT:
    return fail(error_kind::unavailable,
                "Cannot start Pi: {} does not exist, or the interpreter in its first line does "
                "not. Install Pi, or set PI_REAL_BIN to its path.",
                request.program);
  case ENOEXEC:
    return fail(error_kind::unavailable,
                "Cannot start Pi: {} is no program for this machine and its first line names no "
                "interpreter (#!). Set PI_REAL_BIN to the real pi.",
                request.program);
  case EACCES:
    return fail(error_kind::unavailable,
                "Cannot start Pi: {} may not be executed (permission denied). Make it executable, "
                "or set PI_REAL_BIN to the real pi.",
                request.program);
  default:
    return fail(error_kind::unavailable, "Cannot start Pi: executing {} failed ({}).",
                request.program, why);
  }
}

} // namespace

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> found;
  found.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    found.push_back(text.data());
  }
  found.push_back(nullptr);
  return found;
}

std::vector<std::string>
child_environment(const char* const* ours,
                  const std::vector<std::pair<std::string, std::string>>& added) {
  const auto name_of = [](std::string_view variable) {
    return variable.substr(0, variable.find('='));
  };
  std::vector<std::string> environment;
  for (; ours != nullptr && *ours != nullptr; ++ours) {
    const std::string_view variable = *ours;
    const bool replaced = std::any_of(added.begin(), added.end(), [&](const auto& each) {
      return each.first == name_of(variable);
    });
    if (!replaced && !starts_with(variable, "PI_RESILIENT_")) {
      environment.emplace_back(variable);
    }
  }
  for (const auto& [name, value] : added) {
    environment.push_back(fmt::format("{}={}", name, value));
  }
  return environment;
}

void adopt_orphans() {
#ifdef __linux__
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
}

result<spawned_child> spawn_child(const spawn_request& request) {
  auto report = open_pipe();
  if (!report) {
    return tl::unexpected{report.error()};
  }
  descriptor errors;
  if (!request.error_file.empty()) {
    errors = open_error_file(request.error_file);
  }

  std::vector<std::string> arguments{request.program};
  arguments.insert(arguments.end(), request.arguments.begin(), request.arguments.end());
  std::vector<std::string> environment = child_environment(environ, request.environment);
  const std::vector<char*> argument_pointers = pointers_to(arguments);
  const std::vector<char*> environment_pointers = pointers_to(environment);

  const pid_t pid =
      start({request.program.c_str(), argument_pointers.data(), environment_pointers.data(),
             request.folder.empty() ? nullptr : request.folder.c_str(), errors.get(),
             report->writing.get(), ::getpid()});
  if (pid < 0) {
    return fail(error_kind::system,
                "Cannot start Pi: no process could be made ({}). Close programs or raise the limit "
                "of processes (ulimit -u).",
                std::strerror(errno));
  }
  report->writing = descriptor{};
  spawn_failure failure{};
  ssize_t count = 0;
  do {
    count = ::read(report->reading.get(), &failure, sizeof failure);
  } while (count < 0 && errno == EINTR);
  if (count == static_cast<ssize_t>(sizeof failure)) {
    // It never was the child of anybody's interest: the reaper shall not report its end.
    ::waitpid(pid, nullptr, 0);
    return explain(failure, request);
  }
  const auto entry = find_process(pid);
  return spawned_child{pid, entry ? entry->start_time : 0};
}

} // namespace resilient::launcher
