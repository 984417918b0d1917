#include "core/canon/hook_event.hpp"

#include "core/canon/hook_state.hpp"
#include "tests/core/canon/hook_scene.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace resilient;
using namespace resilient::canon;
using resilient::canon::tests::hook_scene;

TEST_CASE("recorded events are read") {
  struct row {
    const char* name;
    const char* event;
    std::vector<std::string> tools;
    std::vector<bool> failed;
  };
  const std::vector<row> table{
      {"claude-2.1.332-PostToolBatch-1calls", "PostToolBatch", {"Edit"}, {false}},
      {"claude-2.1.332-PostToolBatch-2calls", "PostToolBatch", {"Read", "Bash"}, {true, true}},
      {"claude-2.1.332-PostToolBatch-4calls",
       "PostToolBatch",
       {"Read", "Read", "Bash", "mcp__plugin_probe_probe__canon"},
       {false, false, false, false}},
      {"claude-2.1.332-PostToolUse-Bash", "PostToolUse", {"Bash"}, {false}},
      {"claude-2.1.332-PostToolUse-Edit", "PostToolUse", {"Edit"}, {false}},
      {"claude-2.1.332-PostToolUse-Read", "PostToolUse", {"Read"}, {false}},
      {"claude-2.1.332-PostToolUse-mcp",
       "PostToolUse",
       {"mcp__plugin_probe_probe__canon"},
       {false}},
      {"codex-0.171.0-PostToolUse-Bash", "PostToolUse", {"Bash"}, {false}},
      {"codex-0.171.0-PostToolUse-apply_patch", "PostToolUse", {"apply_patch"}, {false}},
      {"codex-0.171.0-PostToolUse-mcp", "PostToolUse", {"mcp__probe__canon"}, {false}},
      {"claude-2.1.332-Stop", "Stop", {}, {}},
      {"codex-0.171.0-SessionStart-compact", "SessionStart", {}, {}},
  };
  const hook_scene now;
  for (const row& line : table) {
    CAPTURE(line.name);
    const auto event = parse_hook_event(now.recorded(line.name).dump());
    REQUIRE(event);
    CHECK(event->name == line.event);
    CHECK(event->session == "00000000-0000-4000-8000-000000000000");
    CHECK(event->folder == now.project.directory);
    REQUIRE(event->calls.size() == line.tools.size());
    for (std::size_t index = 0; index < line.tools.size(); ++index) {
      CHECK(event->calls[index].tool == line.tools[index]);
      CHECK(event->calls[index].is_failed == line.failed[index]);
    }
  }
  const auto subagent = parse_hook_event(now.recorded("claude-2.1.332-SubagentStop").dump());
  CHECK(subagent->agent == "a37295281d18859d1");
  CHECK(subagent->agent_kind.empty());
  CHECK(parse_hook_event(now.recorded("claude-2.1.332-SubagentStart-fork").dump())->agent_kind
        == "fork");
  CHECK(parse_hook_event(now.recorded("codex-0.171.0-Stop").dump())->turn
        == "00000000-0000-4000-8000-000000000000");
}

TEST_CASE("what is no event is refused, and odd members are passed over") {
  for (const char* bytes : {"", "x", "[]", "null", "\"Stop\"", "{}", R"({"hook_event_name":5})",
                            R"({"hook_event_name":"Stop")", "\xff\xfe"}) {
    CAPTURE(bytes);
    CHECK_FALSE(parse_hook_event(bytes));
  }
  const auto odd = parse_hook_event(
      R"({"hook_event_name":"PostToolBatch","session_id":7,"cwd":null,"stop_hook_active":"yes",)"
      R"("tool_calls":[1,null,{"tool_name":[]},{"tool_name":"Read","tool_input":"x"}]})");
  REQUIRE(odd);
  CHECK(odd->session.empty());
  CHECK_FALSE(odd->is_stop_hook_active);
  CHECK(odd->calls.size() == 4);
  CHECK(odd->calls.back().tool == "Read");
}

TEST_CASE("a response says whether its call failed") {
  struct row {
    nlohmann::json response;
    bool is_failed;
  };
  const std::vector<row> table{
      {nullptr, false},
      {"", false},
      {7, false},
      {"The file /p/a.ts has been updated successfully.", false},
      {"Exit code 0", false},
      {"Exit code 1\nno", true},
      {"Exit code 127", true},
      {"exit code: 2", true},
      {"Exit code: 0\nWall time: 0 seconds\nOutput:\nExit code 3", false},
      {"Exit code: 1\nWall time: 0 seconds\nOutput:\n", true},
      {"Wall time: 0.1 seconds\nProcess exited with code 2\nOutput:\n", true},
      {"Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n", false},
      {"Exit code is documented below", false},
      {"File does not exist. Note: ...", true},
      {"Found 2 matches of the string to replace, but replace_all is false.", true},
      {"Found 2 files", false},
      {"No changes to make: old_string and new_string are exactly the same.", true},
      {"Error: EACCES", true},
      {"Errors were fixed.", false},
      {nlohmann::json::array({{{"type", "text"}, {"text", "Exit code 1"}}}), true},
      {nlohmann::json::array({{{"type", "text"}, {"text", "fine"}}}), false},
      {{{"content", nlohmann::json::array()}, {"isError", true}}, true},
      {{{"content", nlohmann::json::array()}, {"isError", false}}, false},
      {{{"stdout", "x"}, {"interrupted", true}}, true},
      {{{"stdout", "x"}, {"interrupted", false}}, false},
      {{{"success", false}}, true},
      {{{"success", true}, {"error", "old"}}, false},
      {{{"error", "no such file"}}, true},
      {{{"error", ""}}, false},
      {{{"exit_code", 1}}, true},
      {{{"output", "x"}, {"metadata", {{"exit_code", 1}}}}, true},
      {{{"output", "x"}, {"metadata", {{"exit_code", 0}}}}, false},
  };
  for (const row& line : table) {
    CAPTURE(line.response.dump());
    CHECK(says_failure(line.response) == line.is_failed);
  }
}

TEST_CASE("a state is read as it was written") {
  hook_state state;
  state.seen_by("").insert("src/core/config");
  state.seen_by("agent 1") = {"a", "größe"};
  state.pending = {{"a", {"0123", {}}},
                   {"b", {std::nullopt, {}}},
                   {"c", {"45", {{"call 1", "/t.jsonl"}, {"call 2", "/t.jsonl"}}}}};
  state.reminded_in = "";
  CHECK(parse_hook_state(compose_hook_state(state)) == state);
  CHECK(parse_hook_state(compose_hook_state({})) == hook_state{});
}

TEST_CASE("the older formats are understood, and anything else begins anew") {
  const hook_state first = parse_hook_state(R"({"version":1,"seen":["a"],"pending":["b"]})");
  CHECK(first.contexts == std::vector<hook_state::context>{{"", {"a"}}});
  CHECK(first.pending == decltype(first.pending){{"b", {std::nullopt, {}}}});
  const hook_state second = parse_hook_state(
      R"({"version":2,"seen":["a"],"pending":[{"path":"b","fingerprint":"0123"},{"path":5},7]})");
  CHECK(second.contexts == first.contexts);
  CHECK_MESSAGE(second.pending == first.pending, "another program's fingerprint tells nothing");
  for (const char* bytes :
       {"", "{", "[]", "null", R"({"seen":["a"]})", R"({"version":"3","seen":["a"]})",
        R"({"version":4,"contexts":[{"agent":"","seen":["a"]}]})",
        R"({"version":3,"contexts":{"a":1},"pending":"b","reminded_in":7})",
        R"({"version":3,"contexts":[7,{"seen":["a"]},{"agent":7}],"pending":[null]})"}) {
    CAPTURE(bytes);
    CHECK(parse_hook_state(bytes) == hook_state{});
  }
}

TEST_CASE(
    "an article is owed for sure as soon as one call changed it for sure, until it is written") {
  const told_later one{"call 1", "/t"};
  const told_later two{"call 2", "/t"};
  hook_state state;
  const auto doubt = [&] { return state.pending["a"].unless_failed; };
  state.owe("a", "print", one);
  CHECK(doubt() == std::set<told_later>{one});
  state.owe("a", "print", two);
  CHECK(doubt() == std::set<told_later>{one, two});
  state.owe("a", "print", std::nullopt);
  CHECK(doubt().empty());
  state.owe("a", "print", two);
  CHECK_MESSAGE(doubt().empty(), "it was changed before");
  state.owe("a", "written since", two);
  CHECK_MESSAGE(doubt() == std::set<told_later>{two}, "what was changed before is paid");
  for (int number = 0; number < 100; ++number) {
    state.owe("a", "written since", told_later{std::to_string(number), "/t"});
  }
  CHECK_MESSAGE(doubt().empty(), "so many did not all fail");
}

TEST_CASE("contexts do not grow without end, and the main one is never dropped") {
  hook_state state;
  state.seen_by("").insert("a");
  for (int number = 0; number < 200; ++number) {
    state.seen_by("agent " + std::to_string(number)).insert("b");
  }
  CHECK(state.contexts.size() == 64);
  CHECK(state.seen_by("").count("a") == 1);
  CHECK(state.seen_by("agent 199").count("b") == 1);
}

TEST_CASE("an event that nests without end is refused") {
  constexpr std::size_t depth = 1'000'000;
  const std::string deep = std::string(depth, '[') + std::string(depth, ']');
  for (const std::string field : {"tool_input", "tool_response", "session_id"}) {
    CAPTURE(field);
    std::string text = R"({"hook_event_name":"PostToolUse","tool_name":"Bash",")";
    text.append(field).append("\":").append(deep).append("}");
    const auto event = parse_hook_event(text);
    REQUIRE_FALSE(event.has_value());
    CHECK(event.error().message == "The JSON on stdin nests too deep.");
  }
}
