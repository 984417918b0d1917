// Any bytes as a settings file: an edit is refused or gives JSON with the value in it, and what one
// JSON parser takes the other takes too.
//
//   fuzz_settings SEEDS -max_total_time=60

#include "core/settings/json_edit.hpp"
#include "core/settings/json_read.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

void demand(bool holds) {
  if (!holds) {
    std::abort();
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace resilient::settings;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto value = read_json(text, "FILE");
  // The other parser takes a NUL byte for the end of the text.
  if (text.find('\0') == std::string_view::npos && nlohmann::json::accept(text)) {
    demand(value.has_value() || value.error().message.find("nests") != std::string::npos);
  }
  const auto edited = set_string(text, "canary", "Blue \"Canary\"", "FILE");
  demand(edited.has_value() || !value || !value->is_object());
  if (!edited) {
    return 0;
  }
  demand(has_member(*edited, "canary", "FILE").value());
  demand(set_string(*edited, "canary", "Blue \"Canary\"", "FILE").value() == *edited);
  if (value) {
    nlohmann::json expected = value->is_object() ? *value : nlohmann::json::object();
    expected["canary"] = "Blue \"Canary\"";
    demand(read_json(*edited, "FILE").value() == expected);
  }
  return 0;
}
