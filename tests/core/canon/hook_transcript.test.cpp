#include "core/canon/hook_transcript.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace resilient::canon;

namespace {

std::string line(const std::string& type, const std::string& id, const std::string& output) {
  return R"({"timestamp":"t","type":"response_item","payload":{"type":")" + type
         + R"(","call_id":")" + id + R"(","output":)" + output + "}}\n";
}

const std::string failed =
    R"("Chunk ID: 7\nWall time: 0.0 seconds\nProcess exited with code 1\nOutput:\nx")";
const std::string done =
    R"("Chunk ID: 7\nWall time: 0.0 seconds\nProcess exited with code 0\nOutput:\nx")";

} // namespace

TEST_CASE("the transcript tells how a call ended") {
  struct row {
    const char* what;
    std::string transcript;
    bool is_failed;
  };
  const std::string shell = "function_call_output";
  const row rows[] = {
      {"failed", line(shell, "c1", failed), true},
      {"done", line(shell, "c1", done), false},
      {"a patch that did not fit",
       line("custom_tool_call_output", "c1", R"("apply_patch verification failed: no")"), true},
      {"a failed command that prints its own id",
       line(shell, "c1", R"("Process exited with code 2\nOutput:\nc1 c1")"), true},
      {"of another call", line(shell, "c2", failed), false},
      {"of a call whose id begins alike", line(shell, "c12", failed) + line(shell, "c1", done),
       false},
      {"the last one counts", line(shell, "c1", failed) + line(shell, "c1", done), false},
      {"more lines name it later",
       line(shell, "c1", failed) + R"({"payload":{"type":"message","text":"c1"}})" + "\nc1\n",
       true},
      {"the begin of the call only",
       R"({"payload":{"type":"function_call","call_id":"c1","arguments":"false"}})", false},
      {"the first line is cut", "put\":\"c1\"}}\n" + line(shell, "c1", failed), true},
      {"the last line has no end",
       line(shell, "c1", failed).substr(0, line(shell, "c1", failed).size() - 1), true},
      {"the last line is not there whole", line(shell, "c1", failed).substr(0, 90), false},
      {"no output", R"({"payload":{"type":"function_call_output","call_id":"c1"}})", false},
      {"a payload of another kind", R"({"payload":["c1","function_call_output"]})", false},
      {"an id of another kind",
       R"({"payload":{"type":"function_call_output","call_id":["c1"],"output":"Process exited with code 1"}})",
       false},
      {"the output as blocks", line(shell, "c1", R"([{"type":"text","text":"Exit code: 3"}])"),
       true},
      {"no JSON", "c1 failed", false},
      {"bytes", std::string("\xff\0c1\n\xfe", 6), false},
      {"nothing", "", false},
  };
  for (const row& each : rows) {
    CAPTURE(each.what);
    CHECK(transcript_says_failure(each.transcript, "c1") == each.is_failed);
  }
  CHECK_FALSE(transcript_says_failure(line(shell, "", failed), ""));
}
