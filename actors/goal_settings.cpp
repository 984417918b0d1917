#include "actors/goal_settings.hpp"

#include "core/settings/options.hpp"
#include "core/support/json_text.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace resilient {

settings_guards guards_in(const message::settings_values& values) {
  constexpr const char* key = "resilient";
  settings::settings_values read;
  read.user = parse_json_object(values.user);
  read.merged = parse_json_object(values.merged);
  // What is in force and not the user's is a project's.
  if (read.merged.contains(key)
      && (!read.user.contains(key) || read.user[key] != read.merged[key])) {
    read.project[key] = read.merged[key];
  }
  settings::resilient_options options = settings::resilient_options_in(read);
  settings_guards found;
  found.limits.max_turns = options.max_turns;
  found.limits.max_hours = options.max_hours;
  found.limits.max_tokens = options.max_tokens;
  found.limits.max_cost = options.max_cost;
  found.limits.check = options.check.value_or("");
  found.limits.on_event = options.on_event.value_or("");
  found.problems = std::move(options.problems);
  return found;
}

} // namespace resilient
