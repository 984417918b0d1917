#include "launcher/bridge/socket_place.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace resilient::launcher {

namespace {

/// A folder of ours that nobody else can enter.
result<void> private_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail_errno(errno, "cannot make the folder", path);
  }
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    return fail_errno(errno, "cannot look at the folder", path);
  }
  if (!S_ISDIR(status.st_mode) || status.st_uid != ::geteuid() || (status.st_mode & 077U) != 0) {
    return fail(error_kind::no_permission,
                "{} is needed for the socket of this run, but it is not a folder that only you can "
                "enter. Remove it, or set XDG_RUNTIME_DIR or --run-dir to a short path.",
                path);
  }
  return {};
}

} // namespace

result<std::string> socket_place(const std::string& run_folder, const std::string& run_id,
                                 const environment_reader& environment) {
  std::string path = run_folder + "/socket";
  if (path.size() <= longest_socket_path) {
    return path;
  }
  const auto runtime = environment("XDG_RUNTIME_DIR");
  std::string folder = runtime.value_or("") + "/pi-resilient";
  if (!runtime || runtime->empty() || runtime->front() != '/'
      || folder.size() + 1 + run_id.size() > longest_socket_path || !private_folder(folder)) {
    folder = "/tmp/pi-resilient-" + std::to_string(::geteuid());
    if (auto made = private_folder(folder); !made) {
      return tl::unexpected{made.error()};
    }
  }
  path = folder + "/" + run_id;
  if (path.size() > longest_socket_path) {
    return fail(error_kind::no_create,
                "No socket path of at most {} bytes can be made from the run id {}. Give a shorter "
                "--run-dir.",
                longest_socket_path, run_id);
  }
  return path;
}

} // namespace resilient::launcher
