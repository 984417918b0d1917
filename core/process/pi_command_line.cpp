#include "core/process/pi_command_line.hpp"

#include "core/process/pi_options.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace resilient::process {

namespace {

constexpr std::string_view end_of_options = "--";
constexpr std::string_view mask = "***";

/// What one step over the arguments found: an option with its value, or a single argument.
struct token {
  std::string argument;
  std::optional<std::string> value;
  const pi_option* option = nullptr; ///< null for an unknown flag, a prompt, a file
};

bool is_prompt(const std::string& argument) {
  return !argument.starts_with('-') && !argument.starts_with('@');
}

bool takes_next(option_value rule, const std::string& next) {
  switch (rule) {
  case option_value::none:
    return false;
  case option_value::any:
    return true;
  case option_value::no_option:
    return !next.starts_with('-');
  case option_value::search_text:
    return is_prompt(next);
  case option_value::prompt:
    return is_prompt(next) || next.starts_with("---");
  }
  return false;
}

/// The tokens up to a `--`, and how many arguments they are.
struct token_list {
  std::vector<token> tokens;
  std::size_t length = 0;
};

/// Splits the arguments before a `--` into options and the rest, as Pi does.
token_list tokenize(const std::vector<std::string>& arguments, const pi_version& version) {
  std::vector<token> tokens;
  std::size_t index = 0;
  for (; index < arguments.size() && arguments[index] != end_of_options; ++index) {
    token next{arguments[index], std::nullopt, find_option(arguments[index], version)};
    const bool has_next = index + 1 < arguments.size();
    const bool is_unknown_flag = next.option == nullptr && next.argument.starts_with("--")
                                 && next.argument.find('=') == std::string::npos;
    const auto rule = next.option != nullptr ? next.option->value
                      : is_unknown_flag      ? option_value::search_text
                                             : option_value::none;
    if (has_next && takes_next(rule, arguments[index + 1])) {
      next.value = arguments[++index];
    }
    tokens.push_back(std::move(next));
  }
  return {std::move(tokens), index};
}

/// Pi sees an option that needs a value and has none as an unknown flag.
option_effect effect_of(const token& token) {
  if (token.option == nullptr) {
    return option_effect::other;
  }
  const bool needs_value =
      token.option->value == option_value::any || token.option->value == option_value::no_option;
  return needs_value && !token.value ? option_effect::other : token.option->effect;
}

/// Options of which Pi obeys the last one, if it is not empty, wherever it stands.
struct last_values {
  std::string exported;
  std::string session;
  std::string session_id;
  std::string fork;
  bool latest = false;
  bool pick = false;
};

bool names_a_path(const std::string& session) {
  return session.find_first_of("/\\") != std::string::npos || session.ends_with(".jsonl");
}

void choose_session(const last_values& given, command_line& line) {
  const auto choose = [&line](session_choice choice, const std::string& value) {
    line.session = choice;
    line.session_value = value;
  };
  if (!given.fork.empty()) {
    choose(session_choice::fork, given.fork);
    if (!given.session_id.empty()) {
      line.fork_id = given.session_id;
    }
  } else if (!given.session.empty()) {
    choose(names_a_path(given.session) ? session_choice::file : session_choice::id_start,
           given.session);
  } else if (given.pick) {
    choose(session_choice::pick, "");
  } else if (given.latest) {
    choose(session_choice::latest, "");
  } else if (!given.session_id.empty()) {
    choose(session_choice::exact_id, given.session_id);
  }
}

void set_mode(const std::vector<token>& tokens, command_line& line) {
  bool print = false;
  std::string mode;
  for (const auto& token : tokens) {
    if (effect_of(token) == option_effect::print) {
      print = true;
    } else if (effect_of(token) == option_effect::mode
               && (*token.value == "text" || *token.value == "json" || *token.value == "rpc")) {
      mode = *token.value;
    }
  }
  line.mode = mode == "rpc"    ? pi_mode::rpc
              : mode == "json" ? pi_mode::json
              : print          ? pi_mode::print
                               : pi_mode::terminal;
}

/// Whether a token belongs on the command line of a later start.
bool is_for_restart(const token& token) {
  switch (effect_of(token)) {
  case option_effect::session:
  case option_effect::session_id:
  case option_effect::fork:
  case option_effect::latest:
  case option_effect::pick:
  case option_effect::name:
    return false;
  default:
    return token.argument.starts_with('-');
  }
}

void read_token(const token& token, last_values& last, command_line& line) {
  switch (effect_of(token)) {
  case option_effect::informs:
    line.is_session = false;
    line.not_a_session_because = token.argument;
    break;
  case option_effect::exports:
    last.exported = *token.value;
    break;
  case option_effect::print:
    if (token.value) {
      line.prompts.push_back(*token.value);
    }
    break;
  case option_effect::no_session:
    line.no_session = true;
    break;
  case option_effect::session:
    last.session = *token.value;
    break;
  case option_effect::session_id:
    last.session_id = *token.value;
    break;
  case option_effect::fork:
    last.fork = *token.value;
    break;
  case option_effect::latest:
    last.latest = true;
    break;
  case option_effect::pick:
    last.pick = true;
    break;
  case option_effect::session_dir:
    line.session_dir = *token.value;
    break;
  case option_effect::approve:
    line.project_trust = true;
    break;
  case option_effect::no_approve:
    line.project_trust = false;
    break;
  case option_effect::other:
  case option_effect::mode:
  case option_effect::name:
  case option_effect::credential:
    if (token.argument.starts_with('@')) {
      line.files.push_back(token.argument.substr(1));
    } else if (is_prompt(token.argument)) {
      line.prompts.push_back(token.argument);
    }
    break;
  }
}

/// Takes over what follows the `--` at `end`: prompts and files only.
result<void> read_after_end_of_options(const std::vector<std::string>& arguments, std::size_t end,
                                       const pi_version& version, command_line& line) {
  if (end == arguments.size()) {
    return {};
  }
  const auto marker = arguments.begin() + static_cast<std::ptrdiff_t>(end);
  for (auto argument = marker + 1; argument != arguments.end(); ++argument) {
    if (argument->starts_with('@')) {
      line.files.push_back(argument->substr(1));
    } else {
      if (argument->starts_with('-') && !knows_end_of_options(version)) {
        return fail(error_kind::usage,
                    "Pi {} cannot take the prompt \"{}\": it has no -- to end its options, and "
                    "would read a prompt that starts with a dash as an option. Start the prompt "
                    "with another character.",
                    to_string(version), *argument);
      }
      line.prompts.push_back(*argument);
    }
  }
  return {};
}

/// Takes the `--` at `end` out of the first start, for a version that does not know it.
void drop_end_of_options(std::size_t end, const token& last_option, command_line& line) {
  const auto marker = line.first_start.begin() + static_cast<std::ptrdiff_t>(end);
  const auto rest = line.first_start.erase(marker);
  if (last_option.argument.starts_with('-') && !last_option.value) {
    // Without the marker, this flag would take the first prompt as its value.
    std::rotate(rest - 1, rest, line.first_start.end());
  }
}

bool speaks_of_credentials(std::string_view flag) {
  constexpr std::array<std::string_view, 6> words{"key",      "token",      "secret",
                                                  "password", "credential", "bearer"};
  std::string lower(flag.substr(0, flag.find('=')));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return std::any_of(words.begin(), words.end(), [&lower](std::string_view word) {
    return lower.find(word) != std::string::npos;
  });
}

} // namespace

const char* to_string(pi_mode mode) noexcept {
  switch (mode) {
  case pi_mode::terminal:
    return "terminal";
  case pi_mode::print:
    return "print";
  case pi_mode::json:
    return "json";
  case pi_mode::rpc:
    return "rpc";
  }
  return "unknown";
}

const char* to_string(session_choice choice) noexcept {
  switch (choice) {
  case session_choice::fresh:
    return "fresh";
  case session_choice::file:
    return "file";
  case session_choice::id_start:
    return "id_start";
  case session_choice::exact_id:
    return "exact_id";
  case session_choice::latest:
    return "latest";
  case session_choice::pick:
    return "pick";
  case session_choice::fork:
    return "fork";
  }
  return "unknown";
}

pi_mode mode_on(pi_mode requested, bool has_terminal) noexcept {
  return requested == pi_mode::terminal && !has_terminal ? pi_mode::print : requested;
}

result<command_line> parse_command_line(const std::vector<std::string>& arguments,
                                        const pi_version& version) {
  command_line line;
  line.first_start = arguments;
  line.masked = mask_credentials(arguments, version);
  const auto subcommands = subcommands_of(version);
  if (!arguments.empty()
      && std::any_of(subcommands.begin(), subcommands.end(), [&](const pi_subcommand& subcommand) {
           return subcommand.name == arguments.front();
         })) {
    line.is_session = false;
    line.not_a_session_because = arguments.front();
    return line;
  }
  const auto [tokens, end] = tokenize(arguments, version);
  last_values last;
  for (const auto& token : tokens) {
    read_token(token, last, line);
    if (is_for_restart(token)) {
      line.restart.push_back(token.argument);
      if (token.value && effect_of(token) != option_effect::print) {
        line.restart.push_back(*token.value);
      }
    }
  }
  if (!last.exported.empty()) {
    line.is_session = false;
    line.not_a_session_because = "--export";
  }
  choose_session(last, line);
  set_mode(tokens, line);
  if (auto rest = read_after_end_of_options(arguments, end, version, line); !rest) {
    return tl::unexpected(rest.error());
  }
  if (end < arguments.size() && !knows_end_of_options(version)) {
    drop_end_of_options(end, tokens.empty() ? token{} : tokens.back(), line);
  }
  return line;
}

std::vector<std::string> mask_credentials(const std::vector<std::string>& arguments,
                                          const pi_version& version) {
  std::vector<std::string> masked;
  const auto [tokens, end] = tokenize(arguments, version);
  for (const auto& token : tokens) {
    const bool is_flag = token.argument.starts_with("--");
    const bool is_secret =
        (token.option != nullptr && token.option->effect == option_effect::credential)
        || (is_flag && token.option == nullptr && speaks_of_credentials(token.argument));
    const auto equals = token.argument.find('=');
    masked.push_back(is_secret && equals != std::string::npos
                         ? token.argument.substr(0, equals + 1) + std::string(mask)
                         : token.argument);
    if (token.value) {
      masked.push_back(is_secret ? std::string(mask) : *token.value);
    }
  }
  masked.insert(masked.end(), arguments.begin() + static_cast<std::ptrdiff_t>(end),
                arguments.end());
  return masked;
}

} // namespace resilient::process
