#include "core/canon/hook_transcript.hpp"

#include "core/canon/hook_event.hpp"
#include "core/support/json_text.hpp"
#include "core/support/text.hpp"

#include <algorithm>

namespace resilient::canon {

namespace {

/// What the line tells of the end of this call; null for anything else.
nlohmann::json output_in(std::string_view line, const std::string& id) {
  nlohmann::json data = parse_json(line);
  const auto payload = data.is_object() ? data.find("payload") : data.end();
  if (!data.is_object() || payload == data.end() || !payload->is_object()) {
    return nullptr;
  }
  const auto type = payload->find("type");
  const auto call = payload->find("call_id");
  const auto output = payload->find("output");
  const bool is_output = type != payload->end() && type->is_string()
                         && ends_with(type->get_ref<const std::string&>(), "_call_output");
  const bool is_its = call != payload->end() && *call == id;
  return is_output && is_its && output != payload->end() ? std::move(*output)
                                                         : nlohmann::json(nullptr);
}

} // namespace

bool transcript_says_failure(std::string_view transcript, const std::string& id) {
  if (id.empty()) {
    return false;
  }
  // The end of a call stands behind everything else about it.
  std::size_t before = transcript.size();
  while (before > 0) {
    const std::size_t at = transcript.substr(0, before).rfind(id);
    if (at == std::string_view::npos) {
      return false;
    }
    const std::size_t line_begin = transcript.substr(0, at).rfind('\n') + 1; // npos + 1 is 0
    const std::size_t line_end = std::min(transcript.find('\n', at), transcript.size());
    const nlohmann::json output =
        output_in(transcript.substr(line_begin, line_end - line_begin), id);
    if (!output.is_null()) {
      return says_failure(output);
    }
    before = line_begin;
  }
  return false;
}

} // namespace resilient::canon
