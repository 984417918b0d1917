#include "launcher/command/status_text.hpp"

#include "launcher/terminal/last_lines.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace resilient::launcher {

namespace {

using nlohmann::json;

const json& part(const json& data, const char* key) {
  static const json nothing;
  if (!data.is_object()) {
    return nothing;
  }
  const auto found = data.find(key);
  return found == data.end() ? nothing : *found;
}

std::string text(const json& data, const char* key) {
  const json& value = part(data, key);
  if (value.is_string()) {
    return without_controls(value.get<std::string>());
  }
  return value.is_number_integer() ? std::to_string(value.get<long long>()) : std::string{};
}

void line(std::string& lines, const char* label, const std::string& value) {
  if (!value.empty() && value != "0") {
    lines += fmt::format("{:<10} {}\n", label, value);
  }
}

} // namespace

std::string status_text(const json& data) {
  const json& supervisor = part(data, "supervisor");
  const json& alive = part(data, "alive");
  const bool lives = alive.is_boolean() && alive.get<bool>();
  std::string lines;
  line(lines, "run", text(data, "run_id") + (lives ? "" : " (ended)"));
  std::string state = text(supervisor, "state");
  if (const std::string reason = text(supervisor, "reason"); !reason.empty() && reason != state) {
    state += state.empty() ? reason : ": " + reason;
  }
  if (!lives && !state.empty() && text(supervisor, "state") != "ended") {
    state += " (the launcher ended without a word)";
  }
  line(lines, "state", state);
  line(lines, "until", text(supervisor, "waiting_until"));
  line(lines, "launcher", text(supervisor, "launcher_pid"));
  line(lines, "Pi", text(supervisor, "child_pid"));
  line(lines, "start no.", text(supervisor, "generation_number"));
  line(lines, "failures", text(supervisor, "failures"));
  line(lines, "goal", text(part(data, "goal"), "text"));
  line(lines, "session", text(supervisor, "session_file"));
  line(lines, "exit code", text(supervisor, "exit_code"));
  const json& deaths = part(supervisor, "deaths");
  if (deaths.is_array() && !deaths.empty()) {
    const json& last = deaths.back();
    line(lines, "last end", fmt::format("{} at {}", text(last, "cause"), text(last, "at")));
  }
  const json& exit_code = part(supervisor, "exit_code");
  const json& errors = part(data, "pi_errors");
  if (exit_code.is_number_integer() && exit_code.get<int>() != 0 && errors.is_array()) {
    for (const json& each : errors) {
      line(lines, "Pi said", each.is_string() ? without_controls(each.get<std::string>()) : "");
    }
  }
  line(lines, "problem", text(part(data, "recorder"), "problem"));
  line(lines, "folder", text(data, "folder"));
  return lines;
}

} // namespace resilient::launcher
