#include "launcher/command/run_search.hpp"

#include "core/process/session_pin.hpp"
#include "core/settings/settings_file.hpp"
#include "core/support/json_text.hpp"
#include "core/support/text.hpp"
#include "launcher/command/control_client.hpp"
#include "launcher/terminal/last_lines.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace resilient::launcher {

namespace {

using nlohmann::json;

constexpr std::size_t longest_state_file = 16U << 20U;

json read_supervisor(const files& disk, const std::string& path) {
  const auto text = disk.read(path + "/supervisor.json", longest_state_file);
  return text ? parse_json_object(*text) : json::object();
}

found_run look_at(const files& disk, const std::string& path) {
  found_run found;
  found.path = path;
  found.id = last_name(path);
  if (auto record = read_run_record(disk, path)) {
    found.record = *record;
    found.id = record->id;
    found.alive = is_listening(record->socket);
  }
  const json folder = read_supervisor(disk, path).value("working_folder", json{});
  found.working_folder = folder.is_string() ? folder.get<std::string>() : std::string{};
  return found;
}

/// A start that was refused because another has the session is not what anybody asks about.
bool was_refused(const files& disk, const found_run& run) {
  return read_supervisor(disk, run.path).value("exit_code", json{})
         == static_cast<int>(error_kind::busy);
}

/// Those that live in the folder `here` first.
void prefer(std::vector<found_run>& alive, const std::string& here) {
  std::stable_partition(alive.begin(), alive.end(),
                        [&](const found_run& each) { return each.working_folder == here; });
}

} // namespace

std::string runs_folder_of(const environment_reader& environment) {
  return runs_folder(
      settings::agent_folder(environment("PI_CODING_AGENT_DIR"), home_folder(environment)));
}

result<search_result> find_run(const files& disk, const options& chosen,
                               const environment_reader& environment, const std::string& here) {
  if (!chosen.run_folder.empty()) {
    const std::string path =
        process::absolute_path(chosen.run_folder, here, home_folder(environment));
    if (!disk.exists(path + "/" + run_lock_name)) {
      return fail(error_kind::no_input, "{} is not the folder of a run.", path);
    }
    return search_result{look_at(disk, path), {}};
  }
  const std::string runs = runs_folder_of(environment);
  std::vector<found_run> alive;
  std::optional<found_run> over;
  for (const std::string& id : list_runs(disk, runs)) {
    if (!starts_with(id, chosen.run)) {
      continue;
    }
    found_run found = look_at(disk, fmt::format("{}/{}", runs, id));
    if (found.alive) {
      alive.push_back(std::move(found));
    } else if (!over || (chosen.run.empty() && was_refused(disk, *over))) {
      over = std::move(found);
    }
  }
  if (!alive.empty()) {
    prefer(alive, here);
    return search_result{alive.front(), {alive.begin() + 1, alive.end()}};
  }
  if (over) {
    return search_result{*std::move(over), {}};
  }
  if (chosen.run.empty()) {
    return fail(error_kind::no_input, "There is no run of pi-resilient in {}.", runs);
  }
  return fail(error_kind::no_input,
              "No run in {} has an id that begins with \"{}\". See the names there.", runs,
              chosen.run);
}

result<found_run> find_run_to_stop(const files& disk, const options& chosen,
                                   const environment_reader& environment, const std::string& here) {
  auto found = find_run(disk, chosen, environment, here);
  if (!found) {
    return tl::unexpected{found.error()};
  }
  const auto is_here = [&](const found_run& each) { return each.working_folder == here; };
  const bool is_named = !chosen.run.empty() || !chosen.run_folder.empty();
  const bool is_only_one_here =
      is_here(found->run) && std::none_of(found->others.begin(), found->others.end(), is_here);
  if (!found->run.alive || (is_named && found->others.empty()) || is_only_one_here) {
    return std::move(found->run);
  }
  std::string alive = fmt::format("{} in {}", found->run.id, found->run.working_folder);
  for (const found_run& each : found->others) {
    alive += fmt::format(", {} in {}", each.id, each.working_folder);
  }
  return fail(error_kind::usage, "{}: {}. Say which to end: pi-resilient stop RUN.",
              is_here(found->run) || is_named ? "More than one run may be meant"
                                              : "No run lives in this folder, but elsewhere",
              without_controls(alive));
}

} // namespace resilient::launcher
