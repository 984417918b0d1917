#include "launcher/command/run_search.hpp"

#include "core/process/session_pin.hpp"
#include "core/settings/settings_file.hpp"
#include "core/support/json_text.hpp"
#include "core/support/text.hpp"
#include "launcher/command/control_client.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace resilient::launcher {

namespace {

constexpr std::size_t longest_state_file = 16U << 20U;

found_run look_at(const files& disk, const std::string& path) {
  found_run found;
  found.path = path;
  found.id = last_name(path);
  if (auto record = read_run_record(disk, path)) {
    found.record = *record;
    found.id = record->id;
    found.alive = is_listening(record->socket);
  }
  return found;
}

/// A start that was refused because another has the session is not what anybody asks about.
bool was_refused(const files& disk, const found_run& run) {
  const auto text = disk.read(run.path + "/supervisor.json", longest_state_file);
  const auto data = text ? parse_json(*text) : nlohmann::json(nullptr);
  const auto exit_code = data.is_object() ? data.value("exit_code", nlohmann::json{}) : data;
  return exit_code == static_cast<int>(error_kind::busy);
}

} // namespace

std::string runs_folder_of(const environment_reader& environment) {
  return runs_folder(
      settings::agent_folder(environment("PI_CODING_AGENT_DIR"), home_folder(environment)));
}

result<found_run> find_run(const files& disk, const options& chosen,
                           const environment_reader& environment) {
  if (!chosen.run_folder.empty()) {
    const std::string path =
        process::absolute_path(chosen.run_folder, working_folder(), home_folder(environment));
    if (!disk.exists(path + "/" + run_lock_name)) {
      return fail(error_kind::no_input, "{} is not the folder of a run.", path);
    }
    return look_at(disk, path);
  }
  const std::string runs = runs_folder_of(environment);
  const auto all = list_runs(disk, runs);
  std::optional<found_run> newest;
  for (const std::string& id : all) {
    if (!starts_with(id, chosen.run)) {
      continue;
    }
    found_run found = look_at(disk, fmt::format("{}/{}", runs, id));
    if (found.alive) {
      return found;
    }
    if (!newest || (chosen.run.empty() && was_refused(disk, *newest))) {
      newest = std::move(found);
    }
  }
  if (newest) {
    return std::move(*newest);
  }
  if (chosen.run.empty()) {
    return fail(error_kind::no_input, "There is no run of pi-resilient in {}.", runs);
  }
  return fail(error_kind::no_input,
              "No run in {} has an id that begins with \"{}\". See the names there.", runs,
              chosen.run);
}

} // namespace resilient::launcher
