#include "core/settings/settings_file.hpp"

#include "core/settings/json_read.hpp"
#include "core/support/text.hpp"

#include <utility>

namespace resilient::settings {

namespace {

result<nlohmann::json> value_of(const result<std::optional<std::string>>& text,
                                const std::string& path) {
  if (!text) {
    return tl::unexpected(text.error());
  }
  if (!*text || (*text)->empty()) {
    return nlohmann::json::object();
  }
  auto value = read_json(**text, path);
  if (value && !value->is_object()) {
    return fail(error_kind::data,
                "{} does not hold a JSON object. Correct the file; it was not changed.", path);
  }
  return value;
}

std::string below(const std::string& folder, const std::string& name) {
  return ends_with(folder, "/") ? folder + name : fmt::format("{}/{}", folder, name);
}

/// Like `read_file`, with a second look under the lock when the first one may have been too early.
result<nlohmann::json> read_settled(files& disk, const std::string& path, const lock_tools& tools) {
  const auto text = read_text(disk, path);
  if (may_be_half_written(text, path)) {
    // Without the right to lock, nobody of this user writes there either.
    const auto lock = settings_lock::take(disk, path, tools);
    return read_file(disk, path);
  }
  return value_of(text, path);
}

nlohmann::json read_or_note(files& disk, const std::string& path, const lock_tools& tools,
                            std::vector<error>& problems) {
  auto read = read_settled(disk, path, tools);
  if (read) {
    return *std::move(read);
  }
  problems.push_back(std::move(read).error());
  return nlohmann::json::object();
}

} // namespace

std::string agent_folder(const std::optional<std::string>& variable, const std::string& home) {
  if (!variable || variable->empty()) {
    return below(home, ".pi/agent");
  }
  if (*variable == "~") {
    return home;
  }
  if (starts_with(*variable, "~/")) {
    return below(home, variable->substr(2));
  }
  return *variable;
}

settings_place place_in(const std::string& agent_folder, const std::string& project_folder,
                        bool project_trusted) {
  return {below(agent_folder, "settings.json"), below(project_folder, ".pi/settings.json"),
          project_trusted};
}

result<std::optional<std::string>> read_text(const files& disk, const std::string& path) {
  auto text = disk.read(path, longest_settings_file);
  if (text) {
    return std::optional{*std::move(text)};
  }
  if (text.error().kind != error_kind::no_input) {
    return tl::unexpected(std::move(text).error());
  }
  // Only what is certainly not there counts as missing.
  const auto found = disk.status(path);
  if (!found) {
    return tl::unexpected(found.error());
  }
  if (found->has_value()) {
    return tl::unexpected(std::move(text).error());
  }
  return std::optional<std::string>{};
}

bool may_be_half_written(const result<std::optional<std::string>>& text, const std::string& path) {
  return text && *text && ((*text)->empty() || !value_of(text, path));
}

result<nlohmann::json> read_file(const files& disk, const std::string& path) {
  return value_of(read_text(disk, path), path);
}

settings_values read_settings(files& disk, const settings_place& place, const lock_tools& tools) {
  settings_values values;
  values.user = read_or_note(disk, place.user_file, tools, values.problems);
  if (place.project_trusted) {
    values.project = read_or_note(disk, place.project_file, tools, values.problems);
  }
  values.merged = merge(values.user, values.project);
  return values;
}

} // namespace resilient::settings
