#include "core/process/pi_options.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace resilient::process {

namespace {

using enum option_value;
using effect = option_effect;

constexpr pi_version with_auth_command{0, 83, 0};
constexpr pi_version with_tui_mode{0, 84, 0};
constexpr pi_version with_use_theme{0, 84, 2};
constexpr pi_version with_end_of_options{0, 84, 3};
constexpr pi_version with_strict_mode{0, 87, 1};
constexpr pi_version with_mcp_command{0, 99, 0};
constexpr pi_version with_no_mcp{1, 0, 4};

constexpr auto all_options = std::to_array<pi_option>({
    {"--help", "-h", none, effect::informs},
    {"--version", "-v", none, effect::informs},
    {"--list-models", "", search_text, effect::informs},
    {"--export", "", any, effect::exports},
    {"--print", "-p", prompt, effect::print},
    {"--mode", "", any, effect::mode, oldest_supported_pi, with_strict_mode},
    {"--mode", "", no_option, effect::mode, with_strict_mode},
    {"--continue", "-c", none, effect::latest},
    {"--resume", "-r", none, effect::pick},
    {"--session", "", any, effect::session},
    {"--session-id", "", any, effect::session_id},
    {"--fork", "", any, effect::fork},
    {"--session-dir", "", any, effect::session_dir},
    {"--no-session", "", none, effect::no_session},
    {"--name", "-n", any, effect::name},
    {"--api-key", "", any, effect::credential},
    {"--approve", "-a", none, effect::approve},
    {"--no-approve", "-na", none, effect::no_approve},
    {"--provider", "", any},
    {"--model", "", any},
    {"--models", "", any},
    {"--thinking", "", any},
    {"--system-prompt", "", any},
    {"--append-system-prompt", "", any},
    {"--tools", "-t", any},
    {"--exclude-tools", "-xt", any},
    {"--no-tools", "-nt", none},
    {"--no-builtin-tools", "-nbt", none},
    {"--extension", "-e", any},
    {"--no-extensions", "-ne", none},
    {"--no-mcp", "", none, effect::other, with_no_mcp},
    {"--skill", "", any},
    {"--no-skills", "-ns", none},
    {"--prompt-template", "", any},
    {"--no-prompt-templates", "-np", none},
    {"--theme", "", any},
    {"--use-theme", "", no_option, effect::other, with_use_theme},
    {"--no-themes", "", none},
    {"--no-context-files", "-nc", none},
    {"--tui-mode", "", no_option, effect::other, with_tui_mode},
    {"--verbose", "", none},
    {"--offline", "", none},
});

constexpr auto all_subcommands = std::to_array<pi_subcommand>({
    {"install"},
    {"remove"},
    {"uninstall"},
    {"update"},
    {"list"},
    {"config"},
    {"auth", with_auth_command},
    {"mcp", with_mcp_command},
});

bool is_known(const pi_option& option, const pi_version& version) {
  return version >= option.since && version < option.until;
}

} // namespace

std::vector<pi_option> options_of(const pi_version& version) {
  std::vector<pi_option> known;
  std::copy_if(all_options.begin(), all_options.end(), std::back_inserter(known),
               [&](const pi_option& option) { return is_known(option, version); });
  return known;
}

const pi_option* find_option(std::string_view argument, const pi_version& version) {
  const auto* found =
      std::find_if(all_options.begin(), all_options.end(), [&](const pi_option& option) {
        return is_known(option, version)
               && (argument == option.name || (!option.alias.empty() && argument == option.alias));
      });
  return found == all_options.end() ? nullptr : found;
}

std::vector<pi_subcommand> subcommands_of(const pi_version& version) {
  std::vector<pi_subcommand> known;
  std::copy_if(all_subcommands.begin(), all_subcommands.end(), std::back_inserter(known),
               [&](const pi_subcommand& subcommand) { return version >= subcommand.since; });
  return known;
}

bool knows_end_of_options(const pi_version& version) {
  return version >= with_end_of_options;
}

} // namespace resilient::process
