#include "launcher/command/run_commands.hpp"

#include "core/goal/classify.hpp"
#include "core/goal/clock_times.hpp"
#include "core/goal/explain.hpp"
#include "core/support/json_text.hpp"
#include "core/support/text.hpp"
#include "launcher/command/control_client.hpp"
#include "launcher/command/run_search.hpp"
#include "launcher/command/status_text.hpp"
#include "launcher/io/system_clocks.hpp"
#include "launcher/terminal/last_lines.hpp"

#include <nlohmann/json.hpp>

#include <thread>

namespace resilient::launcher {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr std::size_t longest_state_file = 16U << 20U;
constexpr std::size_t shown_error_bytes = 1000;
constexpr std::chrono::milliseconds answer_patience = 10s;
/// The ladder takes at most half of it.
constexpr std::chrono::milliseconds stop_patience = 60s;

command_answer failed(const error& why) {
  return {{}, fmt::format("pi-resilient: {}\n", why.message), static_cast<int>(why.kind)};
}

json read_state(const files& disk, const std::string& path) {
  const auto text = disk.read(path, longest_state_file);
  json data = text ? parse_json(*text) : json(nullptr);
  return data.is_discarded() ? json(nullptr) : data;
}

} // namespace

command_answer tell_status(const files& disk, const options& chosen,
                           const environment_reader& environment) {
  const auto found = find_run(disk, chosen, environment, working_folder());
  if (!found) {
    return failed(found.error());
  }
  const found_run* run = &found->run;
  json data;
  if (run->alive) {
    const auto answer = ask_run(run->record.socket, R"({"request":"status"})", answer_patience);
    if (!answer) {
      return failed(answer.error());
    }
    data = parse_json(*answer);
    if (!data.is_object()) {
      return failed({error_kind::data, "The run answered with something that is no JSON object."});
    }
  } else {
    data = json{{"supervisor", read_state(disk, run->path + "/supervisor.json")},
                {"runtime", read_state(disk, run->path + "/runtime.json")},
                {"pi_errors", last_lines(run->path + "/" + error_file_name, shown_error_bytes)}};
  }
  data["run_id"] = run->id;
  data["folder"] = run->path;
  data["alive"] = run->alive;
  data["other_runs"] = json::array();
  for (const found_run& each : found->others) {
    data["other_runs"].push_back({{"run_id", each.id}, {"working_folder", each.working_folder}});
  }
  return {chosen.json ? json_page(data) + "\n" : status_text(data), {}, 0};
}

command_answer stop_run(const files& disk, const options& chosen,
                        const environment_reader& environment) {
  const auto run = find_run_to_stop(disk, chosen, environment, working_folder());
  if (!run) {
    return failed(run.error());
  }
  if (!run->alive) {
    return {fmt::format("The run {} has ended already.\n", run->id), {}, 0};
  }
  const auto answer = ask_run(run->record.socket, R"({"request":"stop"})", answer_patience);
  if (!answer) {
    return failed(answer.error());
  }
  const auto give_up_at = std::chrono::steady_clock::now() + stop_patience;
  while (is_listening(run->record.socket)) {
    if (std::chrono::steady_clock::now() >= give_up_at) {
      return failed({error_kind::unavailable,
                     fmt::format("The run {} (process {}) was asked to stop but did not end within "
                                 "a minute.",
                                 run->id, run->record.pid)});
    }
    std::this_thread::sleep_for(50ms);
  }
  return {fmt::format("The run {} has ended.\n", run->id), {}, 0};
}

namespace {

/// A time without a zone is one of the zone that the failure is read in.
std::optional<wall_time> instant_in(const std::string& text, const goal::failure& seen) {
  const auto mention = goal::calendar_at(text, ascii_lower(text), 0);
  if (!mention || !mention->year || mention->end != text.size()) {
    return std::nullopt;
  }
  goal::zone_mention assumed;
  if (!seen.local_zone.empty()) {
    assumed.what = goal::zone_mention::kind::named;
    assumed.name = seen.local_zone;
  }
  return goal::resolve(*mention, wall_time{}, assumed);
}

} // namespace

command_answer explain_error(const std::string& text, const options& chosen,
                             const environment_reader& environment) {
  if (trim(text).empty()) {
    return failed({error_kind::usage,
                   "Nothing came on stdin. Give it the text of an error: pi-resilient "
                   "explain-error < error.txt"});
  }
  goal::failure seen;
  seen.observed_at = system_clocks{}.now().wall;
  seen.local_zone = chosen.time_zone.empty() ? local_zone(environment) : chosen.time_zone;
  if (!chosen.time_zone.empty() && !goal::zone_exists(chosen.time_zone)) {
    return failed({error_kind::usage,
                   fmt::format("--tz must be a time zone such as Europe/Berlin, not \"{}\".",
                               chosen.time_zone)});
  }
  if (!chosen.seen_at.empty()) {
    const auto at = instant_in(chosen.seen_at, seen);
    if (!at) {
      return failed(
          {error_kind::usage,
           fmt::format("--at must be an instant such as 2026-11-30T22:15:00Z, not \"{}\".",
                       chosen.seen_at)});
    }
    seen.observed_at = *at;
  }
  for (const std::string& header : chosen.headers) {
    const std::size_t colon = header.find(':');
    if (colon == std::string::npos || colon == 0) {
      return failed({error_kind::usage,
                     fmt::format("--header must be a header such as 'retry-after: 30', not \"{}\".",
                                 header)});
    }
    seen.headers.emplace_back(trim(header.substr(0, colon)), trim(header.substr(colon + 1)));
  }
  seen.text = text;
  seen.status = chosen.http_status;
  seen.provider = chosen.provider;
  seen.stop_reason = "error";
  const goal::verdict decided = goal::classify(seen);
  return {(chosen.json ? goal::explain_json(decided) : goal::explain_sentence(seen, decided))
              + "\n",
          {},
          0};
}

} // namespace resilient::launcher
