#pragma once

#include "core/process/pi_command_line.hpp"
#include "core/process/supervision.hpp"
#include "core/support/error.hpp"
#include "core/support/files.hpp"
#include "launcher/command/environment.hpp"
#include "launcher/command/options.hpp"
#include "launcher/command/pi_location.hpp"
#include "launcher/command/run_folder.hpp"
#include "messages/ports.hpp"

#include <string>
#include <variant>
#include <vector>

namespace resilient::launcher {

/// What is known before anything is started.
struct run_plan {
  pi_location pi;
  process::command_line arguments;
  process::run_mode mode = process::run_mode::terminal;
  std::string working_folder;
  std::string agent_folder;
  std::string extension_path;
  std::string session_file;      ///< empty when only Pi can tell
  bool first_start_asks = false; ///< Pi must ask its user before extensions run
  run_folder folder;
  std::string socket_path;
  std::string error_file; ///< the child's stderr; empty: inherited
  std::vector<std::string> warnings;
};

/// Pi is not to be supervised: it prints something and ends, or does some housekeeping.
struct unsupervised_plan {
  std::string program;
  std::vector<std::string> arguments;
};

using start_plan = std::variant<run_plan, unsupervised_plan>;

struct plan_surroundings {
  environment_reader environment;
  std::string own_program;
  std::string working_folder;
  bool has_terminal = false; ///< stdin and stdout are terminals
};

/// Decides what to run, makes the run folder and prunes old ones. The failure is one sentence for
/// the person, its kind the exit code.
[[nodiscard]] result<start_plan> make_plan(const options& chosen, const plan_surroundings& around,
                                           files& disk, const instant& now, entropy& random);

} // namespace resilient::launcher
