#include "core/canon/layered_options.hpp"

#include "core/support/json_text.hpp"
#include "core/support/text.hpp"

#include <utility>

namespace resilient::canon {

namespace {

constexpr const char* surface = "surface";
constexpr std::string_view mark = "\xEF\xBB\xBF";

nlohmann::json object_in(std::string_view text) {
  return parse_json(starts_with(text, mark) ? text.substr(mark.size()) : text);
}

class layers {
public:
  /// Lays `merged` over what is there; `said` names the options that the file decides.
  void lay(const std::string& file, result<options> merged, const nlohmann::json& said) {
    if (!merged) {
      laid.problems.emplace_back(file, merged.error().message);
      return;
    }
    laid.values = std::move(*merged);
    if (said.is_object()) {
      for (const auto& [key, value] : said.items()) {
        laid.decided_by[key] = file;
      }
    }
  }

  void turn_off(const std::string& file) {
    laid.values.surface = false;
    laid.decided_by[surface] = file;
  }

  layered_options laid;
};

} // namespace

layered_options lay_options(const std::string& own, const result<std::string>& text,
                            const std::vector<options_layer>& of_pi) {
  layers all;
  if (!text) {
    all.lay(own, tl::unexpected{text.error()}, {});
  } else if (!text->empty()) {
    all.lay(own, parse_options({}, *text, options_source::user_file), object_in(*text));
  }
  for (const options_layer& each : of_pi) {
    if (!each.value.empty()) {
      all.lay(each.file, merge_options(all.laid.values, each.value, each.source), each.value);
    }
  }
  if (text && settings_file_turns_surfacing_off(*text)) {
    all.turn_off(own);
  }
  for (const options_layer& each : of_pi) {
    if (each.source == options_source::pi_user && turns_surfacing_off(each.value)) {
      all.turn_off(each.file);
    }
  }
  return std::move(all.laid);
}

} // namespace resilient::canon
