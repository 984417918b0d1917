// Any bytes as the input of the MCP server, cut at any place: every answer is one line of JSON, the
// answers do not depend on where the bytes were cut, and no word of a text breaks the index.
//
//   fuzz_mcp SEEDS -max_total_time=60

#include "core/canon/mcp.hpp"

#include "core/canon/mcp_frames.hpp"
#include "core/canon/word_index.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace resilient::canon;

void demand(bool holds) {
  if (!holds) {
    std::abort();
  }
}

/// All answers to a stream that arrives in pieces of this size.
std::vector<std::string> answers_to(std::string_view stream, std::size_t piece) {
  mcp_server server{{.version = "0",
                     .instructions = "i",
                     .tool_description = "d",
                     .tool_parameters = nlohmann::json::object()},
                    [](const mcp_call& call) {
                      demand(call.arguments.is_object());
                      return mcp_answer{call.folder.value_or("") + call.session.value_or(""),
                                        call.arguments.empty()};
                    }};
  constexpr std::size_t longest = 4096;
  mcp_frames frames{longest};
  std::vector<std::string> answers;
  const auto drain = [&] {
    while (const auto frame = frames.next()) {
      demand(frame->text.size() <= longest);
      if (frame->too_long) {
        answers.push_back(mcp_server::refuse_long_message());
        continue;
      }
      for (std::string& line : server.receive(frame->text)) {
        answers.push_back(std::move(line));
      }
    }
  };
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    frames.append(stream.substr(at, piece));
    drain();
  }
  frames.finish();
  drain();
  return answers;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view text{reinterpret_cast<const char*>(data) + 1, size - 1};
  const std::size_t piece = std::size_t{data[0]} + 1;
  const auto whole = answers_to(text, text.size() + 1);
  demand(whole == answers_to(text, piece));
  for (const std::string& line : whole) {
    demand(line.find('\n') == std::string::npos);
    const auto answer = nlohmann::json::parse(line, nullptr, false);
    demand(answer.is_object() && answer.contains("id")
           && answer.contains("result") != answer.contains("error"));
  }

  for (const word_choice choice : {word_choice::ranking, word_choice::search}) {
    word_index index{choice};
    index.add({text.substr(0, text.size() / 2), text.substr(text.size() / 2)});
    index.add({"alpha"});
    for (const auto& hit : index.rank(text)) {
      demand(hit.which < 2 && hit.score > 0 && hit.score <= 1.000001);
    }
  }
  return 0;
}
