#pragma once

#include "core/support/files.hpp"
#include "launcher/command/environment.hpp"
#include "launcher/command/options.hpp"

#include <string>

/// The commands that ask about runs. Each returns an exit code and puts what it has to say into
/// `out` (stdout) or `wrong` (stderr).
namespace resilient::launcher {

struct command_answer {
  std::string out;
  std::string wrong;
  int exit_code = 0;
};

/// Asks a live run by its socket; reads the files of a dead one.
[[nodiscard]] command_answer tell_status(const files& disk, const options& chosen,
                                         const environment_reader& environment);

/// Asks a run to end and waits until it has.
[[nodiscard]] command_answer stop_run(const files& disk, const options& chosen,
                                      const environment_reader& environment);

/// Says what `text` means for a goal.
[[nodiscard]] command_answer explain_error(const std::string& text, const options& chosen,
                                           const environment_reader& environment);

} // namespace resilient::launcher
