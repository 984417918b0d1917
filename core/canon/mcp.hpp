#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

/// What the server says of itself and of its one tool.
struct mcp_description {
  std::string version;      ///< of the program
  std::string instructions; ///< hosts may show only the first 250 characters to the model
  std::string tool_description;
  nlohmann::json tool_parameters; ///< JSON Schema of the arguments, an object
};

/// One call of the tool.
struct mcp_call {
  const nlohmann::json& arguments; ///< always an object
  /// The folder that the host says the session works in, decoded when it came as a `file:` URL.
  /// Not checked: it may be relative, or not exist.
  std::optional<std::string> folder;
  std::optional<std::string> session; ///< as the host names it in this call
};

/// What the tool answers.
struct mcp_answer {
  std::string text;
  bool is_error = false; ///< what was asked did not happen
};

/// The MCP server of canon without its input and output: one message in, the lines to send back
/// out. Never fails, whatever the message is.
///
/// Answers `initialize`, `ping`, `tools/list` and `tools/call`, at any time and in any order, so a
/// host that probes before the handshake gets its answer at once. Other requests are refused with
/// -32601, notifications and responses are never answered. An array is answered element by
/// element.
class mcp_server {
public:
  using tool = std::function<mcp_answer(const mcp_call&)>;

  /// The longest message that a host may send, in bytes.
  static constexpr std::size_t longest_message = std::size_t{16} * 1024 * 1024;

  mcp_server(mcp_description description, tool call);

  /// Handles one message (see `mcp_frames`): the lines to send, without line ends, often none.
  [[nodiscard]] std::vector<std::string> receive(std::string_view message);

  /// The line that answers a message longer than `longest_message`.
  [[nodiscard]] static std::string refuse_long_message();

private:
  [[nodiscard]] std::optional<std::string> answer(const nlohmann::json& message);
  [[nodiscard]] std::string answer_request(const nlohmann::json& id, const std::string& method,
                                           const nlohmann::json& parameters);
  [[nodiscard]] nlohmann::json initialize(const nlohmann::json& parameters) const;
  [[nodiscard]] nlohmann::json list_tools() const;
  [[nodiscard]] std::string call_tool(const nlohmann::json& id, const nlohmann::json& parameters);

  mcp_description description_;
  tool call_;
};

/// The path that a `file:` URL names, with `%xx` decoded. Any other text comes back unchanged.
[[nodiscard]] std::string path_of_file_url(std::string_view text);

} // namespace resilient::canon
