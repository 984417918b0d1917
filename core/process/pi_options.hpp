#pragma once

#include "core/process/pi_version.hpp"

#include <string_view>
#include <vector>

namespace resilient::process {

/// Whether an option of Pi takes the argument that follows it as its value.
enum class option_value {
  none,        ///< never
  any,         ///< always, whatever it looks like
  no_option,   ///< unless it starts with a dash
  search_text, ///< unless it starts with a dash or `@`; the option is complete without it
  prompt,      ///< as `search_text`, but text that starts with three dashes is taken too
};

/// What an option of Pi means to a supervisor. Everything that is not named here is `other`.
enum class option_effect {
  other,
  informs,     ///< Pi prints something and ends: no session
  exports,     ///< Pi writes a session as a page and ends, unless the file's name is empty
  mode,        ///< output mode
  print,       ///< answers one prompt and ends
  no_session,  ///< nothing is written to disk
  session,     ///< opens a session by file or by the start of its id
  session_id,  ///< opens or creates the session with exactly this id
  fork,        ///< copies a session into a new one
  latest,      ///< goes on with the most recent session of the folder
  pick,        ///< asks the user which session to open
  session_dir, ///< where sessions are stored and looked up
  name,        ///< writes the session's display name into its file
  approve,     ///< trusts the project's own settings and extensions for this run
  no_approve,  ///< ignores them
  credential,  ///< the value is a secret
};

/// One option of Pi's command line.
struct pi_option {
  std::string_view name;  ///< "--session"
  std::string_view alias; ///< "-r", or empty
  option_value value = option_value::none;
  option_effect effect = option_effect::other;
  pi_version since = oldest_supported_pi;
  /// The first version in which this row is no longer true.
  pi_version until{1'000'000, 0, 0};
};

/// A first argument that makes Pi do something else than run a session.
struct pi_subcommand {
  std::string_view name; ///< "install"
  pi_version since = oldest_supported_pi;
};

/// The options that a version of Pi knows. A version newer than all tested ones is taken to know
/// what the newest tested one does.
[[nodiscard]] std::vector<pi_option> options_of(const pi_version& version);

/// The option that `argument` names in that version, by name or alias; null when there is none.
[[nodiscard]] const pi_option* find_option(std::string_view argument, const pi_version& version);

/// The subcommands that a version of Pi knows.
[[nodiscard]] std::vector<pi_subcommand> subcommands_of(const pi_version& version);

/// Whether a lone `--` ends the options in that version (it is an error in older ones).
[[nodiscard]] bool knows_end_of_options(const pi_version& version);

} // namespace resilient::process
