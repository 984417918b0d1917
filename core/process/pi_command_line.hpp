#pragma once

#include "core/process/pi_version.hpp"
#include "core/support/error.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace resilient::process {

/// How Pi talks to the outside.
enum class pi_mode {
  terminal, ///< the interactive user interface
  print,    ///< answers its prompts as text and ends
  json,     ///< answers its prompts as JSON lines and ends
  rpc,      ///< commands on stdin, events on stdout, until stdin ends
};

/// "terminal", "print", "json" or "rpc"
[[nodiscard]] const char* to_string(pi_mode mode) noexcept;

/// Which session the command line asks for. Where several options disagree, the one that Pi obeys.
enum class session_choice {
  fresh,    ///< none is named: Pi would start a new one
  file,     ///< `--session PATH`
  id_start, ///< `--session ID`: an id or the start of one, looked up in all projects
  exact_id, ///< `--session-id ID`: opened, or created when there is none
  latest,   ///< `--continue`
  pick,     ///< `--resume`: Pi asks the user before any extension runs
  fork,     ///< `--fork PATH|ID`: a copy of that session under a new file
};

/// "fresh", "file", ...
[[nodiscard]] const char* to_string(session_choice choice) noexcept;

/// What the user asked Pi to do, and the arguments to start it with.
///
/// The three argument lists hold the user's arguments only. Put what a supervisor adds (`-e PATH`,
/// `--session FILE`) *before* them: an argument after a user's flag might be taken as its value.
struct command_line {
  /// False when Pi will print something and end, or do some housekeeping: run it as it is.
  bool is_session = true;
  /// The argument that says so ("--help", "install"); empty for a session.
  std::string not_a_session_because;

  /// Mode as requested. A `terminal` becomes `print` when stdin or stdout is no terminal; see
  /// `mode_on`.
  pi_mode mode = pi_mode::terminal;

  session_choice session = session_choice::fresh;
  /// Path or id that goes with `session`; empty for `fresh`, `latest` and `pick`.
  std::string session_value;
  /// The id that a fork is to get (`--fork A --session-id B`).
  std::optional<std::string> fork_id;
  /// `--no-session`: nothing would be stored, so there is nothing to come back to.
  bool no_session = false;
  /// `--session-dir`, as written: relative to the working folder, `~` not expanded.
  std::optional<std::string> session_dir;
  /// `--approve` is true, `--no-approve` is false. Nothing: Pi may have to ask the user.
  std::optional<bool> project_trust;

  /// Prompts, in order.
  std::vector<std::string> prompts;
  /// Files named with `@`, without the `@`.
  std::vector<std::string> files;

  /// Arguments for the first start.
  std::vector<std::string> first_start;
  /// Arguments for every later start of the same session: no prompts and files, which would be
  /// sent twice, no choice of a session, which is known by then, and no session name, which the
  /// session file holds.
  std::vector<std::string> restart;
  /// The arguments as they may be written to a file or shown: values of options that carry
  /// credentials are replaced by `***`.
  std::vector<std::string> masked;
};

/// Reads the arguments that are meant for Pi (without the program's name) the way that this version
/// of Pi does. Options that it does not know pass untouched, with the value that Pi would give
/// them.
///
/// Fails only when a lone `--` protects a prompt that starts with a dash, and this version of Pi
/// has no way to take such a prompt.
[[nodiscard]] result<command_line> parse_command_line(const std::vector<std::string>& arguments,
                                                      const pi_version& version);

/// The mode that Pi will run in, given whether both stdin and stdout are terminals.
[[nodiscard]] pi_mode mode_on(pi_mode requested, bool has_terminal) noexcept;

/// The arguments with the values of credentials replaced by `***`: those of `--api-key`, and of
/// every long option whose name speaks of a key, token, secret, password or credential, in either
/// spelling (`--x value`, `--x=value`).
[[nodiscard]] std::vector<std::string> mask_credentials(const std::vector<std::string>& arguments,
                                                        const pi_version& version);

} // namespace resilient::process
