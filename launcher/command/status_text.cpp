#include "launcher/command/status_text.hpp"

#include "core/support/json_text.hpp"
#include "core/support/text.hpp"
#include "launcher/terminal/last_lines.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace resilient::launcher {

namespace {

using nlohmann::json;

std::string text(const json& data, const char* key) {
  const json& value = json_member(data, key);
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

/// What `/goal` shows, its further lines below its first.
void goal_lines(std::string& lines, const std::string& shown) {
  std::string_view rest = shown;
  for (const char* label = "goal"; !rest.empty(); label = "") {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    line(lines, label, without_controls(std::string{rest.substr(0, end)}));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

/// The goal that Pi told of last, for a run that nobody can ask any more.
std::string recorded_goal(const json& goal) {
  const std::string state = text(goal, "state");
  if (state.empty() || state == "none") {
    return {};
  }
  const std::string reason = text(goal, "pause_reason");
  return fmt::format("Goal: {}\nState: {}{}", text(goal, "objective"), state,
                     reason.empty() ? "" : " (" + reason + ")");
}

} // namespace

std::string status_text(const json& data) {
  const json& supervisor = json_member(data, "supervisor");
  const json& alive = json_member(data, "alive");
  const bool lives = alive.is_boolean() && alive.get<bool>();
  std::string lines;
  line(lines, "run", text(data, "run_id") + (lives ? "" : " (ended)"));
  std::string state = text(supervisor, "state");
  if (const std::string reason = text(supervisor, "reason"); starts_with(reason, state)) {
    state = reason;
  } else if (!reason.empty()) {
    state += ": " + reason;
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
  const json& shown = json_member(json_member(data, "goal"), "text");
  goal_lines(lines, shown.is_string()
                        ? shown.get<std::string>()
                        : recorded_goal(json_member(json_member(data, "runtime"), "goal")));
  line(lines, "works in", text(supervisor, "working_folder"));
  line(lines, "session", text(supervisor, "session_file"));
  line(lines, "exit code", text(supervisor, "exit_code"));
  const json& deaths = json_member(supervisor, "deaths");
  if (deaths.is_array() && !deaths.empty()) {
    const json& last = deaths.back();
    line(lines, "last end", fmt::format("{} at {}", text(last, "cause"), text(last, "at")));
  }
  const json& exit_code = json_member(supervisor, "exit_code");
  const json& errors = json_member(data, "pi_errors");
  if (exit_code.is_number_integer() && exit_code.get<int>() != 0 && errors.is_array()) {
    for (const json& each : errors) {
      line(lines, "Pi said", each.is_string() ? without_controls(each.get<std::string>()) : "");
    }
  }
  line(lines, "problem", text(json_member(data, "recorder"), "problem"));
  line(lines, "folder", text(data, "folder"));
  if (const json& others = json_member(data, "other_runs"); others.is_array()) {
    for (const json& each : others) {
      line(lines, "also runs",
           fmt::format("{} in {}", text(each, "run_id"), text(each, "working_folder")));
    }
  }
  return lines;
}

} // namespace resilient::launcher
