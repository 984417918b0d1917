#include "core/support/json_text.hpp"

namespace resilient {

bool nests_too_deep(std::string_view text) noexcept {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > most_json_nesting) {
        return true;
      }
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

nlohmann::json parse_json(std::string_view text) {
  if (nests_too_deep(text)) {
    return nlohmann::json(nlohmann::json::value_t::discarded);
  }
  return nlohmann::json::parse(text, nullptr, false);
}

nlohmann::json parse_json_object(std::string_view text) {
  nlohmann::json data = parse_json(text);
  return data.is_object() ? data : nlohmann::json::object();
}

const nlohmann::json& json_member(const nlohmann::json& value, const char* key) {
  static const nlohmann::json none;
  if (!value.is_object()) {
    return none;
  }
  const auto found = value.find(key);
  return found == value.end() ? none : *found;
}

} // namespace resilient
