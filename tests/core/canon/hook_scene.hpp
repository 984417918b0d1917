#pragma once

#include "core/canon/hook.hpp"
#include "core/support/files.hpp"
#include "tests/core/canon/canon_project.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace resilient::canon::tests {

/// A session of a host in a project that has the files and articles of the recorded events.
struct hook_scene {
  canon_project project;
  places where;
  hook_state state;
  hook_surroundings around{"", a_monday, nullptr, nullptr};

  hook_scene() : where(prepared(project)) {}

  static places prepared(const canon_project& project) {
    project.put("src/core/config.ts", "export const a = 1;\n");
    project.put("src/core/other.ts", "export const b = 2;\n");
    project.put("docs/plan.md", "");
    put_article(project, "src/core/config", "Env beats file.");
    put_article(project, "src/core/other", "The other one.");
    put_article(project, "src", "All sources.");
    return places::open(project.directory).value();
  }
  static void put_article(const canon_project& project, const std::string& address,
                          const std::string& capsule) {
    project.put_article(address, "---\ncapsule: " + capsule + "\nupdated: 2026-11-30\n---\n");
  }

  /// What a host sent, as if it had worked in this project.
  [[nodiscard]] nlohmann::json recorded(const std::string& name) const {
    const auto text = posix_files{}.read(std::string(RECORDED_HOOKS) + "/" + name + ".json",
                                         std::size_t{1} << 20U);
    REQUIRE(text);
    std::string moved = *text;
    const std::string from = "/home/user/project";
    for (std::size_t at = moved.find(from); at != std::string::npos; at = moved.find(from, at)) {
      moved.replace(at, from.size(), project.directory);
      at += project.directory.size();
    }
    return nlohmann::json::parse(moved, nullptr, false);
  }

  nlohmann::json send(const nlohmann::json& event) {
    const auto parsed = parse_hook_event(event.dump());
    REQUIRE(parsed);
    return nlohmann::json::parse(answer_hook(*parsed, where, around, state), nullptr, false);
  }

  /// A batch of one call.
  nlohmann::json call(const std::string& tool, const nlohmann::json& input,
                      const nlohmann::json& response = "", const std::string& agent = "") {
    nlohmann::json event = recorded("claude-2.1.332-PostToolBatch-1calls");
    event["tool_calls"] = nlohmann::json::array(
        {{{"tool_name", tool}, {"tool_input", input}, {"tool_response", response}}});
    if (!agent.empty()) {
      event["agent_id"] = agent;
    }
    return send(event);
  }
  nlohmann::json read(const std::string& path, const std::string& agent = "") {
    return call("Read", {{"file_path", project.directory + "/" + path}}, "text", agent);
  }
  nlohmann::json edit(const std::string& path, const nlohmann::json& response = "updated",
                      const std::string& agent = "") {
    return call("Edit", {{"file_path", project.directory + "/" + path}}, response, agent);
  }
  nlohmann::json start(const std::string& source) {
    nlohmann::json event = recorded("claude-2.1.332-SessionStart-startup");
    event["source"] = source;
    return send(event);
  }
  nlohmann::json stop(bool is_active = false, const std::string& turn = "turn 1") {
    nlohmann::json event = recorded("claude-2.1.332-Stop");
    event["stop_hook_active"] = is_active;
    event["prompt_id"] = turn;
    return send(event);
  }
};

/// The lines behind the header; empty for an answer that says nothing.
inline std::string lines_of(const nlohmann::json& answer) {
  if (answer == nlohmann::json::object()) {
    return "";
  }
  REQUIRE(answer.size() == 1);
  const auto& output = answer.at("hookSpecificOutput");
  CHECK(output.size() == 2);
  CHECK(output.contains("hookEventName"));
  const auto text = output.at("additionalContext").get<std::string>();
  CHECK(text.rfind("[canon] ", 0) == 0);
  const std::size_t header = text.find('\n');
  REQUIRE(header != std::string::npos);
  return text.substr(header + 1);
}

} // namespace resilient::canon::tests
