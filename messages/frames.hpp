#pragma once

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// What the extension sends, as PROTOCOL.md defines it. Times and lengths are in milliseconds.
namespace resilient::bridge {

inline constexpr std::int64_t protocol_version = 1;

struct session_identity {
  std::string file; ///< empty while Pi keeps the session in memory only
  std::string id;
  std::string leaf;
};

/// The data of the last entry of each custom type of ours on the current branch.
using branch_entries = std::map<std::string, nlohmann::json>;

struct usage {
  std::int64_t input = 0;
  std::int64_t output = 0;
  double cost = 0;
};

// -- requests -----------------------------------------------------------------------------------

struct hello {
  std::int64_t id = 0;
  std::string extension_version;
  std::string generation; ///< empty towards a sidecar
  std::string secret;
  int pid = 0;
  std::string pi_version;
  std::string mode; ///< `tui`, `rpc`, `print`, `json`
  bool has_ui = false;
  std::string cwd;
  std::string agent_folder;
  bool trusted = false;
  std::string reason;
  std::string previous_session_file;
  session_identity session;
  std::vector<std::string> capabilities;
  branch_entries entries;
  bool idle = true;
  bool pending = false;
  std::vector<std::string> others;

  [[nodiscard]] bool can(std::string_view capability) const;
};

struct boundary {
  std::int64_t id = 0;
  bool settled = true;
  std::string stop;
  std::string error;
  bool aborted = false;
  bool escape = false;
  bool idle = true;
  bool pending = false;
  int tool_calls = 0;
  int turns = 0;
  bridge::usage usage;
  std::string provider;
};

struct turn {
  std::int64_t id = 0;
  std::string stop;
  std::string error;
  std::string text;
  bool text_truncated = false;
  bool has_tool_calls = false;
  bool pending = false;
  bool continuing = false;
};

struct before_settle {
  std::int64_t id = 0;
  std::string outcome;
  bool pending = false;
};

struct command {
  std::int64_t id = 0;
  std::string name;
  std::string arguments;
  bool idle = true; ///< Pi has nothing to do now
};

struct tool {
  std::int64_t id = 0;
  std::string name;
  std::string call_id;
  nlohmann::json parameters;
};

struct session_switch {
  std::int64_t id = 0;
  std::string reason;
  std::string target_file;
};

struct canon_request {
  std::int64_t id = 0;
  nlohmann::json body;
};

// -- events -------------------------------------------------------------------------------------

struct heartbeat {
  bool idle = false;
  bool pending = false;
};
struct agent_start {};
struct turn_end {
  std::string stop;
  std::string error;
  int tool_calls = 0;
};
struct input {
  std::string source;
  bool streaming = false;
  std::string text; ///< only while touches are asked for
};
struct escape {};
struct provider_response {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
};
struct touch {
  std::string tool;
  std::string call_id;
  nlohmann::json input;
};
struct tool_end {
  std::string tool;
  std::string call_id;
  bool is_error = false;
};
struct context {
  std::vector<std::string> gone;
};
struct branch {
  session_identity session;
  branch_entries entries;
};
struct compact {
  std::string reason;
  bool failed = false;
};
struct summary {
  std::int64_t re = 0;
  std::string stop;
  std::string text;
  std::string error;
};
struct directive_result {
  std::int64_t did = 0; ///< 0 when `token` names a continuation that a reply carried
  std::string token;
  bool ok = false;
  std::string error;
};
struct goodbye {
  std::string reason;
  std::string target_file;
};

using frame =
    std::variant<hello, boundary, turn, before_settle, command, tool, session_switch, canon_request,
                 heartbeat, agent_start, turn_end, input, escape, provider_response, touch,
                 tool_end, context, branch, compact, summary, directive_result, goodbye>;

/// Why a line is no frame.
struct malformed {
  std::string message;
  bool not_json = false;               ///< not even a JSON object
  std::optional<std::int64_t> id;      ///< of a request that can still be answered
  std::optional<std::int64_t> version; ///< when the version is not ours
};

/// Reads one line without its line ending. Any bytes are allowed.
[[nodiscard]] tl::expected<frame, malformed> decode(std::string_view line);

} // namespace resilient::bridge
