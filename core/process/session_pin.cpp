#include "core/process/session_pin.hpp"

#include "core/support/calendar.hpp"
#include "core/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace resilient::process {

namespace {

std::string default_folder(const session_place& place) {
  std::string name = place.working_folder;
  if (starts_with(name, "/")) {
    name.erase(0, 1);
  }
  std::replace_if(
      name.begin(), name.end(),
      [](char each) { return each == '/' || each == '\\' || each == ':'; }, '-');
  return fmt::format("{}/sessions/--{}--", place.agent_folder, name);
}

} // namespace

std::string absolute_path(const std::string& path, const std::string& folder,
                          const std::string& home) {
  std::string expanded = path;
  if (path == "~" || starts_with(path, "~/")) {
    expanded = home + path.substr(1);
  }
  if (!starts_with(expanded, "/")) {
    expanded = folder + "/" + expanded;
  }
  return std::filesystem::path{expanded}.lexically_normal().string();
}

std::string pinned_session(const command_line& line, const session_place& place, wall_time now,
                           const std::string& id) {
  if (line.session == session_choice::file) {
    return absolute_path(line.session_value, place.working_folder, place.home);
  }
  if (line.session != session_choice::fresh) {
    return {};
  }
  std::string folder = default_folder(place);
  if (line.session_dir) {
    folder = absolute_path(*line.session_dir, place.working_folder, place.home);
  } else if (!place.session_folder.empty()) {
    folder = absolute_path(place.session_folder, place.working_folder, place.home);
  }
  std::string time = to_iso(now);
  std::replace_if(
      time.begin(), time.end(), [](char each) { return each == ':' || each == '.'; }, '-');
  return fmt::format("{}/{}_{}.jsonl", folder, time, id);
}

std::string uuid_from(const std::string& hex) {
  std::string digits = hex;
  digits.resize(32, '0');
  digits[12] = '4';
  const char variants[] = {'8', '9', 'a', 'b'};
  digits[16] = variants[static_cast<unsigned char>(digits[16]) % 4];
  return fmt::format("{}-{}-{}-{}-{}", digits.substr(0, 8), digits.substr(8, 4),
                     digits.substr(12, 4), digits.substr(16, 4), digits.substr(20, 12));
}

} // namespace resilient::process
