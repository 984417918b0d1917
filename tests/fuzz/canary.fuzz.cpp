// Any bytes as keyword, message and stored state: no judgement fails, and a state that was read can
// be written and read again.
//
//   fuzz_canary SEEDS -max_total_time=60

#include "core/canary/keyword.hpp"
#include "core/canary/prefix.hpp"
#include "core/canary/recovery.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

void demand(bool holds) {
  if (!holds) {
    std::abort();
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace resilient::canary;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const std::size_t half = size / 2;

  if (const auto keyword = check_keyword(text.substr(0, half))) {
    demand(check_keyword(*keyword).value() == *keyword);
    demand(check_prefix(prefix_of(*keyword) + "x", *keyword) == prefix_check::kept);
    assistant_message message;
    message.text = text.substr(half);
    message.stop = "stop";
    demand((classify(message, *keyword) == event::handover)
           == (judge_handover(message, *keyword) == handover_flaw::none));
  }

  const nlohmann::json record = nlohmann::json::parse(text, nullptr, false);
  if (!record.is_discarded()) {
    const recovery_state state = recovery_state_from(record);
    demand(recovery_state_from(to_json(state)) == state);
  }
  return 0;
}
