#include "launcher/canon/session.hpp"

#include "core/canon/project.hpp"
#include "core/support/files.hpp"
#include "launcher/canon/environment.hpp"

#include <cstdio>
#include <sstream>

namespace resilient::canon {

namespace {

[[nodiscard]] std::string configuration_folder() {
  std::string configured = environment("XDG_CONFIG_HOME");
  if (!configured.empty() && configured.front() == '/') {
    return configured;
  }
  const std::string home = environment("HOME");
  return home.empty() ? "" : home + "/.config";
}

/// A mount or root that is relative on the command line means the current folder.
[[nodiscard]] std::string made_absolute(const std::string& path) {
  if (path.empty() || path.front() == '/') {
    return path;
  }
  const auto folder = current_folder();
  return folder ? *folder + "/" + path : path;
}

} // namespace

wall_time current_time() {
  using namespace std::chrono;
  int year_number = 0;
  unsigned month_number = 0;
  unsigned day_number = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int fraction = 0;
  const std::string fixed = environment("CANON_NOW");
  constexpr int fields = 7;
  if (std::sscanf(fixed.c_str(), "%4d-%2u-%2uT%2d:%2d:%2d.%3dZ", &year_number, &month_number,
                  &day_number, &hour, &minute, &second, &fraction)
      == fields) {
    const sys_days date = year{year_number} / month{month_number} / day{day_number};
    return date + hours{hour} + minutes{minute} + seconds{second} + milliseconds{fraction};
  }
  return time_point_cast<milliseconds>(system_clock::now());
}

result<std::string> current_folder() {
  if (auto folder = real_path(".")) {
    return folder;
  }
  return fail(
      error_kind::no_input,
      "The current folder does not exist any more. Change to another one, or pass --project.");
}

result<std::string> existing_folder(const std::string& path) {
  const auto folder = real_path(path);
  const auto found = folder ? posix_files{}.status(*folder) : std::optional<file_status>{};
  if (!folder || !found || !*found || (*found)->kind != file_kind::folder) {
    return fail(error_kind::no_input, "There is no folder {}.", path);
  }
  return *folder;
}

std::string project_of(const std::string& folder) {
  return find_project(posix_files{}, folder, real_path(environment("HOME")).value_or(""));
}

result<std::string> project_of(const common_flags& flags) {
  if (!flags.project.empty()) {
    return existing_folder(flags.project);
  }
  auto folder = current_folder();
  if (!folder) {
    return folder;
  }
  return project_of(*folder);
}

std::string cache_folder() {
  std::string configured = environment("XDG_CACHE_HOME");
  if (!configured.empty() && configured.front() == '/') {
    return configured + "/canon";
  }
  const std::string home = environment("HOME");
  return home.empty() ? "" : home + "/.cache/canon";
}

settings_files where_settings_are() {
  const std::string folder = configuration_folder();
  return folder.empty()
             ? settings_files{}
             : settings_files{folder + "/canon/settings.json", folder + "/pi-canon/settings.json"};
}

std::string settings_path() {
  return settings_file_to_read(posix_files{}, where_settings_are());
}

result<std::string> settings_text() {
  const posix_files disk;
  const std::string path = settings_path();
  return disk.exists(path) ? disk.read(path, longest_settings_file) : "";
}

chosen_options choose_options(const common_flags& flags) {
  chosen_options chosen;
  const auto text = settings_text();
  auto kept = text ? parse_options({}, *text, options_source::user_file)
                   : result<options>{tl::unexpected{text.error()}};
  if (kept) {
    chosen.values = std::move(*kept);
  } else {
    chosen.problem =
        "The defaults are used instead of " + settings_path() + ". " + kept.error().message;
    chosen.values.surface = !text || !settings_file_turns_surfacing_off(*text);
  }
  lay_flags(flags, chosen);
  return chosen;
}

void lay_flags(const common_flags& flags, chosen_options& chosen) {
  nlohmann::json typed = nlohmann::json::object();
  for (const auto& [key, value] :
       {std::pair{"surface", &flags.surface}, std::pair{"resurface", &flags.resurface},
        std::pair{"retrieval", &flags.retrieval}, std::pair{"standout", &flags.standout}}) {
    if (!value->empty()) {
      typed[key] = *value;
    }
  }
  if (auto merged = merge_options(chosen.values, typed, options_source::caller)) {
    chosen.values = std::move(*merged);
  } else {
    chosen.problem = merged.error().message;
  }
  const std::string root = flags.root.empty() ? own_environment("ROOT") : flags.root;
  if (!root.empty()) {
    chosen.values.root = made_absolute(root);
  }
  for (const std::string& mount : flags.mounts) {
    chosen.values.mounts.push_back(made_absolute(mount));
  }
  if (flags.mounts.empty()) {
    std::istringstream listed{own_environment("MOUNTS")};
    for (std::string mount; std::getline(listed, mount, ':');) {
      if (!mount.empty()) {
        chosen.values.mounts.push_back(made_absolute(mount));
      }
    }
  }
}

result<places> open_places(const std::string& project, const options& chosen) {
  auto where = places::open(project, chosen.root, chosen.mounts);
  if (where) {
    for (const place& one : where->all()) {
      if (!existing_folder(one.directory)) {
        return one.name.empty()
                   ? fail(error_kind::no_input, "There is no folder {}.", one.directory)
                   : fail(error_kind::no_input,
                          "There is no folder {}, which is to be mounted as {}:. Correct --mount "
                          "or CANON_MOUNTS, or leave it out.",
                          one.directory, one.name);
      }
    }
    if (const std::string folder = cache_folder(); !folder.empty()) {
      where->project().knowledge.use_cache(mention_cache{folder});
    }
  }
  return where;
}

} // namespace resilient::canon
