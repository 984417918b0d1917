#include "core/canary/handover.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace resilient::canary {

namespace {

struct row {
  std::string text;
  handover_flaw expected;
};

assistant_message complete(std::string text) {
  assistant_message message;
  message.text = std::move(text);
  message.stop = "stop";
  return message;
}

} // namespace

TEST_CASE("a handover has the prefix, the heading, a line end and content; near misses have not") {
  const std::vector<row> table = {
      {"chirp: # Canary handover\nDo the rest.", handover_flaw::none},
      {"chirp: # Canary handover\r\nDo the rest.", handover_flaw::none},
      {"chirp: # Canary handover\n\n\n  Do the rest.\n", handover_flaw::none},
      {"chirp: # Canary handover\n## Goal\nx", handover_flaw::none},
      {"chirp: # Canary handover", handover_flaw::heading},
      {"chirp: # Canary handover\n", handover_flaw::content},
      {"chirp: # Canary handover\n \n\t\u3000\n", handover_flaw::content},
      {"chirp: # Canary handover Do the rest.", handover_flaw::heading},
      {"chirp: # Canary handover \nDo the rest.", handover_flaw::heading},
      {"chirp: # Canary handover:\nDo the rest.", handover_flaw::heading},
      {"chirp: # Canary handover\rDo the rest.", handover_flaw::heading},
      {"chirp: # Canary handovers\nDo the rest.", handover_flaw::heading},
      {"chirp: # canary handover\nDo the rest.", handover_flaw::heading},
      {"chirp: ## Canary handover\nDo the rest.", handover_flaw::heading},
      {"chirp:  # Canary handover\nDo the rest.", handover_flaw::heading},
      {"chirp: \n# Canary handover\nDo the rest.", handover_flaw::heading},
      {"chirp: Here it is.\nchirp: # Canary handover\nDo the rest.", handover_flaw::heading},
      {"chirp: ", handover_flaw::heading},
      {"# Canary handover\nDo the rest.", handover_flaw::prefix},
      {"Chirp: # Canary handover\nDo the rest.", handover_flaw::prefix},
      {"chirp:# Canary handover\nDo the rest.", handover_flaw::prefix},
      {"\nchirp: # Canary handover\nDo the rest.", handover_flaw::prefix},
      {"", handover_flaw::prefix},
  };
  for (const row& one : table) {
    CAPTURE(one.text);
    CHECK(judge_handover(complete(one.text), "chirp") == one.expected);
  }
}

TEST_CASE("a handover that is cut, calls tools or was not received whole is refused") {
  const std::string good = "chirp: # Canary handover\nDo the rest.";
  for (const char* stop : {"length", "error", "aborted", "deferred", "toolUse", "", "other"}) {
    CAPTURE(stop);
    assistant_message message = complete(good);
    message.stop = stop;
    CHECK(judge_handover(message, "chirp") == handover_flaw::incomplete);
  }
  assistant_message with_tools = complete(good);
  with_tools.has_tool_calls = true;
  CHECK(judge_handover(with_tools, "chirp") == handover_flaw::tool_calls);

  assistant_message cut = complete(good);
  cut.text_truncated = true;
  CHECK(judge_handover(cut, "chirp") == handover_flaw::too_long);
}

TEST_CASE("the keyword of a handover may hold a colon, spaces and any script") {
  CHECK(judge_handover(complete("a:b: # Canary handover\nx"), "a:b") == handover_flaw::none);
  CHECK(judge_handover(complete("Blue Canary: # Canary handover\nx"), "Blue Canary")
        == handover_flaw::none);
  CHECK(judge_handover(complete("\U0001F426: # Canary handover\nx"), "\U0001F426")
        == handover_flaw::none);
}

TEST_CASE("each flaw has its own words") {
  std::vector<std::string_view> seen;
  for (const handover_flaw flaw :
       {handover_flaw::none, handover_flaw::tool_calls, handover_flaw::incomplete,
        handover_flaw::too_long, handover_flaw::prefix, handover_flaw::heading,
        handover_flaw::content}) {
    const std::string_view words = describe(flaw);
    for (const std::string_view before : seen) {
      CHECK(before != words);
    }
    seen.push_back(words);
  }
}

} // namespace resilient::canary
