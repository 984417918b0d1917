#pragma once

#include "core/settings/settings_file.hpp"
#include "core/support/error.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace resilient::settings {

/// The canary keyword as it stands in the settings in force; nothing when the key is absent. Only a
/// string is one: any other value fails with `config`. Whether it is usable is canary's to judge.
[[nodiscard]] result<std::optional<std::string>> canary_keyword(const settings_values& values);

/// The largest budgets that are taken: more than any goal uses, and far from where counting would
/// overflow. Beyond them a number is rather a slip than a budget.
inline constexpr std::int64_t most_turns = 1'000'000'000;
inline constexpr double most_hours = 1e6;
inline constexpr std::int64_t most_tokens = 1'000'000'000'000'000;
inline constexpr double most_cost = 1e9;

/// What the object `resilient` of the user's settings says. It holds commands and spending limits,
/// so a project's settings have no say in it.
struct resilient_options {
  std::optional<std::string> check;       ///< `check`: command that accepts a completion
  std::optional<std::string> on_event;    ///< `onEvent`: command that gets events for people
  std::optional<std::int64_t> max_turns;  ///< `maxTurns`, from 1 to `most_turns`
  std::optional<double> max_hours;        ///< `maxHours`, above 0, up to `most_hours`
  std::optional<std::int64_t> max_tokens; ///< `maxTokens`, from 1 to `most_tokens`
  std::optional<double> max_cost;         ///< `maxCost`, above 0, up to `most_cost`; dollars
  /// One sentence for each key that was not used: unknown, wrong type, or set by a project.
  std::vector<std::string> problems;
};
[[nodiscard]] resilient_options resilient_options_in(const settings_values& values);

/// The object `canon`, a trusted project's laid on the user's. A `retrieval` that is an object
/// names a command, so a project's is dropped and named in `problems`, and never merged into the
/// user's.
struct canon_values {
  nlohmann::json value = nlohmann::json::object();
  std::vector<std::string> problems;
};
[[nodiscard]] canon_values canon_values_in(const settings_values& values);

} // namespace resilient::settings
