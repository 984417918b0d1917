#include "core/canon/hook_event.hpp"
#include "core/canon/hook_state.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

// Any bytes as the event of a hook and as the state of a session: an event that is read has a name,
// and a state that is written again reads the same.
//
// Seeds: tests/core/canon/recorded_hooks.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace resilient::canon;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  if (const auto event = parse_hook_event(bytes); event && event->name.empty()) {
    std::abort();
  }
  const hook_state state = parse_hook_state(bytes);
  if (!(parse_hook_state(compose_hook_state(state)) == state)) {
    std::abort();
  }
  return 0;
}
