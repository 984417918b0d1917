#include "core/settings/options.hpp"

#include "core/settings/json_read.hpp"
#include "core/support/text.hpp"

#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace resilient::settings {

namespace {

/// The member, when it is there and an object. A member of another type is a problem.
std::optional<nlohmann::json> object_in(const nlohmann::json& settings, const std::string& key,
                                        std::vector<std::string>& problems) {
  const auto found = settings.find(key);
  if (found == settings.end()) {
    return std::nullopt;
  }
  if (!found->is_object()) {
    problems.push_back(fmt::format("The setting {} is not an object and was not used.", key));
    return std::nullopt;
  }
  return *found;
}

class option_reader {
public:
  option_reader(const nlohmann::json& from, std::vector<std::string>& problems)
      : from_{from}, problems_{problems} {}

  void take(const std::string& key, std::optional<std::string>& into) {
    if (const nlohmann::json* value = find(key)) {
      if (value->is_string() && !trim(value->get_ref<const std::string&>()).empty()) {
        into = value->get<std::string>();
      } else {
        refuse(key, "a string that is not empty");
      }
    }
  }

  void take(const std::string& key, std::optional<std::int64_t>& into, std::int64_t most) {
    if (const nlohmann::json* value = find(key)) {
      const auto number = whole_number(*value);
      if (number && *number <= most) {
        into = number;
      } else {
        refuse(key, fmt::format("a whole number from 1 to {}", most));
      }
    }
  }

  void take(const std::string& key, std::optional<double>& into, double most) {
    if (const nlohmann::json* value = find(key)) {
      const double number = value->is_number() ? value->get<double>() : 0;
      if (number > 0 && number <= most) {
        into = number;
      } else {
        refuse(key, fmt::format("a number above 0 and at most {:.0f}", most));
      }
    }
  }

  void name_unknown() {
    for (const auto& member : from_.items()) {
      bool known = false;
      for (const std::string& key : known_) {
        known = known || key == member.key();
      }
      if (!known) {
        problems_.push_back(
            fmt::format("The setting resilient.{} is not known and was not used.", member.key()));
      }
    }
  }

private:
  const nlohmann::json* find(const std::string& key) {
    known_.push_back(key);
    const auto found = from_.find(key);
    return found == from_.end() ? nullptr : &*found;
  }

  static std::optional<std::int64_t> whole_number(const nlohmann::json& value) {
    if (value.is_number_unsigned()) {
      const auto number = value.get<std::uint64_t>();
      if (number >= 1
          && number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        return static_cast<std::int64_t>(number);
      }
      return std::nullopt;
    }
    if (value.is_number_float()) {
      // 1e6 and 20.0 are whole numbers to whoever writes the file.
      constexpr double largest = 9007199254740992.0;
      const double number = value.get<double>();
      if (number >= 1 && number <= largest && std::trunc(number) == number) {
        return static_cast<std::int64_t>(number);
      }
    }
    return std::nullopt;
  }

  void refuse(const std::string& key, std::string_view wanted) {
    problems_.push_back(
        fmt::format("The setting resilient.{} must be {}; it was not used.", key, wanted));
  }

  const nlohmann::json& from_;
  std::vector<std::string>& problems_;
  std::vector<std::string> known_;
};

bool has_command(const nlohmann::json& canon) {
  const auto retrieval = canon.find("retrieval");
  return retrieval != canon.end() && retrieval->is_object();
}

} // namespace

result<std::optional<std::string>> canary_keyword(const settings_values& values) {
  const auto found = values.merged.find("canary");
  if (found == values.merged.end()) {
    return std::optional<std::string>{};
  }
  if (!found->is_string()) {
    return fail(error_kind::config,
                "The setting canary is {}, not a string. Set a keyword with /canary WORD.",
                found->type_name());
  }
  return std::optional{found->get<std::string>()};
}

resilient_options resilient_options_in(const settings_values& values) {
  resilient_options options;
  if (values.project.contains("resilient")) {
    options.problems.emplace_back("The setting resilient of the project was not used: commands and "
                                  "limits come from the user's settings only.");
  }
  const auto from = object_in(values.user, "resilient", options.problems);
  if (!from) {
    return options;
  }
  option_reader reader{*from, options.problems};
  reader.take("check", options.check);
  reader.take("onEvent", options.on_event);
  reader.take("maxTurns", options.max_turns, most_turns);
  reader.take("maxHours", options.max_hours, most_hours);
  reader.take("maxTokens", options.max_tokens, most_tokens);
  reader.take("maxCost", options.max_cost, most_cost);
  reader.name_unknown();
  return options;
}

canon_values canon_values_in(const settings_values& values) {
  canon_values canon;
  if (auto user = object_in(values.user, "canon", canon.problems)) {
    canon.value = *std::move(user);
  }
  auto project = object_in(values.project, "canon", canon.problems);
  if (!project) {
    return canon;
  }
  if (has_command(*project)) {
    project->erase("retrieval");
    canon.problems.emplace_back("The setting canon.retrieval of the project names a command and "
                                "was not used: set it in the user's settings.");
  }
  canon.value = merge(std::move(canon.value), *project);
  return canon;
}

} // namespace resilient::settings
