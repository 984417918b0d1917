#include "core/canon/arguments.hpp"

#include "core/support/nearest.hpp"
#include "core/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace resilient::canon {

using nlohmann::json;

std::optional<std::string> string_argument(const json& arguments, const char* name) {
  const auto found = arguments.find(name);
  return found != arguments.end() && found->is_string()
             ? std::optional<std::string>(found->get<std::string>())
             : std::nullopt;
}

result<std::optional<std::string>> optional_string_argument(const json& arguments,
                                                            const char* name) {
  const auto found = arguments.find(name);
  if (found == arguments.end() || found->is_null() || *found == false || *found == 0) {
    return std::optional<std::string>();
  }
  if (!found->is_string()) {
    return fail(error_kind::usage, "The argument {} must be a string, not {}. Nothing was written.",
                name, found->type_name());
  }
  const std::string& text = found->get_ref<const std::string&>();
  return trim(text).empty() ? std::optional<std::string>() : std::optional<std::string>(text);
}

const std::vector<std::string>& argument_names() {
  static const std::vector<std::string> names{"action",  "path",  "body",    "capsule", "query",
                                              "journal", "scope", "subject", "slug"};
  return names;
}

std::optional<std::string> unknown_arguments(const json& arguments) {
  constexpr std::size_t most = 4;
  constexpr std::size_t longest = 40;
  const std::vector<std::string>& known = argument_names();
  std::vector<std::string> unknown;
  std::vector<std::string> meant;
  for (const auto& [name, value] : arguments.items()) {
    if (starts_with(name, "_") || std::find(known.begin(), known.end(), name) != known.end()
        || unknown.size() == most) {
      continue;
    }
    unknown.push_back(fmt::format("\"{}\"", utf16_prefix(name, longest)));
    const auto guess = nearest(name, known);
    if (guess && !arguments.contains(*guess)) {
      meant.push_back(*guess);
    }
  }
  if (unknown.empty()) {
    return std::nullopt;
  }
  return fmt::format("There is no argument {}. {}", fmt::join(unknown, ", "),
                     meant.empty() ? fmt::format("The arguments are {}.", fmt::join(known, ", "))
                                   : fmt::format("Did you mean {}?", fmt::join(meant, ", ")));
}

result<located> asset_argument(const json& arguments, const places& where) {
  const auto path = string_argument(arguments, "path");
  if (!path) {
    return fail(error_kind::usage,
                "needs a path: the asset's path or address, such as src/core/config.");
  }
  const located target = where.locate(*path);
  if (target.address.empty()) {
    return fail(error_kind::usage,
                "needs a path that names something in the project, such as src/core/config; \"{}\" "
                "does not.",
                *path);
  }
  if (target.address.find('\0') != std::string::npos) {
    return fail(error_kind::usage, "needs a path without NUL bytes; no file can have such a name.");
  }
  return target;
}

std::string day_text(wall_time when) {
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(when));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

std::string instant_text(wall_time when) {
  const auto midnight = std::chrono::floor<std::chrono::days>(when);
  const auto rest = (when - midnight).count();
  constexpr std::int64_t second = 1000;
  constexpr std::int64_t minute = 60 * second;
  constexpr std::int64_t hour = 60 * minute;
  return fmt::format("{}T{:02}:{:02}:{:02}.{:03}Z", day_text(when), rest / hour,
                     rest % hour / minute, rest % minute / second, rest % second);
}

} // namespace resilient::canon
