#include "core/canon/mcp.hpp"

#include "core/support/json_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace resilient::canon {

using nlohmann::json;

namespace {

constexpr int parse_error = -32700;
constexpr int invalid_request = -32600;
constexpr int method_not_found = -32601;
constexpr int invalid_parameters = -32602;

constexpr std::array protocol_versions =
    std::to_array<std::string_view>({"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"});

constexpr const char* tool_name = "canon";

[[nodiscard]] std::string line_of(const json& message) {
  // an id may hold bytes that are no UTF-8 only if the parser let them through; never throw
  return json_line(message);
}

[[nodiscard]] std::string error_line(const json& id, int code, std::string text) {
  return line_of(json{
      {"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", std::move(text)}}}});
}

[[nodiscard]] std::string result_line(const json& id, json value) {
  return line_of(json{{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(value)}});
}

[[nodiscard]] const json* member(const json& object, const char* key) {
  if (!object.is_object()) {
    return nullptr;
  }
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

[[nodiscard]] std::optional<std::string> text_member(const json& object, const char* key) {
  const json* value = member(object, key);
  if (value == nullptr || !value->is_string() || value->get_ref<const std::string&>().empty()) {
    return std::nullopt;
  }
  return value->get<std::string>();
}

/// The value of `\uXXXX` at `at`, or -1 when there is no such escape.
[[nodiscard]] int escape_at(std::string_view text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') {
    return -1;
  }
  int value = 0;
  for (const char c : text.substr(at + 2, 4)) {
    int digit = 0;
    if (c >= '0' && c <= '9') {
      digit = c - '0';
    } else if (c >= 'a' && c <= 'f') {
      digit = c - 'a' + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = c - 'A' + 10;
    } else {
      return -1;
    }
    value = value * 16 + digit;
  }
  return value;
}

/// JavaScript hosts send half of a surrogate pair, as a cut emoji leaves it, as an escape. That is
/// JSON, but no text that UTF-8 can hold: such a half becomes the replacement character.
[[nodiscard]] std::string without_lone_surrogates(std::string_view text) {
  const auto is_high = [](int value) { return value >= 0xD800 && value <= 0xDBFF; };
  const auto is_low = [](int value) { return value >= 0xDC00 && value <= 0xDFFF; };
  std::string mended;
  mended.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      mended.push_back(text[i]);
      ++i;
      continue;
    }
    const int value = escape_at(text, i);
    if (is_high(value) && is_low(escape_at(text, i + 6))) {
      mended.append(text, i, 12);
      i += 12;
    } else if (is_high(value) || is_low(value)) {
      mended.append("\\ufffd");
      i += 6;
    } else {
      mended.append(text, i, 2);
      i += 2;
    }
  }
  return mended;
}

[[nodiscard]] json parsed(std::string_view message) {
  json value = json::parse(message, nullptr, false);
  if (value.is_discarded() && message.find("\\u") != std::string_view::npos) {
    value = json::parse(without_lone_surrogates(message), nullptr, false);
  }
  return value;
}

[[nodiscard]] json text_result(const mcp_answer& answer) {
  return {{"content", json::array({{{"type", "text"}, {"text", answer.text}}})},
          {"isError", answer.is_error}};
}

} // namespace

mcp_server::mcp_server(mcp_description description, tool call)
    : description_(std::move(description)), call_(std::move(call)) {}

std::string mcp_server::refuse_long_message() {
  return error_line(nullptr, parse_error, "The message is longer than 16 MiB.");
}

std::vector<std::string> mcp_server::receive(std::string_view message) {
  if (nests_too_deep(message)) {
    return {error_line(nullptr, parse_error, "The message nests more than 128 levels deep.")};
  }
  const json value = parsed(message);
  if (value.is_discarded()) {
    return {error_line(nullptr, parse_error,
                       "The line is not JSON in UTF-8. Each message is one line of JSON, without "
                       "headers.")};
  }
  std::vector<std::string> lines;
  const auto add_answer = [&](const json& element) {
    if (auto line = answer(element)) {
      lines.push_back(std::move(*line));
    }
  };
  if (value.is_array() && !value.empty()) {
    std::for_each(value.begin(), value.end(), add_answer);
  } else {
    add_answer(value);
  }
  return lines;
}

std::optional<std::string> mcp_server::answer(const json& message) {
  if (!message.is_object()) {
    return error_line(nullptr, invalid_request, "A message is a JSON object.");
  }
  const json* method = member(message, "method");
  const json* id = member(message, "id");
  if (method == nullptr
      && (member(message, "result") != nullptr || member(message, "error") != nullptr)) {
    return std::nullopt; // a response; this server never asks anything
  }
  const bool has_method = method != nullptr && method->is_string();
  if (id == nullptr && has_method) {
    return std::nullopt; // a notification
  }
  if (id == nullptr || !(id->is_string() || id->is_number())) {
    return error_line(nullptr, invalid_request, "The id of a request is a string or a number.");
  }
  const json* version = member(message, "jsonrpc");
  if (!has_method || version == nullptr || *version != "2.0") {
    return error_line(*id, invalid_request,
                      R"(A request has "jsonrpc":"2.0" and a method that is a string.)");
  }
  const json* parameters = member(message, "params");
  static const json none = json::object();
  return answer_request(*id, method->get<std::string>(),
                        parameters == nullptr ? none : *parameters);
}

std::string mcp_server::answer_request(const json& id, const std::string& method,
                                       const json& parameters) {
  if (method == "initialize") {
    return result_line(id, initialize(parameters));
  }
  if (method == "ping") {
    return result_line(id, json::object());
  }
  if (method == "tools/list") {
    return result_line(id, list_tools());
  }
  if (method == "tools/call") {
    return call_tool(id, parameters);
  }
  return error_line(id, method_not_found, "Method not found");
}

json mcp_server::initialize(const json& parameters) const {
  const std::string asked = text_member(parameters, "protocolVersion").value_or("");
  const bool known = std::find(protocol_versions.begin(), protocol_versions.end(), asked)
                     != protocol_versions.end();
  return {
      {"protocolVersion", known ? asked : std::string{protocol_versions.front()}},
      {"capabilities",
       {{"tools", {{"listChanged", false}}},
        // asks Codex to say in each call which folder the session works in
        {"experimental", {{"codex/sandbox-state-meta", json::object()}}}}},
      {"serverInfo", {{"name", tool_name}, {"title", "Canon"}, {"version", description_.version}}},
      {"instructions", description_.instructions}};
}

json mcp_server::list_tools() const {
  return {{"tools",
           json::array({{{"name", tool_name},
                         {"title", "Canon"},
                         {"description", description_.tool_description},
                         {"inputSchema", description_.tool_parameters},
                         {"annotations",
                          {{"title", "Canon"},
                           {"readOnlyHint", false},
                           {"destructiveHint", false},
                           {"idempotentHint", false},
                           {"openWorldHint", false}}},
                         // or Claude Code shows the model nothing but the name until it searches
                         {"_meta", {{"anthropic/alwaysLoad", true}}}}})}};
}

std::string mcp_server::call_tool(const json& id, const json& parameters) {
  if (!parameters.is_object()) {
    return error_line(id, invalid_parameters,
                      "tools/call needs params: an object with a name and arguments.");
  }
  const std::string name = text_member(parameters, "name").value_or("");
  if (name != tool_name) {
    return error_line(id, invalid_parameters, "Unknown tool: " + name);
  }
  static const json none = json::object();
  const json* arguments = member(parameters, "arguments");
  if (arguments == nullptr || arguments->is_null()) {
    arguments = &none;
  }
  if (!arguments->is_object()) {
    return result_line(
        id, text_result({R"(The arguments of canon are an object, for example )"
                         R"({"action":"read","path":"src/core/config"}. Nothing was done.)",
                         true}));
  }
  mcp_call call{.arguments = *arguments, .folder = {}, .session = {}};
  if (const json* meta = member(parameters, "_meta")) {
    if (const json* state = member(*meta, "codex/sandbox-state-meta")) {
      if (auto folder = text_member(*state, "sandboxCwd")) {
        call.folder = path_of_file_url(*folder);
      }
    }
    call.session = text_member(*meta, "threadId");
    if (!call.session) {
      call.session = text_member(*meta, "sessionId");
    }
  }
  return result_line(id, text_result(call_(call)));
}

std::string path_of_file_url(std::string_view text) {
  constexpr std::string_view scheme = "file:";
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  if (text.size() < scheme.size()
      || !std::equal(scheme.begin(), scheme.end(), text.begin(),
                     [&](char left, char right) { return left == lower(right); })) {
    return std::string{text};
  }
  std::string_view rest = text.substr(scheme.size());
  if (rest.substr(0, 2) == "//") {
    rest.remove_prefix(2);
    constexpr std::string_view this_machine = "localhost/";
    if (rest.substr(0, this_machine.size()) == this_machine) {
      rest.remove_prefix(this_machine.size() - 1);
    }
  }
  if (rest.empty() || rest.front() != '/') {
    return std::string{text}; // a relative URL, or a folder of another machine
  }
  rest = rest.substr(0, rest.find_first_of("?#"));
  const auto digit = [&lower](char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    return digits.find(lower(c));
  };
  std::string path;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '%' && i + 2 < rest.size() && digit(rest[i + 1]) != std::string_view::npos
        && digit(rest[i + 2]) != std::string_view::npos) {
      path.push_back(static_cast<char>(digit(rest[i + 1]) * 16 + digit(rest[i + 2])));
      i += 2;
    } else {
      path.push_back(rest[i]);
    }
  }
  return path;
}

} // namespace resilient::canon
