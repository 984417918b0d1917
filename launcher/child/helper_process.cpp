#include "launcher/child/helper_process.hpp"

#include "launcher/child/spawner.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

// NOLINTNEXTLINE(readability-redundant-declaration): not every system declares it.
extern char** environ;

namespace resilient::launcher {

namespace {

/// What posix_spawn needs, freed whatever happens.
class spawn_settings {
public:
  spawn_settings() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  spawn_settings(const spawn_settings&) = delete;
  spawn_settings& operator=(const spawn_settings&) = delete;
  ~spawn_settings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

} // namespace

result<pipe_pair> make_pipe() {
  int ends[2];
  if (::pipe(ends) != 0) {
    return fail(error_kind::system, "no pipe could be made ({})", std::strerror(errno));
  }
  pipe_pair made{descriptor{ends[0]}, descriptor{ends[1]}};
  ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  ::fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return made;
}

int another(const descriptor& file) {
  return ::fcntl(file.get(), F_DUPFD_CLOEXEC, 3);
}

void signal_group(pid_t leader, int number) {
  if (leader > 0) {
    ::kill(-leader, number);
  }
}

tl::expected<pid_t, int> start_helper(const helper_request& request) {
  spawn_settings settings;
  ::posix_spawn_file_actions_adddup2(&settings.actions, request.input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&settings.actions, request.output, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(
      &settings.actions, request.errors < 0 ? request.output : request.errors, STDERR_FILENO);
  if (!request.folder.empty()) {
    ::posix_spawn_file_actions_addchdir_np(&settings.actions, request.folder.c_str());
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&settings.attributes, &none);
  sigset_t standard;
  ::sigemptyset(&standard);
  for (const int each : {SIGPIPE, SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGCHLD}) {
    ::sigaddset(&standard, each);
  }
  ::posix_spawnattr_setsigdefault(&settings.attributes, &standard);
  ::posix_spawnattr_setflags(
      &settings.attributes,
      static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID));

  std::vector<std::string> words = request.words;
  std::vector<std::string> variables = child_environment(environ, {});
  pid_t pid = 0;
  const int failed =
      ::posix_spawnp(&pid, words.front().c_str(), &settings.actions, &settings.attributes,
                     pointers_to(words).data(), pointers_to(variables).data());
  if (failed != 0) {
    return tl::unexpected{failed};
  }
  return pid;
}

} // namespace resilient::launcher
