#pragma once

#include "core/support/error.hpp"
#include "core/support/files.hpp"
#include "launcher/command/environment.hpp"
#include "launcher/command/options.hpp"
#include "launcher/command/run_folder.hpp"

#include <string>
#include <vector>

namespace resilient::launcher {

/// A run that `status` or `stop` is about.
struct found_run {
  std::string id;
  std::string path;
  run_record record;          ///< empty when the lock file could not be read
  std::string working_folder; ///< empty when it is not known
  bool alive = false;
};

struct search_result {
  found_run run;
  std::vector<found_run> others; ///< that live and were meant as well, newest first
};

/// The run that the options name: the one in `--run-dir`, else of those whose id begins with `RUN`
/// the newest that lives in the folder `here`, the newest that lives, or the newest that was not
/// refused at its start.
[[nodiscard]] result<search_result> find_run(const files& disk, const options& chosen,
                                             const environment_reader& environment,
                                             const std::string& here);

/// Likewise, for ending it: one of another folder must be named, and where more than one may be
/// meant none is chosen, so that no guess ends a night's work.
[[nodiscard]] result<found_run> find_run_to_stop(const files& disk, const options& chosen,
                                                 const environment_reader& environment,
                                                 const std::string& here);

/// The runs folder that the environment means.
[[nodiscard]] std::string runs_folder_of(const environment_reader& environment);

} // namespace resilient::launcher
