#include "launcher/command/pi_location.hpp"

#include "core/support/files.hpp"
#include "core/support/text.hpp"

#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace resilient::launcher {

namespace {

constexpr const char* package_name = "@earendil-works/pi-coding-agent";
constexpr std::size_t longest_package_file = 1U << 20U;
constexpr std::size_t longest_wrapper = 64U << 10U;
/// How far above its file a package's description may be.
constexpr int folders_up = 8;

bool is_program(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)
         && ::access(path.c_str(), X_OK) == 0;
}

bool same_file(const std::string& one, const std::string& other) {
  struct stat first {};
  struct stat second {};
  return ::stat(one.c_str(), &first) == 0 && ::stat(other.c_str(), &second) == 0
         && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/// Whether a line of a shell script names the program, and not only a folder of its name.
bool names_us(std::string_view line) {
  constexpr std::string_view name = "pi-resilient";
  constexpr std::string_view in_words =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  if (starts_with(trim(line), "#")) {
    return false;
  }
  for (std::size_t at = line.find(name); at != std::string_view::npos;
       at = line.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || in_words.find(line[at - 1]) == std::string_view::npos;
    const bool ends = end == line.size()
                      || (line[end] != '/' && in_words.find(line[end]) == std::string_view::npos);
    if (begins && ends) {
      return true;
    }
  }
  return false;
}

/// Whether a shell script starts pi-resilient, which then would start it again and again.
bool would_loop(const std::string& program) {
  const posix_files disk;
  const auto status = disk.status(program);
  if (!status || !*status || (*status)->size > longest_wrapper) {
    return false;
  }
  const auto text = disk.read(program, longest_wrapper);
  if (!text || !starts_with(*text, "#!")) {
    return false;
  }
  const std::string_view first_line = std::string_view{*text}.substr(0, text->find('\n'));
  if (first_line.find("sh") == std::string_view::npos) {
    return false;
  }
  std::string_view rest = std::string_view{*text}.substr(first_line.size());
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (names_us(rest.substr(0, end))) {
      return true;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

tl::unexpected<error> looping(const std::string& program) {
  return fail(error_kind::config,
              "{} is a wrapper that starts pi-resilient again, which would never end. Set "
              "PI_REAL_BIN to the path of the real pi.",
              program);
}

result<std::string> named_program(const std::string& named, const std::string& own_program,
                                  const std::string& working_folder) {
  const std::string path = named.front() == '/' ? named : working_folder + "/" + named;
  if (!is_program(path)) {
    const char* hint = "";
    if (named.front() == '~' || named.find('$') != std::string::npos) {
      hint = " (the value is taken as it is: ~ and $ are not expanded)";
    } else if (named.find('/') == std::string::npos) {
      hint = " (it is a path: a name is looked for in the working folder, not on PATH)";
    }
    return fail(error_kind::unavailable,
                "PI_REAL_BIN is \"{}\", which is not a program that can be executed{}. Set it to "
                "the absolute path of the real pi, or unset it to use the pi on PATH.",
                named, hint);
  }
  if (same_file(path, own_program)) {
    return fail(error_kind::config,
                "PI_REAL_BIN is \"{}\", which is pi-resilient itself. Set it to the path of the "
                "real pi.",
                named);
  }
  return path;
}

result<std::string> program_on_path(const std::string& path_variable,
                                    const std::string& own_program,
                                    const std::string& working_folder) {
  std::string_view rest = path_variable;
  while (true) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    std::string folder{rest.substr(0, end)};
    if (folder.empty() || folder.front() != '/') {
      folder.insert(0, working_folder + "/");
    }
    const std::string candidate = folder + (folder.back() == '/' ? "pi" : "/pi");
    if (is_program(candidate) && !same_file(candidate, own_program)) {
      return candidate;
    }
    if (end == rest.size()) {
      return fail(error_kind::unavailable,
                  "No pi was found on PATH. Install it (npm install -g {}), or set PI_REAL_BIN to "
                  "its path.",
                  package_name);
    }
    rest.remove_prefix(end + 1);
  }
}

} // namespace

std::optional<process::pi_version> version_beside(const std::string& program) {
  std::error_code failed;
  std::filesystem::path folder = std::filesystem::canonical(program, failed);
  const posix_files disk;
  for (int up = 0; !failed && up < folders_up && folder.has_relative_path(); ++up) {
    folder = folder.parent_path();
    const auto text = disk.read((folder / "package.json").string(), longest_package_file);
    if (!text) {
      continue;
    }
    const auto package = nlohmann::json::parse(*text, nullptr, false);
    const auto is_text = [&](const char* field) {
      return package.is_object() && package.contains(field) && package[field].is_string();
    };
    if (is_text("name") && package["name"].get<std::string>() == package_name
        && is_text("version")) {
      return process::parse_pi_version(package["version"].get<std::string>());
    }
  }
  return std::nullopt;
}

result<pi_location> locate_pi(const environment_reader& environment, const std::string& own_program,
                              const std::string& working_folder) {
  const auto named = environment("PI_REAL_BIN");
  const auto program =
      named && !named->empty()
          ? named_program(*named, own_program, working_folder)
          : program_on_path(environment("PATH").value_or("/usr/local/bin:/usr/bin:/bin"),
                            own_program, working_folder);
  if (!program) {
    return tl::unexpected{program.error()};
  }
  if (would_loop(*program)) {
    return looping(*program);
  }
  pi_location found{*program, version_beside(*program)};
  if (found.version && *found.version < process::oldest_supported_pi) {
    return fail(error_kind::unavailable,
                "{} is Pi {}, which is too old: pi-resilient needs {} or later. Update it (npm "
                "install -g {}), or set PI_REAL_BIN to a newer one.",
                found.program, process::to_string(*found.version),
                process::to_string(process::oldest_supported_pi), package_name);
  }
  return found;
}

result<void> check_for_loop(const environment_reader& environment) {
  if (!environment("PI_RESILIENT_SECRET") && !environment(loop_guard_variable)) {
    return {};
  }
  return fail(
      error_kind::config,
      "A pi-resilient started this one in place of Pi, which would never end: the pi that it "
      "found is a wrapper. Set PI_REAL_BIN to the path of the real pi.");
}

} // namespace resilient::launcher
