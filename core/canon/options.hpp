#pragma once

#include "core/support/error.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

/// A program that ranks articles by relevance: one JSON line in, one JSON line out.
struct custom_retriever {
  std::string name;
  std::vector<std::string> command; ///< program and arguments, never empty

  [[nodiscard]] bool operator==(const custom_retriever&) const = default;
};

enum class retrieval_kind : std::uint8_t { none, lexical, custom };

/// The six options; there is no seventh.
struct options {
  std::string root;      ///< folder of the project's store; empty: `<project>/.canon`
  bool surface = true;   ///< capsules arrive on touch
  bool resurface = true; ///< again, once they left the context
  retrieval_kind retrieval = retrieval_kind::none;
  std::optional<custom_retriever> retriever; ///< with `retrieval_kind::custom`
  double standout = 1.4;                     ///< how far the best match must stand out
  std::vector<std::string> mounts;           ///< folders of other projects

  [[nodiscard]] bool operator==(const options&) const = default;
};

/// Who wrote a set of options: not every key may come from everywhere.
enum class options_source : std::uint8_t {
  user_file,       ///< canon's own settings file: the four behaviour keys
  pi_user,         ///< `canon` in the user's Pi settings: all six
  trusted_project, ///< `canon` in a trusted project's Pi settings: all six, no command to start
  caller,          ///< command line and embedding programs: all six
};

/// `base` with the keys of `value` (a JSON object) laid over it. Fails with one sentence for each
/// key that is unknown, not allowed from that source, or of the wrong type or range.
[[nodiscard]] result<options> merge_options(const options& base, const nlohmann::json& value,
                                            options_source source);

/// The same from the text of a settings file. An empty text counts as `{}`; a BOM is skipped.
[[nodiscard]] result<options> parse_options(const options& base, std::string_view text,
                                            options_source source);

/// Whether a user's settings say that nothing shall surface, also where another of their keys is
/// wrong: what was turned off stays off.
[[nodiscard]] bool turns_surfacing_off(const nlohmann::json& value);
[[nodiscard]] bool settings_file_turns_surfacing_off(std::string_view text);

/// The text of a settings file with one key set, two blanks of indentation, the other keys as they
/// were. `value` is as a person types it: `on`, `off`, `lexical`, `1.8`. Fails as `merge_options`
/// does, and then nothing should be saved.
[[nodiscard]] result<std::string> set_option(std::string_view text, const std::string& key,
                                             const std::string& value);

/// What a person sees of one option: `on`, `lexical`, `1.4`.
[[nodiscard]] result<std::string> show_option(const options& values, const std::string& key);

/// The names of the six options in the order of the documentation.
[[nodiscard]] const std::vector<std::string>& option_keys();

} // namespace resilient::canon
