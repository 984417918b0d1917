#include "core/canon/mcp.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace resilient::canon;
using nlohmann::json;

namespace {

struct fixture {
  std::vector<std::string> folders;
  std::vector<std::string> sessions;
  std::vector<std::string> arguments;
  mcp_answer next{"done", false};

  mcp_server server{{.version = "1.2.3",
                     .instructions = "Read before work.",
                     .tool_description = "Project memory.",
                     .tool_parameters = {{"type", "object"}}},
                    [this](const mcp_call& call) {
                      folders.push_back(call.folder.value_or("none"));
                      sessions.push_back(call.session.value_or("none"));
                      arguments.push_back(call.arguments.dump());
                      return next;
                    }};

  /// All answers to one message, each parsed back.
  std::vector<json> ask(const std::string& message) {
    std::vector<json> answers;
    for (const std::string& line : server.receive(message)) {
      CHECK(line.find('\n') == std::string::npos);
      answers.push_back(json::parse(line));
    }
    return answers;
  }

  json ask_one(const std::string& message) {
    const auto answers = ask(message);
    REQUIRE(answers.size() == 1);
    return answers.front();
  }
};

std::string call_message(const std::string& parameters) {
  return R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":)" + parameters + "}";
}

} // namespace

TEST_CASE_FIXTURE(fixture, "initialize answers with a version that both sides know") {
  struct row {
    const char* asked;
    const char* answered;
  };
  for (const row& line : {row{"\"2025-11-25\"", "2025-11-25"}, row{"\"2025-06-18\"", "2025-06-18"},
                          row{"\"2025-03-26\"", "2025-03-26"}, row{"\"2024-11-05\"", "2024-11-05"},
                          row{"\"2026-07-28\"", "2025-11-25"}, row{"\"1.0\"", "2025-11-25"},
                          row{"5", "2025-11-25"}, row{"null", "2025-11-25"}}) {
    CAPTURE(line.asked);
    const json answer =
        ask_one(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":)"
                + std::string(line.asked) + "}}");
    CHECK(answer.at("id") == 0);
    CHECK(answer.at("result").at("protocolVersion") == line.answered);
  }
  const json answer = ask_one(R"({"jsonrpc":"2.0","id":"a","method":"initialize"})").at("result");
  CHECK(answer.at("serverInfo")
        == json{{"name", "canon"}, {"title", "Canon"}, {"version", "1.2.3"}});
  CHECK(answer.at("capabilities")
        == json::parse(
            R"({"tools":{"listChanged":false},"experimental":{"codex/sandbox-state-meta":{}}})"));
  CHECK(answer.at("instructions") == "Read before work.");
}

TEST_CASE_FIXTURE(fixture, "the list has one tool, described so that hosts load it") {
  const json answer =
      ask_one(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}})");
  CHECK(answer.at("result").dump()
        == json::parse(R"({"tools":[{
    "name":"canon","title":"Canon","description":"Project memory.","inputSchema":{"type":"object"},
    "annotations":{"title":"Canon","readOnlyHint":false,"destructiveHint":false,
                   "idempotentHint":false,"openWorldHint":false},
    "_meta":{"anthropic/alwaysLoad":true}}]})")
               .dump());
}

TEST_CASE_FIXTURE(fixture, "every message is answered as JSON-RPC asks") {
  struct row {
    const char* what;
    std::string message;
    std::vector<std::string> answers; ///< "id code" for an error, "id ok" for a result
  };
  const std::string deep(200000, '[');
  const std::vector<row> table{
      {"ping before initialize", R"({"jsonrpc":"2.0","id":1,"method":"ping"})", {"1 ok"}},
      {"an id that is a string", R"({"jsonrpc":"2.0","id":"x","method":"ping"})", {"\"x\" ok"}},
      {"an empty id", R"({"jsonrpc":"2.0","id":"","method":"ping"})", {"\"\" ok"}},
      {"a negative id", R"({"jsonrpc":"2.0","id":-3,"method":"ping"})", {"-3 ok"}},
      {"a large id",
       R"({"jsonrpc":"2.0","id":18446744073709551615,"method":"ping"})",
       {"18446744073709551615 ok"}},
      {"the probe for a newer protocol",
       R"({"jsonrpc":"2.0","id":"server-discover-probe-1","method":"server/discover","params":{}})",
       {"\"server-discover-probe-1\" -32601"}},
      {"methods of other servers",
       R"({"jsonrpc":"2.0","id":2,"method":"resources/list"})",
       {"2 -32601"}},
      {"an empty method", R"({"jsonrpc":"2.0","id":2,"method":""})", {"2 -32601"}},
      {"the handshake's end", R"({"jsonrpc":"2.0","method":"notifications/initialized"})", {}},
      {"a cancellation",
       R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})",
       {}},
      {"news of the roots", R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})", {}},
      {"an unknown notification", R"({"jsonrpc":"2.0","method":"notifications/x"})", {}},
      {"an id that is a fraction", R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", {"1.5 ok"}},
      {"a request without id is a notification", R"({"jsonrpc":"2.0","method":"ping"})", {}},
      {"a call without id does nothing",
       R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"canon","arguments":{}}})",
       {}},
      {"a null id", R"({"jsonrpc":"2.0","id":null,"method":"ping"})", {"null -32600"}},
      {"an id that is an object", R"({"jsonrpc":"2.0","id":{},"method":"ping"})", {"null -32600"}},
      {"no version", R"({"id":1,"method":"ping"})", {"1 -32600"}},
      {"another version", R"({"jsonrpc":"1.0","id":1,"method":"ping"})", {"1 -32600"}},
      {"no method", R"({"jsonrpc":"2.0","id":1})", {"1 -32600"}},
      {"a method that is a number", R"({"jsonrpc":"2.0","id":1,"method":5})", {"1 -32600"}},
      {"neither request nor response", R"({"foo":1})", {"null -32600"}},
      {"a response", R"({"jsonrpc":"2.0","id":1,"result":{}})", {}},
      {"an error response", R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}})", {}},
      {"a scalar", "1", {"null -32600"}},
      {"a string", "\"ping\"", {"null -32600"}},
      {"an empty array", "[]", {"null -32600"}},
      {"an array",
       R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"ping"},5,)"
       R"({"jsonrpc":"2.0","id":2,"method":"nope"}])",
       {"1 ok", "null -32600", "2 -32601"}},
      {"an array of arrays", "[[]]", {"null -32600"}},
      {"no JSON", "hello", {"null -32700"}},
      {"half a message", R"({"jsonrpc":"2.0","id":1,)", {"null -32700"}},
      {"two messages in one line",
       R"({"jsonrpc":"2.0","id":1,"method":"ping"}{})",
       {"null -32700"}},
      {"a header of another framing", "Content-Length: 52", {"null -32700"}},
      {"bytes that are no UTF-8",
       "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}",
       {"null -32700"}},
      {"endless nesting", deep, {"null -32700"}},
      {"nesting within the limit", std::string(100, '[') + std::string(100, ']'), {"null -32600"}},
      {"brackets inside a string",
       "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + deep + "\"}",
       {"1 -32601"}},
      {"half a surrogate pair in an id",
       R"({"jsonrpc":"2.0","id":"\ud83d","method":"ping"})",
       {"\"\xEF\xBF\xBD\" ok"}},
      {"a call without params", R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})", {"1 -32602"}},
      {"a call with array params", call_message("[1]"), {"7 -32602"}},
      {"a call of no tool", call_message("{}"), {"7 -32602"}},
      {"a call of another tool", call_message(R"({"name":"pi_canon"})"), {"7 -32602"}},
      {"a name that is a number", call_message(R"({"name":5})"), {"7 -32602"}},
      {"a call", call_message(R"({"name":"canon","arguments":{}})"), {"7 ok"}},
      {"a call without arguments", call_message(R"({"name":"canon"})"), {"7 ok"}},
  };
  for (const row& line : table) {
    CAPTURE(line.what);
    std::vector<std::string> answers;
    for (const json& answer : ask(line.message)) {
      CHECK(answer.at("jsonrpc") == "2.0");
      answers.push_back(
          answer.at("id").dump() + " "
          + (answer.contains("result") ? "ok" : answer.at("error").at("code").dump()));
      CHECK(answer.size() == 3);
    }
    CHECK(answers == line.answers);
  }
}

TEST_CASE_FIXTURE(fixture, "a call hands the arguments over and the text back") {
  const json answer =
      ask_one(call_message(R"({"name":"canon","arguments":{"action":"read","path":"a"}})"));
  CHECK(answer.at("result").dump()
        == json::parse(R"({"content":[{"type":"text","text":"done"}],"isError":false})").dump());
  CHECK(arguments.back() == R"({"action":"read","path":"a"})");
  next = {"Unknown action \"x\".", true};
  CHECK(ask_one(call_message(R"({"name":"canon","arguments":{"action":"x"}})"))
            .at("result")
            .at("isError")
        == true);
  next = {"bytes \xff\n and lines", false};
  CHECK(ask_one(call_message(R"({"name":"canon","arguments":{"action":"x"}})"))
            .at("result")
            .at("content")
            .at(0)
            .at("text")
        == "bytes \xEF\xBF\xBD\n and lines");
}

TEST_CASE_FIXTURE(fixture, "arguments that are no object are an error that the model can act on") {
  for (const char* value : {"\"read\"", "[1]", "5", "true"}) {
    CAPTURE(value);
    const json answer =
        ask_one(call_message(R"({"name":"canon","arguments":)" + std::string(value) + "}"));
    CHECK(answer.at("result").at("isError") == true);
    CHECK(answer.at("result").at("content").at(0).at("text").get<std::string>().find(
              "Nothing was done.")
          != std::string::npos);
  }
  CHECK(arguments.empty());
  (void)ask_one(call_message(R"({"name":"canon","arguments":null})"));
  CHECK(arguments == std::vector<std::string>{"{}"});
}

TEST_CASE_FIXTURE(fixture, "each call may name its folder and its session") {
  struct row {
    const char* meta;
    const char* folder;
    const char* session;
  };
  const std::vector<row> table{
      {R"({})", "none", "none"},
      {R"(5)", "none", "none"},
      {R"({"claudecode/toolUseId":"t","progressToken":2})", "none", "none"},
      {R"({"threadId":"t-1","sessionId":"s-1"})", "none", "t-1"},
      {R"({"sessionId":"s-1"})", "none", "s-1"},
      {R"({"threadId":5,"sessionId":""})", "none", "none"},
      {R"({"codex/sandbox-state-meta":{"sandboxCwd":"file:///w/my%20proj"}})", "/w/my proj",
       "none"},
      {R"({"codex/sandbox-state-meta":{"sandboxCwd":"/w/proj"}})", "/w/proj", "none"},
      {R"({"codex/sandbox-state-meta":{"sandboxCwd":"relative"}})", "relative", "none"},
      {R"({"codex/sandbox-state-meta":{"sandboxCwd":5}})", "none", "none"},
      {R"({"codex/sandbox-state-meta":null})", "none", "none"},
  };
  for (const row& line : table) {
    CAPTURE(line.meta);
    (void)ask_one(
        call_message(R"({"name":"canon","arguments":{},"_meta":)" + std::string(line.meta) + "}"));
    CHECK(folders.back() == line.folder);
    CHECK(sessions.back() == line.session);
  }
}

TEST_CASE_FIXTURE(fixture, "half of a surrogate pair in a text is replaced, whole pairs are kept") {
  (void)ask_one(call_message(
      R"({"name":"canon","arguments":{"a":"\ud83d\ude00 \ud83d x \\ud83d \ude00\ud83d"}})"));
  CHECK(arguments.back()
        == "{\"a\":\"\xF0\x9F\x98\x80 \xEF\xBF\xBD x \\\\ud83d \xEF\xBF\xBD\xEF\xBF\xBD\"}");
}

TEST_CASE("file URLs become paths, everything else stays") {
  struct row {
    const char* text;
    const char* path;
  };
  for (const row& line :
       {row{"file:///w/proj", "/w/proj"}, row{"file:/w/proj", "/w/proj"},
        row{"FILE:///w/proj", "/w/proj"}, row{"file://localhost/w/proj", "/w/proj"},
        row{"file:///w/a%20b%2525", "/w/a b%25"}, row{"file:///w/gr%C3%B6%C3%9Fe", "/w/größe"},
        row{"file:///w/50%", "/w/50%"}, row{"file:///w/5%zz", "/w/5%zz"},
        row{"file:///w/p?q#f", "/w/p"}, row{"file://host/w", "file://host/w"},
        row{"file:rel", "file:rel"}, row{"file:", "file:"}, row{"/w/proj", "/w/proj"},
        row{"rel/file:///x", "rel/file:///x"}, row{"", ""}}) {
    CAPTURE(line.text);
    CHECK(path_of_file_url(line.text) == line.path);
  }
}
