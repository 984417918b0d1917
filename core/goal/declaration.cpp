#include "core/goal/declaration.hpp"

#include "core/support/text.hpp"

namespace resilient::goal {

namespace {

constexpr std::string_view usage = "Write /goal --check 'COMMAND' -- TEXT.";
constexpr std::string_view budgets = " Budgets are given to pi-resilient as --max-turns, "
                                     "--max-hours, --max-tokens and --max-cost, or "
                                     "stand in settings.json.";
constexpr std::size_t separator_size = 4;
constexpr std::size_t longest_shown_option = 60;

bool is_blank(std::string_view text, std::size_t at) {
  return at < text.size() && std::string_view{" \n\t\r"}.find(text[at]) != std::string_view::npos;
}

/// Whether `--` stands at `at` with a blank or a line end on either side.
bool separates(std::string_view text, std::size_t at) {
  return is_blank(text, at) && starts_with(text.substr(at + 1), "--") && is_blank(text, at + 3);
}

/// Takes a quoted text off `rest`, which begins with the quote.
result<std::string> take_quoted(std::string_view& rest) {
  const char quote = rest.front();
  std::string text;
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] == quote) {
      rest.remove_prefix(at + 1);
      return text;
    }
    if (quote == '"' && rest[at] == '\\' && at + 1 < rest.size()) {
      ++at;
    }
    text += rest[at];
  }
  return fail(error_kind::usage, "The command of --check has no closing quote. {}", usage);
}

result<std::string> take_command(std::string_view& rest) {
  if (!rest.empty() && (rest.front() == '\'' || rest.front() == '"')) {
    return take_quoted(rest);
  }
  std::size_t end = 0;
  while (end < rest.size() && !separates(rest, end)) {
    ++end;
  }
  if (end == rest.size()) {
    return fail(error_kind::usage, "--check needs a command and a goal. {}", usage);
  }
  std::string text{trim(rest.substr(0, end))};
  rest.remove_prefix(end);
  return text;
}

} // namespace

result<declaration> parse_declaration(std::string_view arguments) {
  constexpr std::string_view check_option = "--check";
  declaration found;
  std::string_view rest = arguments;
  if (!starts_with(rest, "--")) {
    found.objective = std::string{trim(rest)};
    return found;
  }
  if (starts_with(rest, "--") && is_blank(rest, 2)) {
    rest.remove_prefix(2);
    found.objective = std::string{trim(rest)};
  } else if (starts_with(rest, check_option) && rest.size() > check_option.size()
             && (is_blank(rest, check_option.size()) || rest[check_option.size()] == '=')) {
    rest = rest.substr(check_option.size() + 1);
    while (is_blank(rest, 0)) {
      rest.remove_prefix(1);
    }
    auto command = take_command(rest);
    if (!command) {
      return tl::unexpected{command.error()};
    }
    found.check = *std::move(command);
    if (!separates(rest, 0)) {
      return fail(error_kind::usage,
                  "Between the command of --check and the goal must stand --. {}", usage);
    }
    rest.remove_prefix(separator_size);
    found.objective = std::string{trim(rest)};
    if (trim(found.check).empty()) {
      return fail(error_kind::usage, "The command of --check is empty. {}", usage);
    }
  } else {
    const std::string_view option = rest.substr(0, rest.find_first_of("= \t\r\n"));
    return fail(error_kind::usage,
                "/goal has no option {}, only --check. {}{} A goal that begins with -- is written "
                "/goal -- TEXT.",
                utf16_prefix(option, longest_shown_option), usage,
                starts_with(option, "--max-") ? budgets : "");
  }
  if (found.objective.empty()) {
    return fail(error_kind::usage, "The goal is empty. {}", usage);
  }
  return found;
}

} // namespace resilient::goal
