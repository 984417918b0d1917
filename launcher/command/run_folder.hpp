#pragma once

#include "core/support/error.hpp"
#include "core/support/files.hpp"
#include "core/support/time.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace resilient::launcher {

/// The folder with the state of one run, ours as long as the lock is held.
struct run_folder {
  std::string id;
  std::string path;
  std::unique_ptr<file_lock> lock;
};

/// What the lock file of a run says.
struct run_record {
  std::string id;
  int pid = 0;
  std::string socket;
};

/// The name of the file in a run folder that is locked while the run lives.
inline constexpr const char* run_lock_name = "run.lock";

/// What Pi wrote to stderr in terminal mode.
inline constexpr const char* error_file_name = "stderr.txt";

/// Runs of which the folders are kept.
inline constexpr std::size_t kept_runs = 50;

/// `<agent folder>/resilient/runs`
[[nodiscard]] std::string runs_folder(const std::string& agent_folder);

/// "20261130T191403Z-9f86d081": sorts by time.
[[nodiscard]] std::string make_run_id(wall_time now, const std::string& random_hex);
[[nodiscard]] bool is_run_id(const std::string& name);

/// Makes the folder of a run, private to its user, and locks it. `path` is absolute. A folder that
/// holds something and was no run's before is refused: nothing of anybody's is mixed with a run.
[[nodiscard]] result<run_folder> make_run_folder(files& disk, const std::string& path,
                                                 const std::string& id);

/// Makes the folder of a run that lives again, and locks it, when somebody has removed one of them.
/// Refused when another run has taken its place.
[[nodiscard]] result<void> restore_run_folder(files& disk, run_folder& folder);

/// Writes into the lock file who lives there, for `status` and `stop`.
[[nodiscard]] result<void> write_run_record(run_folder& folder, int pid, const std::string& socket);
/// Nothing when the folder is no run's.
[[nodiscard]] std::optional<run_record> read_run_record(const files& disk, const std::string& path);

/// The ids of the runs below `runs`, newest first.
[[nodiscard]] std::vector<std::string> list_runs(const files& disk, const std::string& runs);

/// Removes the folders of old runs, but for the `keep` newest and those that live.
void prune_runs(files& disk, const std::string& runs, std::size_t keep = kept_runs);

} // namespace resilient::launcher
