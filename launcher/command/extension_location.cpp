#include "launcher/command/extension_location.hpp"

#include "core/support/files.hpp"

#include <filesystem>

namespace resilient::launcher {

result<std::string> locate_extension(const environment_reader& environment,
                                     const std::string& own_program,
                                     const std::string& working_folder) {
  const posix_files disk;
  if (const auto named = environment("PI_RESILIENT_EXTENSION"); named && !named->empty()) {
    const std::string path = named->front() == '/' ? *named : working_folder + "/" + *named;
    if (!disk.exists(path)) {
      return fail(error_kind::unavailable,
                  "PI_RESILIENT_EXTENSION is \"{}\", where nothing is. Set it to the extension's "
                  "folder or file, or unset it.",
                  *named);
    }
    return path;
  }
  const std::filesystem::path here = std::filesystem::path{own_program}.parent_path();
  const std::filesystem::path installed = here / "../share/pi-resilient/extension";
  const std::filesystem::path candidates[] = {
      installed / "pi-resilient.js", // bundled
      installed / "index.ts",        // built without a bundler
      PI_RESILIENT_BUILT_EXTENSION,
  };
  for (const auto& each : candidates) {
    std::error_code failed;
    const auto real = std::filesystem::canonical(each, failed);
    if (!failed) {
      return real.string();
    }
  }
  return fail(
      error_kind::unavailable,
      "The Pi extension of pi-resilient was not found at {}. Install pi-resilient again, or "
      "set PI_RESILIENT_EXTENSION to its folder.",
      installed.lexically_normal().string());
}

} // namespace resilient::launcher
