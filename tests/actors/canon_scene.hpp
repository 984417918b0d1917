#pragma once

#include "tests/actors/canary_scene.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace resilient::test {

/// A run with a Pi in a project whose memory has an article for `src/core/config`, one for `docs`
/// without a capsule, and one for `money`, which governs nothing.
struct canon_scene : canary_scene {
  explicit canon_scene(const json& hello_changes = json::object(), const std::string& project = "",
                       bool canary_on = false)
      : canary_scene{with_trust(hello_changes), canary_on, [this, project] { prepare(project); }} {}

  static json with_trust(const json& changes) {
    json hello{{"trusted", true}};
    hello.update(changes);
    return hello;
  }

  void put(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((folder / path).parent_path());
    std::ofstream{folder / path} << text;
  }
  void put_article(const std::string& address, const std::string& text) const {
    put(".canon/articles/" + address + ".md", text);
  }
  void prepare(const std::string& project) {
    options.canon = {(folder / "config/canon/settings.json").string(), "", "", folder.string(),
                     (folder / "trace.jsonl").string()};
    put("src/core/config.ts", "");
    put("src/other.ts", "");
    put("docs/plan.md", "");
    put_article("src/core/config", "---\ncapsule: Env beats file.\nupdated: 2026-11-30\n---\nThe "
                                   "order is defaults, then the file, then the environment.\n");
    put_article("docs", "---\nupdated: 2026-11-28\n---\nA body alone.\n");
    put_article("money", "---\ncapsule: Currency is counted in integer cents.\nupdated: "
                         "2026-11-27\nscope: rule\n---\nNever format cents for a machine.\n");
    if (!project.empty()) {
      put(".pi/settings.json", project);
    }
  }

  void touch(const std::string& tool, const json& input, bool is_error = false) {
    const std::string call = "call-" + std::to_string(++id);
    send(connection, {{"type", "touch"}, {"tool", tool}, {"call_id", call}, {"input", input}});
    send(connection,
         {{"type", "tool_end"}, {"tool", tool}, {"call_id", call}, {"is_error", is_error}});
  }
  void read(const std::string& path) { touch("read", {{"path", path}}); }
  void edit(const std::string& path, bool is_error = false) {
    touch("edit", {{"path", path}, {"edits", json::array()}}, is_error);
  }
  json canon(const json& parameters) {
    return reply_in(send(
        connection, {{"type", "tool"}, {"id", ++id}, {"tool", "canon"}, {"params", parameters}}));
  }
  void gone(const std::vector<std::string>& keys) {
    send(connection, {{"type", "context"}, {"gone", keys}});
  }
  /// Texts of the messages that Pi was given, in order; `later` picks those for the next prompt.
  [[nodiscard]] std::vector<std::string> steered(bool later = false) const {
    std::vector<std::string> texts;
    for (const json& each : directives(connection, "steer")) {
      if ((each.value("when", "") == "next_prompt") == later) {
        texts.push_back(each["text"]);
      }
    }
    return texts;
  }
  /// The message that the end of a turn in the middle of a run brings; empty for none.
  std::string surfaces() {
    const std::size_t before = steered().size();
    turn("works", true);
    const auto all = steered();
    REQUIRE(all.size() <= before + 1);
    return all.size() > before ? all.back() : "";
  }
  std::string status() {
    const json answer = reply_in(
        send(connection, {{"type", "command"}, {"id", ++id}, {"name", "canon"}, {"args", ""}}));
    return answer["notices"][0]["text"];
  }
  [[nodiscard]] std::vector<std::string> needle_keys() const {
    std::vector<std::string> keys;
    for (const json& each : held().value("needles", json::array())) {
      keys.push_back(each["key"]);
    }
    return keys;
  }
  [[nodiscard]] std::vector<json> trace() const {
    std::ifstream in{folder / "trace.jsonl"};
    std::vector<json> lines;
    for (std::string line; std::getline(in, line);) {
      lines.push_back(json::parse(line, nullptr, false));
    }
    return lines;
  }
};

} // namespace resilient::test
