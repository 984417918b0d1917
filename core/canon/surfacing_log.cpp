#include "core/canon/surfacing_log.hpp"

#include "core/support/json_text.hpp"
#include "core/support/text.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <utility>

namespace resilient::canon {

namespace {

using nlohmann::json;

constexpr std::string_view message_begin = "[canon] ";
constexpr std::string_view reminder = "Touched but not updated: ";

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : std::string{};
}

/// The text of a message: a string, or the parts of a list.
std::string content_of(const json& content) {
  std::string text = text_of(content);
  if (content.is_array()) {
    for (const json& part : content) {
      text += text_of(json_member(part, "text"));
    }
  }
  return text;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// Of "key (updated day): capsule" or "key: capsule"; empty for any other line.
std::string_view key_of_line(std::string_view line) {
  if (starts_with(line, reminder)) {
    return {};
  }
  std::size_t end = line.find(" (updated ");
  if (end == std::string_view::npos) {
    end = line.find(": ");
  }
  return end == std::string_view::npos ? std::string_view{} : line.substr(0, end);
}

class log_reader {
public:
  void read(std::string_view line) {
    // Most lines need not be taken apart.
    if (line.find(message_begin) == std::string_view::npos
        && line.find("\"canon\"") == std::string_view::npos) {
      return;
    }
    const json entry = parse_json(line);
    if (json_member(entry, "type") == "custom_message") {
      read_surfaced(content_of(json_member(entry, "content")));
      return;
    }
    const json& message = json_member(entry, "message");
    const json& role = json_member(message, "role");
    if (role == "user") { // a goal's continuation may carry one
      read_surfaced(content_of(json_member(message, "content")));
    } else if (role == "assistant") {
      note_calls(json_member(message, "content"));
    } else if (role == "toolResult" && json_member(message, "toolName") == tool_name) {
      read_result(message);
    }
  }

  [[nodiscard]] std::vector<logged_article> take() { return std::move(found_); }

private:
  void read_surfaced(std::string_view text) {
    const std::size_t begin = text.find(message_begin);
    if (begin == std::string_view::npos) {
      return;
    }
    text.remove_prefix(begin);
    take_line(text); // what it is about
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      if (const std::string_view key = key_of_line(line); !key.empty()) {
        found_.push_back({{std::string{key}, std::string{line}, false}, true});
      }
    }
  }

  void note_calls(const json& content) {
    if (!content.is_array()) {
      return;
    }
    for (const json& part : content) {
      if (json_member(part, "type") == "toolCall" && json_member(part, "name") == tool_name) {
        calls_[text_of(json_member(part, "id"))] = json_member(part, "arguments");
      }
    }
  }

  void read_result(const json& message) {
    const auto call = calls_.find(text_of(json_member(message, "toolCallId")));
    if (call == calls_.end() || json_member(message, "isError") == true) {
      return;
    }
    const std::string answer = content_of(json_member(message, "content"));
    std::string_view rest = answer;
    std::string_view first = take_line(rest);
    const json& action = json_member(call->second, "action");
    if (action == "read" && !rest.empty()) {
      first = first.substr(0, first.find(" governs "));
      found_.push_back({{std::string{first}, answer, false}, false});
    } else if (constexpr std::string_view wrote = "Wrote ";
               action == "write" && starts_with(first, wrote) && ends_with(first, ".")) {
      first = first.substr(wrote.size(), first.size() - wrote.size() - 1);
      const std::string capsule = text_of(json_member(call->second, "capsule"));
      const std::string body = text_of(json_member(call->second, "body"));
      found_.push_back({{std::string{first},
                         capsule + (capsule.empty() || body.empty() ? "" : "\n") + body, true},
                        false});
    }
    calls_.erase(call);
  }

  std::map<std::string, json> calls_; ///< arguments of calls whose end was not seen yet
  std::vector<logged_article> found_;
};

} // namespace

std::vector<logged_article> articles_in_log(std::string_view log) {
  log_reader reader;
  while (!log.empty()) {
    reader.read(take_line(log));
  }
  return reader.take();
}

} // namespace resilient::canon
