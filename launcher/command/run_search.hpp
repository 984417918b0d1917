#pragma once

#include "core/support/error.hpp"
#include "core/support/files.hpp"
#include "launcher/command/environment.hpp"
#include "launcher/command/options.hpp"
#include "launcher/command/run_folder.hpp"

#include <string>

namespace resilient::launcher {

/// A run that `status` or `stop` is about.
struct found_run {
  std::string id;
  std::string path;
  run_record record; ///< empty when the lock file could not be read
  bool alive = false;
};

/// The run that the options name: the one in `--run-dir`, the one whose id begins with `RUN`, else
/// the newest that is alive, else the newest that was not refused at its start.
[[nodiscard]] result<found_run> find_run(const files& disk, const options& chosen,
                                         const environment_reader& environment);

/// The runs folder that the environment means.
[[nodiscard]] std::string runs_folder_of(const environment_reader& environment);

} // namespace resilient::launcher
