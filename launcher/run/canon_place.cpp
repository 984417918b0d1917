#include "launcher/run/canon_place.hpp"

namespace resilient::launcher {

canon_files canon_files_in(const environment_reader& environment) {
  const std::string home = home_folder(environment);
  const auto folder = [&](const char* variable, const char* below_home) {
    const std::string named = environment(variable).value_or("");
    if (!named.empty() && named.front() == '/') {
      return named;
    }
    return home.empty() ? std::string{} : home + below_home;
  };
  const std::string settings = folder("XDG_CONFIG_HOME", "/.config");
  const std::string cache = folder("XDG_CACHE_HOME", "/.cache");
  canon_files files;
  if (!settings.empty()) {
    files.settings = settings + "/canon/settings.json";
    files.old_settings = settings + "/pi-canon/settings.json";
  }
  if (!cache.empty()) {
    files.cache = cache + "/canon";
  }
  files.home = home;
  const auto named = [&](const char* variable) { return environment(variable).value_or(""); };
  files.trace = named("CANON_TRACE");
  if (files.trace.empty()) {
    files.trace = named("PI_CANON_TRACE");
  }
  return files;
}

} // namespace resilient::launcher
