#include "launcher/arguments/argument_rules.hpp"

#include "core/support/json_text.hpp"

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace resilient::launcher {

namespace {

constexpr std::size_t longest_shown_value = 80;

/// On one line, whatever was typed.
std::string quoted(const std::string& value) {
  std::string shown = json_line(nlohmann::json(value));
  if (shown.size() <= longest_shown_value) {
    return shown;
  }
  return "a text of " + std::to_string(value.size()) + " bytes";
}

/// "on or off", "a, b or c"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t at = 0; at < names.size(); ++at) {
    text += at == 0 ? "" : at + 1 == names.size() ? " or " : ", ";
    text += names[at];
  }
  return text;
}

/// The option that a message of CLI11 is about: the longest name in it.
const CLI::Option* option_named_in(const std::string& message, const CLI::App& parsed) {
  const CLI::Option* found = nullptr;
  std::size_t length = 0;
  for (const CLI::App* app = &parsed; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      const std::string name = option->get_name();
      if (name.size() > length && message.find(name) != std::string::npos) {
        found = option;
        length = name.size();
      }
    }
  }
  return found;
}

} // namespace

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  return problem == std::errc{} && stop == end ? std::optional{number} : std::nullopt;
}

std::optional<double> real_number(std::string_view text) {
  // Neither blanks, nor nan, inf and hexadecimal digits, which strtod would take.
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) {
    return std::nullopt;
  }
  const std::string whole{text};
  char* end = nullptr;
  const double number = std::strtod(whole.c_str(), &end);
  return *end == 0 && std::isfinite(number) ? std::optional{number} : std::nullopt;
}

CLI::Option* argument_rules::add(CLI::Option* option, std::string allowed, judge accepts) {
  rules_.push_back({option, std::move(allowed), std::move(accepts)});
  return option;
}

CLI::Option* argument_rules::add_one_of(CLI::Option* option, std::vector<std::string> allowed) {
  std::string text = listed(allowed);
  return add(option, std::move(text), [names = std::move(allowed)](const std::string& value) {
    return std::find(names.begin(), names.end(), value) != names.end();
  });
}

std::optional<std::string> argument_rules::refused_value() const {
  for (const rule& each : rules_) {
    for (const std::string& value : each.option->results()) {
      if (is_option_name(value)) {
        return fmt::format("{} needs a value before {}: {}.", each.option->get_name(), value,
                           each.allowed);
      }
      if (each.accepts && !each.accepts(value)) {
        return fmt::format("{} must be {}, not {}.", each.option->get_name(), each.allowed,
                           quoted(value));
      }
    }
  }
  return std::nullopt;
}

std::string argument_rules::sentence_for(const CLI::App& parsed, const CLI::Error& wrong) const {
  if (wrong.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    return "Only one command can be given.";
  }
  const CLI::Option* const option = option_named_in(wrong.what(), parsed);
  if (option == nullptr) {
    return "The command line cannot be read.";
  }
  const std::string name = option->get_name();
  if (option->get_items_expected_max() == 0) {
    return fmt::format("{} takes no value.", name);
  }
  const rule* const known = rule_of(option);
  if (option->count() > 1) {
    return fmt::format("{} is given {} times, and can be given once.", name, option->count());
  }
  return known == nullptr ? fmt::format("{} needs a value.", name)
                          : fmt::format("{} needs a value: {}.", name, known->allowed);
}

const argument_rules::rule* argument_rules::rule_of(const CLI::Option* option) const {
  const auto found = std::find_if(rules_.begin(), rules_.end(),
                                  [&](const rule& each) { return each.option == option; });
  return found == rules_.end() ? nullptr : &*found;
}

bool argument_rules::is_option_name(const std::string& value) const {
  return value.size() > 2 && value.compare(0, 2, "--") == 0
         && std::any_of(rules_.begin(), rules_.end(), [&](const rule& each) {
              return each.option->check_lname(value.substr(2));
            });
}

} // namespace resilient::launcher
