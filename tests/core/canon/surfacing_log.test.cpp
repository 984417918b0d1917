#include "core/canon/surfacing_log.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

using namespace resilient;
using namespace resilient::canon;
using nlohmann::json;

namespace {

std::string surfaced(const std::string& content) {
  return json{{"type", "custom_message"}, {"customType", "resilient-canon"}, {"content", content}}
             .dump()
         + "\n";
}

std::string message(const json& what) {
  return json{{"type", "message"}, {"message", what}}.dump() + "\n";
}

std::string call(const std::string& id, const json& arguments) {
  return message(
      {{"role", "assistant"},
       {"content",
        {{{"type", "text"}, {"text", "I look."}},
         {{"type", "toolCall"}, {"id", id}, {"name", "canon"}, {"arguments", arguments}}}}});
}

std::string answer(const std::string& id, const std::string& text, bool is_error = false) {
  return message({{"role", "toolResult"},
                  {"toolCallId", id},
                  {"toolName", "canon"},
                  {"content", {{{"type", "text"}, {"text", text}}}},
                  {"isError", is_error}});
}

/// "key=text" of each, with a plus sign for what was surfaced and an exclamation mark for a write.
std::vector<std::string> found_in(const std::string& log) {
  std::vector<std::string> all;
  for (const logged_article& each : articles_in_log(log)) {
    all.push_back((each.surfaced ? "+" : "") + std::string{each.what.written ? "!" : ""}
                  + each.what.key + "=" + each.what.text);
  }
  return all;
}

using texts = std::vector<std::string>;

} // namespace

TEST_CASE("the lines of a message are found in a session's log, each with its article") {
  CHECK(found_in(surfaced("[canon] These articles govern what you touched. Read one.\n"
                          "src/core/config (updated 2026-11-30): Env: beats file.\n"
                          "docs with blanks: A line.\n"
                          "Touched but not updated: src/other. If what an article says"))
        == texts{"+src/core/config=src/core/config (updated 2026-11-30): Env: beats file.",
                 "+docs with blanks=docs with blanks: A line."});
  CHECK(found_in(surfaced("[canon] Touched but not updated: src/a. If what: otherwise.")).empty());
}

TEST_CASE("so are those that came with a goal's continuation") {
  const std::string text = "Go on with the objective: build it.\n\n[canon] This article governs "
                           "what you touched.\nsrc/a (updated 2026-11-30): Fact of a.";
  const texts wanted{"+src/a=src/a (updated 2026-11-30): Fact of a."};
  CHECK(found_in(message({{"role", "user"}, {"content", text}})) == wanted);
  CHECK(found_in(message({{"role", "user"}, {"content", {{{"type", "text"}, {"text", text}}}}}))
        == wanted);
}

TEST_CASE("what the tool showed or took is found, what it did not is not") {
  CHECK(found_in(call("1", {{"action", "read"}, {"path", "src/a.ts"}})
                 + answer("1", "src governs src/a\ncapsule: All sources.\n\nThe body."))
        == texts{"src=src governs src/a\ncapsule: All sources.\n\nThe body."});
  CHECK(found_in(call("1", {{"action", "write"}, {"capsule", "New."}, {"body", "It all."}})
                 + answer("1", "Wrote src/a.\nA piece of advice."))
        == texts{"!src/a=New.\nIt all."});
  struct row {
    const char* what;
    std::string log;
  };
  const row rows[] = {
      {"an error", call("1", {{"action", "read"}}) + answer("1", "src/a\n\nbody", true)},
      {"no article", call("1", {{"action", "read"}}) + answer("1", "No article governs src/a.")},
      {"a call without an end", call("1", {{"action", "read"}})},
      {"an end without a call", answer("1", "src/a\n\nbody")},
      {"a map", call("1", {{"action", "map"}}) + answer("1", "src/a\nsrc/b")},
      {"a write that failed",
       call("1", {{"action", "write"}}) + answer("1", "The schema says no.")},
  };
  for (const row& each : rows) {
    CAPTURE(each.what);
    CHECK(found_in(each.log).empty());
  }
}

TEST_CASE("a log that is damaged costs only what is damaged, and nothing in it breaks the reader") {
  const std::string whole = surfaced("[canon] Header.\nsrc/a: A line that is whole.");
  const texts wanted{"+src/a=src/a: A line that is whole."};
  CHECK(found_in(whole.substr(20) + whole + whole.substr(0, 60)) == wanted);
  for (
      const std::string odd :
      {"\"canon\"\n", "[\"canon\"]\n",
       R"({"message":"canon","x":"[canon] "})"
       "\n",
       R"({"type":"message","message":{"role":"assistant","content":{"canon":"canon"}}})"
       "\n",
       R"({"type":"message","message":{"role":"toolResult","toolName":"canon","toolCallId":{}}})"
       "\n",
       R"({"type":"message","message":{"role":"assistant","content":[7,{"type":"toolCall","name":"canon"}]}})"
       "\n",
       R"({"type":"custom_message","content":[{"text":7},7,"[canon] "]})"
       "\n",
       "\xff\xfe[canon] \n", "\n\n"}) {
    CAPTURE(odd);
    CHECK(found_in(odd + whole) == wanted);
  }
}
