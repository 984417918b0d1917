// Prints, as JSON, what is known about the command line of one version of Pi, and how each of the
// given argument lists is read. The end-to-end tests compare both with the real Pi.
//
//   print_pi_command_line VERSION < LISTS      LISTS: one JSON array of arguments a line

#include "core/process/pi_command_line.hpp"
#include "core/process/pi_options.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

using namespace resilient::process;
using nlohmann::json;

namespace {

json table_of(const pi_version& version) {
  json options = json::array();
  for (const auto& option : options_of(version)) {
    options.push_back({{"name", option.name},
                       {"alias", option.alias},
                       {"takesValue", option.value != option_value::none}});
  }
  json subcommands = json::array();
  for (const auto& subcommand : subcommands_of(version)) {
    subcommands.push_back(subcommand.name);
  }
  return {{"options", options},
          {"subcommands", subcommands},
          {"endOfOptions", knows_end_of_options(version)}};
}

json reading_of(const std::vector<std::string>& arguments, const pi_version& version) {
  const auto line = parse_command_line(arguments, version);
  if (!line) {
    return {{"error", line.error().message}};
  }
  return {{"isSession", line->is_session},
          {"mode", to_string(line->mode)},
          {"session", to_string(line->session)},
          {"sessionValue", line->session_value},
          {"noSession", line->no_session},
          {"prompts", line->prompts},
          {"files", line->files},
          {"firstStart", line->first_start},
          {"restart", line->restart}};
}

} // namespace

int main(int argument_count, char** argument_values) {
  const auto version = argument_count == 2 ? parse_pi_version(argument_values[1]) : std::nullopt;
  if (!version) {
    std::cerr << "usage: print_pi_command_line VERSION < LISTS\n";
    return 64;
  }
  std::cout << table_of(*version).dump() << '\n';
  for (std::string text; std::getline(std::cin, text);) {
    std::cout << reading_of(json::parse(text).get<std::vector<std::string>>(), *version).dump()
              << '\n';
  }
}
