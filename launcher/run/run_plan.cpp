#include "launcher/run/run_plan.hpp"

#include "core/process/session_pin.hpp"
#include "core/settings/settings_file.hpp"
#include "launcher/bridge/socket_place.hpp"
#include "launcher/command/extension_location.hpp"
#include "launcher/command/trust_question.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace resilient::launcher {

namespace {

/// The newest version whose command line is known, for a Pi that does not tell its own.
constexpr process::pi_version newest_known_pi{1, 6, 0};

process::run_mode supervised_mode(process::pi_mode mode) {
  switch (mode) {
  case process::pi_mode::terminal:
    return process::run_mode::terminal;
  case process::pi_mode::rpc:
    return process::run_mode::rpc;
  case process::pi_mode::print:
  case process::pi_mode::json:
    break;
  }
  return process::run_mode::print;
}

/// Pi reads the project's `sessionDir` before it asks for trust, so we do, too.
std::string session_folder(const environment_reader& environment, const files& disk,
                           const run_plan& plan) {
  if (auto named = environment("PI_CODING_AGENT_SESSION_DIR"); named && !named->empty()) {
    return *named;
  }
  for (const std::string& file :
       {plan.working_folder + "/.pi/settings.json", plan.agent_folder + "/settings.json"}) {
    const auto data = settings::read_file(disk, file);
    if (!data) {
      continue;
    }
    const auto value = data->find("sessionDir");
    if (value != data->end() && value->is_string()) {
      return value->get<std::string>();
    }
  }
  return {};
}

result<void> choose_folder(run_plan& plan, const options& chosen,
                           const environment_reader& environment, files& disk, const instant& now,
                           entropy& random) {
  const std::string id = make_run_id(now.wall, random.hex(4));
  const std::string runs = runs_folder(plan.agent_folder);
  const std::string path = chosen.run_folder.empty()
                               ? runs + "/" + id
                               : process::absolute_path(chosen.run_folder, plan.working_folder,
                                                        home_folder(environment));
  auto folder = make_run_folder(disk, path, id);
  if (!folder) {
    return tl::unexpected{folder.error()};
  }
  plan.folder = std::move(*folder);
  prune_runs(disk, runs);
  auto socket = socket_place(path, id, environment);
  if (!socket) {
    return tl::unexpected{socket.error()};
  }
  plan.socket_path = std::move(*socket);
  return {};
}

} // namespace

result<start_plan> make_plan(const options& chosen, const plan_surroundings& around, files& disk,
                             const instant& now, entropy& random) {
  run_plan plan;
  if (const auto looped = check_for_loop(around.environment); !looped) {
    return tl::unexpected{looped.error()};
  }
  if (around.working_folder.empty()) {
    return fail(error_kind::no_input,
                "The working folder does not exist any more. Change to one that does.");
  }
  auto pi = locate_pi(around.environment, around.own_program, around.working_folder);
  if (!pi) {
    return tl::unexpected{pi.error()};
  }
  plan.pi = std::move(*pi);
  auto arguments =
      process::parse_command_line(chosen.pi_arguments, plan.pi.version.value_or(newest_known_pi));
  if (!arguments) {
    return tl::unexpected{arguments.error()};
  }
  plan.arguments = std::move(*arguments);
  if (!plan.arguments.is_session) {
    return unsupervised_plan{plan.pi.program, chosen.pi_arguments};
  }
  if (plan.arguments.no_session) {
    return fail(error_kind::usage,
                "--no-session cannot be used with pi-resilient: a Pi that stores "
                "no session has nothing to come back to. Leave it out, or start "
                "pi itself.");
  }
  if (plan.pi.version && *plan.pi.version >= process::first_untested_pi) {
    plan.warnings.push_back(fmt::format(
        "Pi {} is newer than the versions that pi-resilient was tested with; what it can do is "
        "judged by its features.",
        process::to_string(*plan.pi.version)));
  }
  auto extension = locate_extension(around.environment, around.own_program, around.working_folder);
  if (!extension) {
    return tl::unexpected{extension.error()};
  }
  plan.extension_path = std::move(*extension);
  plan.working_folder = around.working_folder;
  const std::string home = home_folder(around.environment);
  plan.agent_folder = process::absolute_path(
      settings::agent_folder(around.environment("PI_CODING_AGENT_DIR"), home),
      around.working_folder, home);
  const process::pi_mode mode = process::mode_on(plan.arguments.mode, around.has_terminal);
  plan.mode = supervised_mode(mode);
  plan.session_file = process::pinned_session(plan.arguments,
                                              {plan.working_folder, home, plan.agent_folder,
                                               session_folder(around.environment, disk, plan)},
                                              now.wall, process::uuid_from(random.hex(16)));
  plan.first_start_asks = plan.mode == process::run_mode::terminal
                          && (plan.arguments.session == process::session_choice::pick
                              || (!plan.arguments.project_trust
                                  && asks_for_trust(disk, plan.working_folder, plan.agent_folder)));
  if (auto folder = choose_folder(plan, chosen, around.environment, disk, now, random); !folder) {
    return tl::unexpected{folder.error()};
  }
  if (plan.mode == process::run_mode::terminal) {
    plan.error_file = plan.folder.path + "/" + error_file_name;
  }
  return start_plan{std::move(plan)};
}

} // namespace resilient::launcher
