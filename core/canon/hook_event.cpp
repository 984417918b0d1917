#include "core/canon/hook_event.hpp"

#include "core/support/json_text.hpp"
#include "core/support/text.hpp"

#include <algorithm>
#include <array>

namespace resilient::canon {

namespace {

using nlohmann::json;

const json* member(const json& object, const char* name) {
  if (!object.is_object()) {
    return nullptr;
  }
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::string text_member(const json& object, const char* name) {
  const json* value = member(object, name);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

bool is_true(const json& object, const char* name) {
  const json* value = member(object, name);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == ':' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  return text;
}

/// The number behind the words "Exit code" or "Process exited with code" tells another result
/// than 0. Both may stand among other lines about the call, before its output.
bool is_bad_exit_line(std::string_view line) {
  const std::string lower = ascii_lower(line.substr(0, 80));
  for (const std::string_view words : {"exit code", "process exited with code"}) {
    if (starts_with(lower, words)) {
      const std::string_view number = without_blanks(std::string_view(lower).substr(words.size()));
      return !number.empty() && number != "0" && !starts_with(number, "0 ")
             && (is_ascii_digit(number.front()) || number.front() == '-');
    }
  }
  return false;
}

bool text_says_failure(std::string_view text) {
  constexpr std::array<std::string_view, 17> refusals = {
      "<tool_use_error>",
      "Error:",
      "Error ",
      "error:",
      "File does not exist",
      "File has not been read",
      "File has been modified since",
      "File has been unexpectedly modified",
      "Notebook file does not exist",
      "String to replace not found",
      "String not found in file",
      "No changes to make",
      "InputValidationError",
      "apply_patch verification failed",
      "The user doesn't want",
      "Permission to use",
      "Cancelled",
  };
  text = trim(text);
  if (std::any_of(refusals.begin(), refusals.end(),
                  [&](std::string_view words) { return starts_with(text, words); })) {
    return true;
  }
  if (starts_with(text, "Found ") && text.find("matches of the string to replace") < 40) {
    return true;
  }
  constexpr int most_lines = 8;
  for (int count = 0; count < most_lines && !text.empty(); ++count) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    if (line == "Output:") {
      return false;
    }
    if (is_bad_exit_line(line)) {
      return true;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

/// Texts of a response: itself, or those of its blocks.
void collect_text(const json& response, std::string& text) {
  if (response.is_string()) {
    text += response.get_ref<const std::string&>();
  } else if (response.is_array()) {
    for (const json& block : response) {
      text += text_member(block, "text");
    }
  } else if (const json* content = member(response, "content")) {
    collect_text(content->is_object() ? json() : *content, text);
  }
}

bool is_bad_code(const json& object) {
  for (const char* name : {"exit_code", "exitCode", "code"}) {
    const json* value = member(object, name);
    if (value != nullptr && value->is_number_integer() && *value != 0) {
      return true;
    }
  }
  return false;
}

hook_call read_call(const json& from) {
  hook_call call;
  call.id = text_member(from, "tool_use_id");
  call.tool = text_member(from, "tool_name");
  if (const json* input = member(from, "tool_input")) {
    call.input = *input;
  }
  if (const json* response = member(from, "tool_response")) {
    collect_text(*response, call.answer);
    call.is_failed = says_failure(*response);
  }
  return call;
}

} // namespace

bool says_failure(const json& response) {
  if (response.is_object()) {
    if (is_true(response, "isError") || is_true(response, "is_error")
        || is_true(response, "interrupted") || is_bad_code(response)) {
      return true;
    }
    if (const json* success = member(response, "success");
        success != nullptr && success->is_boolean()) {
      return !success->get<bool>();
    }
    if (!trim(text_member(response, "error")).empty()) {
      return true;
    }
    if (const json* metadata = member(response, "metadata")) {
      return is_bad_code(*metadata);
    }
    return false;
  }
  std::string text;
  collect_text(response, text);
  return text_says_failure(text);
}

result<hook_event> parse_hook_event(std::string_view bytes) {
  const json data = parse_json(bytes);
  if (!data.is_object()) {
    return fail(error_kind::data, "{}",
                nests_too_deep(bytes) ? "The JSON on stdin nests too deep."
                                      : "Stdin does not hold a JSON object.");
  }
  hook_event event;
  event.name = text_member(data, "hook_event_name");
  if (event.name.empty()) {
    return fail(error_kind::data, "The object on stdin names no event in hook_event_name.");
  }
  event.session = text_member(data, "session_id");
  event.agent = text_member(data, "agent_id");
  event.agent_kind = text_member(data, "agent_type");
  event.turn = text_member(data, "prompt_id");
  if (event.turn.empty()) {
    event.turn = text_member(data, "turn_id");
  }
  event.folder = text_member(data, "cwd");
  event.transcript = text_member(data, "transcript_path");
  event.source = text_member(data, "source");
  event.is_stop_hook_active = is_true(data, "stop_hook_active");
  if (const json* calls = member(data, "tool_calls"); calls != nullptr && calls->is_array()) {
    for (const json& call : *calls) {
      event.calls.push_back(read_call(call));
    }
  } else if (member(data, "tool_name") != nullptr) {
    event.calls.push_back(read_call(data));
  }
  return event;
}

} // namespace resilient::canon
