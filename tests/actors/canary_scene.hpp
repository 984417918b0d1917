#pragma once

#include "tests/actors/virtual_run.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace resilient::test {

/// A run with a Pi whose agent is required to begin its messages with `chirp: `.
struct canary_scene : virtual_run {
  using json = nlohmann::json;

  explicit canary_scene(const json& hello_changes = json::object(), bool on = true,
                        const std::function<void()>& prepare = {})
      : virtual_run{process::run_mode::rpc} {
    std::filesystem::create_directories(folder / "agent");
    if (prepare) {
      prepare();
    }
    start();
    connect(hello_changes);
    if (on) {
      write_settings(R"({"canary":"chirp"})");
      canary("on");
    }
  }

  void write_settings(const std::string& text) const {
    std::ofstream{folder / "agent" / "settings.json"} << text;
  }
  [[nodiscard]] std::string settings() const {
    std::ifstream in{folder / "agent" / "settings.json"};
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }

  /// The reply among the frames that came back; other actors may have added theirs behind it.
  [[nodiscard]] static json reply_in(const std::vector<json>& frames) {
    for (const json& each : frames) {
      if (each.contains("re")) {
        return each;
      }
    }
    return json::object();
  }

  /// Types `/canary ARGUMENTS`; the reply.
  json canary(const std::string& arguments, bool idle = true) {
    return reply_in(send(connection, {{"type", "command"},
                                      {"id", ++id},
                                      {"name", "canary"},
                                      {"args", arguments},
                                      {"idle", idle}}));
  }
  void declare_goal(const std::string& objective) {
    send(connection, {{"type", "command"}, {"id", ++id}, {"name", "goal"}, {"args", objective}});
  }
  /// An assistant message ends its turn; the reply.
  json turn(const std::string& text, bool tools, const json& changes = json::object()) {
    json frame{{"type", "turn"},
               {"id", ++id},
               {"stop", tools ? "toolUse" : "stop"},
               {"text", text},
               {"text_truncated", false},
               {"has_tool_calls", tools},
               {"pending", false},
               {"continuing", false}};
    frame.update(changes);
    return reply_in(send(connection, frame));
  }
  json turn_with_handover() { return turn("chirp: # Canary handover\nThe plan.", false); }
  json summary(const json& asked, const std::string& stop, const std::string& text) {
    return reply_in(send(
        connection, {{"type", "summary"}, {"re", asked["re"]}, {"stop", stop}, {"text", text}}));
  }
  void input(const std::string& source, bool streaming) {
    send(connection, {{"type", "input"}, {"source", source}, {"streaming", streaming}});
  }
  /// The agent settles; the reply.
  json settles(const json& changes = json::object()) {
    json frame{{"type", "boundary"}, {"id", ++id}, {"at", "settled"}, {"stop", "stop"},
               {"tool_calls", 1},    {"turns", 1}, {"idle", true},    {"pending", false}};
    frame.update(changes);
    return reply_in(send(connection, frame));
  }
  /// Up to the fresh context: a miss, a handover, a summary.
  void recover() {
    turn("bad", true);
    summary(turn_with_handover(), "stop", "The summary.");
  }

  /// Everything that Pi was told to do, those in replies included, in order.
  [[nodiscard]] std::vector<json> told() const {
    std::vector<json> all;
    for (const auto& [from, frames] : bridge->written) {
      add_told(frames, all);
    }
    return all;
  }
  /// What Pi holds after the `set` directives of its connection.
  [[nodiscard]] json held() const {
    std::vector<json> all;
    add_told(written(connection), all);
    json values = json::object();
    for (const json& each : all) {
      if (each.value("type", "") == "set") {
        values.update(each);
      }
    }
    return values;
  }
  [[nodiscard]] std::string gate() const { return held().value("gate", ""); }
  /// The last entry of each custom type of ours in the session file.
  [[nodiscard]] json entries() const {
    json last = json::object();
    for (const json& each : told()) {
      if (each.value("type", "") == "append") {
        last[each["custom_type"].get<std::string>()] = each["data"];
      }
      for (const json& draft : each.value("entries", json::array())) {
        if (draft["kind"] == "custom") {
          last[draft["custom_type"].get<std::string>()] = draft["data"];
        }
      }
    }
    return last;
  }
  [[nodiscard]] std::string phase() const {
    return entries().value("resilient-canary", json::object()).value("phase", "");
  }
  [[nodiscard]] json goal() const { return entries().value("resilient-goal", json::object()); }
  [[nodiscard]] std::string notices() const {
    std::string all;
    for (const json& each : told()) {
      if (each.value("type", "") == "notify") {
        all += each["text"].get<std::string>() + "\n";
      }
    }
    return all;
  }
  [[nodiscard]] bool has_told(const std::string& type) const {
    for (const json& each : told()) {
      if (each.value("type", "") == type) {
        return true;
      }
    }
    return false;
  }

  std::int64_t id = 100;

private:
  static void add_told(const std::vector<json>& frames, std::vector<json>& all) {
    for (const json& each : frames) {
      for (const json& inside : each.value("directives", json::array())) {
        all.push_back(inside);
      }
      all.push_back(each);
    }
  }
};

[[nodiscard]] inline bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace resilient::test
