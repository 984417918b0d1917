#pragma once

#include "core/canon/tool.hpp"
#include "launcher/canon/session.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace resilient::canon {

/// What the program exits with.
enum exit_code : int {
  exit_done = 0,
  exit_not_done = 1, ///< what was asked did not happen, or `check --strict` found something
  exit_usage = 64,   ///< the command line is wrong
};

/// Writes a text of ours or of a store to stdout, or stderr, in a form that its reader can take.
void print(std::string_view text);
/// The same for text that was made harmless before, and may hold colours.
void print_shown(const std::string& text);
void print_error(std::string_view text);

/// A path that says that it starts from the current folder (`./`, `../`) is made absolute; every
/// other one starts from the project, as in all hosts.
[[nodiscard]] std::string from_current_folder(const std::string& path);

/// Prints why a command could not start, and returns its exit code.
[[nodiscard]] int report(const error& problem);

// -- commands: each returns the exit code
// ----------------------------------------------------------

/// `read`, `write`, `journal`, `map`, `search`: one call of the tool.
[[nodiscard]] int run_tool(const common_flags& flags, nlohmann::json arguments);

struct check_flags {
  bool strict = false;
  bool as_json = false;
};
[[nodiscard]] int run_check(const common_flags& flags, const check_flags& how);

[[nodiscard]] int run_why(const common_flags& flags, const std::string& path, bool as_json);

[[nodiscard]] int run_status(const common_flags& flags, bool as_json);

[[nodiscard]] int run_settings_get(const common_flags& flags, const std::string& key);
[[nodiscard]] int run_settings_set(const std::string& key, const std::string& value);

/// `host` is "claude-code", "codex" or empty.
[[nodiscard]] int run_mcp(const common_flags& flags, const std::string& host);

/// One event of a host's hook, from stdin to stdout. `host` is "claude-code" or "codex". Whatever
/// goes wrong is told on stderr; the answer then is an empty object, and the exit code 0.
[[nodiscard]] int run_hook(const common_flags& flags, const std::string& host);

/// The program that calls, for journal entries: what `host` says, else what the environment tells.
/// Empty when nothing tells.
[[nodiscard]] std::string calling_program(const std::string& host);
/// The session of that program, as its environment names it; may be empty.
[[nodiscard]] std::string calling_session();

/// The searcher that every command uses; `how_to_ask` is how its caller asks for the journal.
[[nodiscard]] std::unique_ptr<searcher> new_searcher(std::string how_to_ask);

/// One line for each option: its name, and what a person sees of it.
[[nodiscard]] std::string options_table(const options& values, std::string_view indent);

} // namespace resilient::canon
