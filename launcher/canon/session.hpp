#pragma once

#include "core/canon/options.hpp"
#include "core/canon/places.hpp"
#include "core/canon/settings_file.hpp"
#include "core/support/error.hpp"
#include "core/support/time.hpp"

#include <optional>
#include <string>
#include <vector>

namespace resilient::canon {

/// The flags that every command takes.
struct common_flags {
  std::string project;             ///< empty: found from the current folder upwards
  std::string root;                ///< empty: `<project>/.canon`
  std::vector<std::string> mounts; ///< folders of other projects
  // The other options for this run, as typed; empty: as the settings say.
  std::string surface;
  std::string resurface;
  std::string retrieval;
  std::string standout;
};

/// Now, or the instant that `CANON_NOW` gives (`2026-11-30T17:05:02.875Z`), for tests.
[[nodiscard]] wall_time current_time();

/// The folder that the process works in, links resolved.
[[nodiscard]] result<std::string> current_folder();

/// The folder at a path, links resolved; fails when there is none.
[[nodiscard]] result<std::string> existing_folder(const std::string& path);

/// The project of somebody who works in `folder`, a real path.
[[nodiscard]] std::string project_of(const std::string& folder);

/// The project of a command line: what `--project` says, else where the current folder lies.
[[nodiscard]] result<std::string> project_of(const common_flags& flags);

/// Where what can be found anew is kept; empty without a home folder.
[[nodiscard]] std::string cache_folder();

/// The file that holds the user's settings: the one of the older release while there is no other.
/// Empty when there is no home folder.
[[nodiscard]] std::string settings_path();
/// What it holds; empty when there is none.
[[nodiscard]] result<std::string> settings_text();
/// Both, for whoever saves settings. Empty when there is no home folder.
[[nodiscard]] settings_files where_settings_are();

/// Options from the settings file with the flags laid over them. A settings file that is wrong
/// counts as empty; what is wrong with it is told in `problem`.
struct chosen_options {
  options values;
  std::optional<std::string> problem;
};
[[nodiscard]] chosen_options choose_options(const common_flags& flags);
/// Lays what was typed, and what `CANON_ROOT` and `CANON_MOUNTS` say, over options.
void lay_flags(const common_flags& flags, chosen_options& chosen);

/// The project and its mounts, ready to be asked. Fails when a mount is not there: its addresses
/// would be taken for the project's own.
[[nodiscard]] result<places> open_places(const std::string& project, const options& chosen);

} // namespace resilient::canon
