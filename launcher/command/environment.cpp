#include "launcher/command/environment.hpp"

#include "core/goal/time_zones.hpp"

#include <pwd.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <filesystem>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

namespace resilient::launcher {

std::optional<std::string> process_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>{value};
}

std::string home_folder(const environment_reader& environment) {
  if (auto home = environment("HOME"); home && !home->empty()) {
    return *home;
  }
  const passwd* entry = ::getpwuid(::geteuid());
  return entry != nullptr && entry->pw_dir != nullptr ? entry->pw_dir : std::string{};
}

std::string working_folder() {
  std::error_code failed;
  const auto here = std::filesystem::current_path(failed);
  return failed ? std::string{} : here.string();
}

std::string own_program() {
  std::error_code failed;
#ifdef __APPLE__
  char buffer[PATH_MAX];
  std::uint32_t size = sizeof buffer;
  if (::_NSGetExecutablePath(buffer, &size) != 0) {
    return {};
  }
  const auto path = std::filesystem::canonical(buffer, failed);
#else
  const auto path = std::filesystem::read_symlink("/proc/self/exe", failed);
#endif
  return failed ? std::string{} : path.string();
}

std::string local_zone(const environment_reader& environment) {
  std::string zone = environment("TZ").value_or("");
  if (!zone.empty()) {
    // `:Europe/Berlin` means the file, as without the colon.
    zone.erase(0, zone.front() == ':' ? 1 : 0);
    return goal::zone_exists(zone) ? zone : std::string{};
  }
  std::error_code failed;
  const std::string target = std::filesystem::read_symlink("/etc/localtime", failed).string();
  static const std::string folder = "zoneinfo/";
  const std::size_t at = target.find(folder);
  return failed || at == std::string::npos ? std::string{} : target.substr(at + folder.size());
}

} // namespace resilient::launcher
