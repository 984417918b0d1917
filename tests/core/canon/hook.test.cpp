#include "core/canon/hook.hpp"

#include "tests/core/canon/hook_scene.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

using namespace resilient;
using namespace resilient::canon;
using resilient::canon::tests::a_monday;
using resilient::canon::tests::holds;
using resilient::canon::tests::hook_scene;
using resilient::canon::tests::lines_of;

namespace {

const nlohmann::json nothing = nlohmann::json::object();
const std::string config_line = "src/core/config (updated 2026-11-30): Env beats file.";
const std::string other_line = "src/core/other (updated 2026-11-30): The other one.";
const std::string src_line = "src (updated 2026-11-30): All sources.";

} // namespace

TEST_CASE("a batch of Claude Code gets one packet, in which each article stands once") {
  for (const char* version : {"claude-2.1.332", "claude-2.1.197"}) {
    CAPTURE(version);
    hook_scene now;
    const auto event = now.recorded(std::string(version) + "-PostToolBatch-4calls");
    const auto answer = now.send(event);
    CHECK(answer.at("hookSpecificOutput").at("hookEventName") == "PostToolBatch");
    CHECK(lines_of(answer) == fmt::format("{}\n{}", config_line, other_line));
    CHECK(now.send(event) == nothing);
  }
}

TEST_CASE("Codex gets the line after the result") {
  hook_scene now;
  auto event = now.recorded("codex-0.171.0-PostToolUse-mcp");
  event["tool_name"] = "mcp__files__view";
  event["tool_input"] = {{"path", "src/core/config.ts"}};
  const auto answer = now.send(event);
  CHECK(answer.at("hookSpecificOutput").at("hookEventName") == "PostToolUse");
  CHECK(lines_of(answer) == config_line);
  CHECK(now.send(event) == nothing);
}

TEST_CASE("nothing is said at the beginning and at the end of a session, or at other events") {
  hook_scene now;
  for (const char* name : {"claude-2.1.332-SessionStart-startup",
                           "claude-2.1.332-SessionStart-resume",
                           "claude-2.1.332-SessionStart-compact",
                           "claude-2.1.332-SessionEnd",
                           "claude-2.1.332-UserPromptSubmit",
                           "claude-2.1.332-PreToolUse-Read",
                           "claude-2.1.332-PreToolUse-Edit",
                           "claude-2.1.332-PostToolUseFailure-Read",
                           "claude-2.1.332-PreCompact",
                           "claude-2.1.332-PostCompact",
                           "claude-2.1.332-SubagentStop",
                           "claude-2.1.332-Stop",
                           "codex-0.171.0-SessionStart-startup",
                           "codex-0.171.0-SessionStart-resume",
                           "codex-0.171.0-SessionStart-compact",
                           "codex-0.171.0-SessionEnd",
                           "codex-0.171.0-UserPromptSubmit",
                           "codex-0.171.0-PreToolUse-Bash",
                           "codex-0.171.0-PreCompact",
                           "codex-0.171.0-PostCompact",
                           "codex-0.171.0-Stop"}) {
    CAPTURE(name);
    CHECK(now.send(now.recorded(name)) == nothing);
  }
  CHECK(now.state == hook_state{});
}

TEST_CASE(
    "an article comes once in each cycle, and only a compaction or a new session begins one") {
  hook_scene now;
  CHECK(lines_of(now.read("src/core/config.ts")) == config_line);
  CHECK(now.read("src/core/config.ts") == nothing);
  CHECK(now.start("resume") == nothing);
  CHECK_MESSAGE(now.read("src/core/config.ts") == nothing, "resume keeps");
  for (const char* source : {"compact", "compact", "clear", "startup", ""}) {
    CAPTURE(source);
    CHECK_MESSAGE(now.start(source) == nothing, "nothing is replayed");
    CHECK_MESSAGE(lines_of(now.read("src")) == src_line, "no children, no other articles");
    CHECK(lines_of(now.read("src/core/config.ts")) == config_line);
    CHECK(now.read("src/core/config.ts") == nothing);
  }
}

TEST_CASE("a compaction also forgets what was owed") {
  hook_scene now;
  now.edit("src/core/config.ts");
  now.start("compact");
  CHECK(now.stop() == nothing);
}

TEST_CASE("a subagent has a context of its own") {
  hook_scene now;
  CHECK(lines_of(now.read("src/core/config.ts")) == config_line);
  CHECK(lines_of(now.read("src/core/config.ts", "agent 1")) == config_line);
  CHECK(now.read("src/core/config.ts", "agent 1") == nothing);
  CHECK(lines_of(now.read("src/core/config.ts", "agent 2")) == config_line);
  now.start("compact");
  CHECK(now.read("src/core/config.ts", "agent 1") == nothing);
  CHECK(lines_of(now.read("src/core/config.ts")) == config_line);
  now.start("startup");
  CHECK(lines_of(now.read("src/core/config.ts", "agent 1")) == config_line);
}

TEST_CASE("the compaction of a subagent, as Codex tells it, begins a context of that one only") {
  hook_scene now;
  now.edit("src/core/config.ts", "updated", "agent 1");
  now.read("src/core/config.ts", "agent 2");
  now.read("src/core/config.ts");
  auto event = now.recorded("codex-0.171.0-PostCompact");
  event["agent_id"] = "agent 1";
  CHECK(now.send(event) == nothing);
  CHECK(lines_of(now.read("src/core/config.ts", "agent 1")) == config_line);
  CHECK(now.read("src/core/config.ts", "agent 2") == nothing);
  CHECK(now.read("src/core/config.ts") == nothing);
  CHECK_MESSAGE(now.stop().at("decision") == "block", "the session still owes what it changed");
}

TEST_CASE("a fork inherits what the main agent was shown before it began, and nothing later") {
  hook_scene now;
  auto event = now.recorded("claude-2.1.332-SubagentStart-fork");
  const std::string agent = event.at("agent_id");
  CHECK(now.send(event) == nothing);
  CHECK_MESSAGE(now.state == hook_state{}, "there was nothing");
  CHECK(lines_of(now.read("src/core/config.ts")) == config_line);
  CHECK(now.send(event) == nothing);
  CHECK(lines_of(now.read("src/core/other.ts")) == other_line);
  CHECK(now.read("src/core/config.ts", agent) == nothing);
  CHECK(lines_of(now.read("src/core/other.ts", agent)) == other_line);
  now.read("src");
  CHECK(now.send(event) == nothing);
  CHECK_MESSAGE(lines_of(now.read("src", agent)) == src_line, "it began only once");

  event["agent_id"] = "another";
  event["agent_type"] = "general-purpose";
  CHECK(now.send(event) == nothing);
  CHECK(lines_of(now.read("src/core/config.ts", "another")) == config_line);
}

TEST_CASE("what a subagent changed is owed by the session") {
  hook_scene now;
  now.edit("src/core/config.ts", "updated", "agent 1");
  CHECK(now.stop().at("decision") == "block");
}

TEST_CASE("a change that succeeded is reminded of once before stopping") {
  hook_scene now;
  now.send(now.recorded("claude-2.1.332-PostToolBatch-1calls"));
  const auto answer = now.stop();
  CHECK(answer.size() == 2);
  CHECK(answer.at("decision") == "block");
  CHECK(holds(answer.at("reason"), "Touched but not updated: src/core/config."));
  CHECK(now.stop(true) == nothing);
  CHECK(now.stop(false, "turn 2") == nothing);
}

TEST_CASE("two stops in a row are never prevented, whatever the host says") {
  hook_scene now;
  now.edit("src/core/config.ts");
  CHECK(now.stop().size() == 2);
  now.edit("src/core/config.ts");
  CHECK_MESSAGE(now.stop() == nothing, "a host that never sets stop_hook_active");
  CHECK_MESSAGE(now.stop().size() == 2, "what it owes since is named at the next stop");
  now.edit("src/core/config.ts");
  CHECK(now.stop(true) == nothing);
  now.edit("src/core/config.ts");
  CHECK(now.stop(false, "turn 2").size() == 2);
  now.edit("src/core/config.ts");
  CHECK_MESSAGE(now.stop(false, "turn 3").size() == 2, "an interrupted turn has no second stop");
}

TEST_CASE("the article's own bytes decide whether it was written") {
  hook_scene now;
  now.edit("src/core/config.ts");
  SUBCASE("by whatever means") {
    hook_scene::put_article(now.project, "src/core/config", "File beats env.");
    CHECK(now.stop() == nothing);
  }
  SUBCASE("a call of the tool that changed nothing is none") {
    now.call("mcp__plugin_canon_canon__canon", {{"action", "write"}, {"path", "src/core/config"}},
             {{{"type", "text"}, {"text", "src/core/config is already current."}}});
    CHECK(now.stop().size() == 2);
  }
  SUBCASE("a deleted article was not updated") {
    REQUIRE(posix_files{}.remove(now.project.directory + "/.canon/articles/src/core/config.md"));
    CHECK(now.stop().size() == 2);
  }
  SUBCASE("a change after the write owes again") {
    hook_scene::put_article(now.project, "src/core/config", "File beats env.");
    now.edit("src/core/config.ts");
    CHECK(now.stop().size() == 2);
  }
}

TEST_CASE("a batch that changes an asset and writes its article owes nothing") {
  hook_scene now;
  auto event = now.recorded("claude-2.1.332-PostToolBatch-1calls");
  hook_scene::put_article(now.project, "src/core/config", "File beats env.");
  event["tool_calls"].push_back(
      {{"tool_name", "mcp__plugin_canon_canon__canon"},
       {"tool_input", {{"action", "write"}, {"path", "src/core/config"}, {"capsule", "x"}}},
       {"tool_response", {{{"type", "text"}, {"text", "Wrote src/core/config."}}}}});
  CHECK_MESSAGE(now.send(event) == nothing, "and its line would be no news");
  CHECK(now.stop() == nothing);
}

TEST_CASE("a call that failed owes nothing, yet its touch surfaces") {
  struct row {
    const char* what;
    nlohmann::json response;
  };
  for (const row& line : std::vector<row>{
           {"an edit that found nothing", "String to replace not found in file.\nString: x"},
           {"the same, tagged", "<tool_use_error>File has not been read yet.</tool_use_error>"},
           {"an exit code", "Exit code 1\nsed: no input"},
           {"a flag", {{"isError", true}, {"content", "x"}}}}) {
    CAPTURE(line.what);
    hook_scene now;
    CHECK(lines_of(now.edit("src/core/config.ts", line.response)) == config_line);
    CHECK(now.stop() == nothing);
  }
}

TEST_CASE("a call whose file was not changed for an hour owes nothing, whatever it printed") {
  using namespace std::chrono_literals;
  struct row {
    const char* what;
    std::optional<wall_time> changed;
    bool owes;
  };
  for (const row& line :
       std::vector<row>{{"just now", a_monday, true},
                        {"by a clock that is ahead", a_monday + 24h, true},
                        {"an hour ago", a_monday - 1h, true},
                        {"longer ago", a_monday - 61min, false},
                        {"nobody knows: it is a folder, or it was removed", std::nullopt, true}}) {
    CAPTURE(line.what);
    hook_scene now;
    now.around.changed_at = [&](const std::string& path) {
      CHECK(path == now.project.directory + "/src/core/config.ts");
      return line.changed;
    };
    auto event = now.recorded("codex-0.171.0-PostToolUse-Bash");
    event["tool_input"]["command"] = "sed -i s/one/two/ src/core/config.ts";
    event["tool_response"] = "sed: couldn't open temporary file";
    CHECK(lines_of(now.send(event)) == config_line);
    CHECK((now.stop() != nothing) == line.owes);
  }
}

TEST_CASE("reading owes nothing, and neither does a mention") {
  hook_scene now;
  now.read("src/core/config.ts");
  now.call("TodoWrite", {{"todos", {{{"content", "look at src/core/other.ts"}}}}});
  now.call("Write", {{"file_path", now.project.directory + "/docs/new.md"},
                     {"content", "see src/core/config.ts"}});
  CHECK(now.stop() == nothing);
}

TEST_CASE("what the tool showed does not come again") {
  hook_scene now;
  const auto own = [&](const nlohmann::json& input, const char* text) {
    return now.call("mcp__canon__canon", input, {{{"type", "text"}, {"text", text}}});
  };
  CHECK(own({{"action", "read"}, {"path", "src/core/config.ts"}}, "src/core/config") == nothing);
  CHECK(now.read("src/core/config.ts") == nothing);
  CHECK(own({{"action", "write"}, {"path", "src/core/other"}}, "Wrote src/core/other.") == nothing);
  CHECK(now.read("src/core/other.ts") == nothing);
  CHECK(own({{"action", "write"}, {"path", "src"}}, "Nothing was written.") == nothing);
  CHECK(own({{"action", "map"}, {"path", "src"}}, "src: All sources.") == nothing);
  CHECK(own({{"action", "search"}, {"query", "src"}}, "src: All sources.") == nothing);
  CHECK(own({{"action", 7}}, "") == nothing);
  CHECK(own("no object", "") == nothing);
  CHECK(lines_of(now.read("src")) == src_line);
}

TEST_CASE("assets outside the project are none of ours") {
  hook_scene now;
  now.project.all.put("elsewhere/src/core/config.ts", "");
  now.project.put_article("etc", "---\ncapsule: Not that one.\n---\n");
  CHECK(now.call("Read", {{"file_path", now.project.all.at("elsewhere/src/core/config.ts")}})
        == nothing);
  CHECK(now.call("Read", {{"file_path", "/etc/passwd"}}) == nothing);
  CHECK_MESSAGE(now.state == hook_state{}, "and nothing is remembered of them");
}

TEST_CASE("an article without a capsule is pointed at") {
  hook_scene now;
  now.project.put_article("docs", "---\nupdated: 2026-11-30\n---\nA body.\n");
  CHECK(holds(lines_of(now.read("docs/plan.md")), "docs (updated 2026-11-30): an article is here"));
}

TEST_CASE("a command of Codex that its transcript calls failed owes nothing") {
  struct row {
    const char* what;
    std::vector<std::string> failed; ///< calls
    bool reminds;
  };
  const row rows[] = {
      {"none of two failed", {}, true},
      {"one of two failed", {"first"}, true},
      {"both failed", {"first", "second"}, false},
  };
  for (const row& each : rows) {
    CAPTURE(each.what);
    hook_scene now;
    now.around.has_failed = [&](const told_later& call) {
      CHECK(call.transcript == "/rollout.jsonl");
      return std::find(each.failed.begin(), each.failed.end(), call.call) != each.failed.end();
    };
    for (const char* id : {"first", "second"}) {
      nlohmann::json event = now.recorded("codex-0.171.0-PostToolUse-Bash");
      event["tool_use_id"] = id;
      event["transcript_path"] = "/rollout.jsonl";
      event["tool_input"]["command"] = "sed -i s/1/2/ src/core/config.ts";
      now.send(event);
    }
    CHECK((now.stop() != nothing) == each.reminds);
    CHECK(now.state.pending.empty());
  }
}
