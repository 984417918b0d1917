#include "core/canon/mcp.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>

// Any line as a frame of the MCP server: every answer is one JSON object on one line, and the tool
// is only called with an object.
//
// Seeds: tests/fuzz/corpus/canon_frames.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace resilient::canon;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  mcp_server server({"1", "instructions", "description", nlohmann::json::object()},
                    [&](const mcp_call& call) {
                      if (!call.arguments.is_object()) {
                        std::abort();
                      }
                      return mcp_answer{bytes, false};
                    });
  for (const std::string& answer : server.receive(bytes)) {
    const auto parsed = nlohmann::json::parse(answer, nullptr, false);
    const bool is_answer = parsed.is_object() || parsed.is_array();
    if (!is_answer || answer.find('\n') != std::string::npos) {
      std::abort();
    }
  }
  return 0;
}
