#include "core/canon/arguments.hpp"
#include "core/canon/hook.hpp"
#include "core/support/descriptor.hpp"
#include "core/support/json_text.hpp"
#include "core/support/nearest.hpp"
#include "launcher/arguments/argument_rules.hpp"
#include "launcher/canon/commands.hpp"
#include "launcher/canon/examples.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

using namespace resilient::canon;
using resilient::launcher::argument_rules;

namespace {

/// The flags of the tool's parameters, as far as a command takes them.
struct tool_flags {
  std::string path;
  std::string body;
  std::string capsule;
  std::string scope;
  std::vector<std::string> subjects;
  std::string slug;
  std::vector<std::string> query;
  bool journal = false;
  bool json = false;
};

[[nodiscard]] resilient::result<std::string> whole_input() {
  return resilient::read_all(STDIN_FILENO, longest_file, "stdin");
}

/// `action` with the flags that were given as its arguments.
[[nodiscard]] resilient::result<nlohmann::json> arguments_of(const CLI::App& command,
                                                             const tool_flags& flags) {
  nlohmann::json arguments{{"action", command.get_name()}};
  const auto put = [&](const char* key, const std::string& value) {
    const CLI::Option* option = command.get_option_no_throw(std::string{"--"} + key);
    if (option != nullptr && option->count() > 0) {
      arguments[key] = value;
    }
  };
  put("path", flags.path);
  if (flags.body == "-") {
    auto body = whole_input();
    if (!body) {
      return tl::unexpected{std::move(body.error())};
    }
    put("body", *body);
  } else {
    put("body", flags.body);
  }
  put("capsule", flags.capsule);
  put("scope", flags.scope);
  put("slug", flags.slug);
  if (!flags.subjects.empty()) {
    arguments["subject"] = flags.subjects;
  }
  std::string words;
  for (const std::string& word : flags.query) {
    words += (words.empty() ? "" : " ") + word;
  }
  put("query", words);
  if (flags.journal) {
    arguments["journal"] = true;
  }
  return arguments;
}

/// The arguments that stdin holds; nothing, with a message, when it holds something else.
[[nodiscard]] std::optional<nlohmann::json> arguments_from_input(const std::string& action) {
  const auto input = whole_input();
  if (!input) {
    print_error("canon: " + input.error().message);
    return std::nullopt;
  }
  nlohmann::json arguments = resilient::parse_json(*input);
  if (!arguments.is_object()) {
    print_error("canon: --json expects one JSON object on stdin, such as {\"path\":\"src/core\"}.");
    return std::nullopt;
  }
  if (arguments.contains("action") && arguments["action"] != action) {
    print_error("canon: the object on stdin asks for another action than " + action + ".");
    return std::nullopt;
  }
  if (const auto unknown = unknown_arguments(arguments)) {
    print_error("canon: " + *unknown + " Nothing was done.");
    return std::nullopt;
  }
  arguments["action"] = action;
  return arguments;
}

CLI::App* add_command(CLI::App& above, const char* name, const char* description,
                      const char* examples_of_it) {
  CLI::App* command = above.add_subcommand(name, description);
  command->footer(examples_of_it);
  return command;
}

CLI::App* add_tool_command(CLI::App& app, const char* name, const char* description,
                           const char* examples_of_it, tool_flags& flags) {
  CLI::App* command = add_command(app, name, description, examples_of_it);
  command->add_flag("--json", flags.json, "Take the arguments as a JSON object from stdin");
  return command;
}

constexpr const char* a_path = "a file, a folder, or an address";
constexpr const char* a_folder = "a folder";
constexpr const char* some_words = "words";

void add_tool_commands(CLI::App& app, argument_rules& rules, tool_flags& flags) {
  CLI::App* read =
      add_tool_command(app, "read", "Show the article that governs a path", examples::read, flags);
  rules.add(read->add_option("path,--path", flags.path, "A file, a folder, or an address"), a_path);

  CLI::App* write =
      add_tool_command(app, "write", "Create or update an article", examples::write, flags);
  rules.add(write->add_option("path,--path", flags.path, "A file, a folder, or an address"),
            a_path);
  rules.add(write->add_option("--capsule", flags.capsule, "One dense line of current truth"),
            "one line");
  rules.add(write->add_option("--body", flags.body, "The whole body; - takes it from stdin"),
            "a text, or - for stdin");
  rules.add_one_of(write->add_option("--scope", flags.scope, "rule, or asset to take rule back"),
                   {"rule", "asset"});

  CLI::App* journal = add_tool_command(app, "journal", "Log an event; it is never rewritten",
                                       examples::journal, flags);
  rules.add(journal->add_option("--body", flags.body, "What happened; - takes it from stdin"),
            "a text, or - for stdin");
  rules
      .add(journal->add_option("--subject", flags.subjects,
                               "An address that it is about; may be repeated"),
           "an address")
      ->allow_extra_args(false);
  rules.add(journal->add_option("--slug", flags.slug, "A few words for the file name"), some_words);

  CLI::App* map =
      add_tool_command(app, "map", "List articles with their capsules", examples::map, flags);
  rules.add(map->add_option("path,--path", flags.path, "Only this address and what is below"),
            a_path);

  CLI::App* search =
      add_tool_command(app, "search", "Find articles by words", examples::search, flags);
  rules.add(search->add_option("query,--query", flags.query, "The words"), some_words);
  rules.add(search->add_option("--path", flags.path, "In which mount, such as lake:"),
            "a mount, such as lake:");
  search->add_flag("--journal", flags.journal, "Search the journal too");
}

void add_common_options(CLI::App& app, argument_rules& rules, common_flags& common) {
  rules.add(app.add_option("--project", common.project, "The project folder"), a_folder)
      ->type_name("FOLDER");
  rules
      .add(app.add_option("--root", common.root, "The store, <project>/.canon by default"),
           a_folder)
      ->type_name("FOLDER");
  rules
      .add(app.add_option("--mount", common.mounts,
                          "A folder with a store of its own; may be repeated"),
           a_folder)
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  for (const auto& [name, value, what] :
       {std::tuple{"--surface", &common.surface, "Whether capsules arrive on a touch"},
        std::tuple{"--resurface", &common.resurface,
                   "Whether they do again, once out of context"}}) {
    rules.add_one_of(app.add_option(name, *value, what), {"on", "off"})->option_text("on|off");
  }
  rules
      .add_one_of(app.add_option("--retrieval", common.retrieval,
                                 "What finds knowledge that no path reaches"),
                  {"none", "lexical"})
      ->option_text("none|lexical");
  constexpr double largest_standout = 1e9;
  rules
      .add(app.add_option("--standout", common.standout,
                          "How far the best match must stand out, from 1 on"),
           "a number from 1 to 1000000000",
           [](const std::string& value) {
             const auto number = resilient::launcher::real_number(value);
             return number && *number >= 1 && *number <= largest_standout;
           })
      ->option_text("NUMBER");
}

/// The command that was asked for, as it was typed: "canon settings get".
[[nodiscard]] std::string full_name(const CLI::App& command) {
  const CLI::App* above = command.get_parent();
  return above == nullptr ? command.get_name() : full_name(*above) + " " + command.get_name();
}

[[nodiscard]] const CLI::App& innermost(const CLI::App& app) {
  const auto below = app.get_subcommands();
  return below.empty() ? app : innermost(*below.front());
}

[[nodiscard]] int wrong_usage(const CLI::App& command, const std::string& what) {
  print_error(fmt::format("canon: {} See {} --help.", what, full_name(command)));
  return exit_usage;
}

/// Says what is wrong with a word that no command takes, and what was probably meant.
[[nodiscard]] int not_understood(const CLI::App& command, const std::string& word) {
  std::vector<std::string> words;
  const bool is_option = word.size() > 1 && word.front() == '-';
  for (const CLI::App* at = &command; at != nullptr && is_option; at = at->get_parent()) {
    for (const CLI::Option* option : at->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        words.push_back("--" + name);
      }
    }
  }
  const auto commands = command.get_subcommands(nullptr);
  for (const CLI::App* one : commands) {
    if (!is_option) {
      words.push_back(one->get_name());
    }
  }
  const auto meant = resilient::nearest(word, words);
  const std::string guess = meant ? fmt::format("Did you mean {}?", *meant)
                            : is_option || commands.empty()
                                ? ""
                                : fmt::format("There are {}.", fmt::join(words, ", "));
  return wrong_usage(command,
                     (is_option          ? fmt::format("There is no option {}.", word)
                      : commands.empty() ? fmt::format("\"{}\" is one argument too many.", word)
                                         : fmt::format("There is no command \"{}\".", word))
                         + (guess.empty() ? "" : " " + guess));
}

/// Whether a host has started this as a hook, which must not fail: some hosts take another exit
/// code than 0 for an order to stop.
[[nodiscard]] bool is_hook(int argument_count, char** arguments) {
  return argument_count > 1 && std::string_view{arguments[1]} == "hook";
}

int run(int argument_count, char** arguments) {
  CLI::App app{"Project memory: at most one article for each asset, at the asset's own address.",
               "canon"};
  app.footer(examples::all);
  app.require_subcommand(0, 1);
  app.allow_extras(); // told below, with what was meant
  app.set_version_flag("--version", "canon " CANON_VERSION);
  app.fallthrough();

  argument_rules rules;
  common_flags common;
  add_common_options(app, rules, common);

  tool_flags flags;
  add_tool_commands(app, rules, flags);

  bool as_json = false;
  check_flags check_how;
  CLI::App* check =
      add_command(app, "check", "Look for defects in the whole store", examples::check);
  check->add_flag("--strict", check_how.strict, "Exit with 1 when something was found");
  check->add_flag("--json", check_how.as_json, "Print a JSON object");

  std::string asked_path;
  CLI::App* why =
      add_command(app, "why", "Explain which article answers for a path", examples::why);
  rules.add(why->add_option("path", asked_path, "A file, a folder, or an address"), a_path)
      ->required();
  why->add_flag("--json", as_json, "Print a JSON object");

  CLI::App* status =
      add_command(app, "status", "Show the store, its mounts and the settings", examples::status);
  status->add_flag("--json", as_json, "Print a JSON object");

  std::string key;
  std::string value;
  CLI::App* settings =
      add_command(app, "settings", "Show or change the user's settings", examples::settings);
  settings->require_subcommand(0, 1);
  CLI::App* const get =
      add_command(*settings, "get", "Show all settings, or one", examples::settings_get);
  rules.add(get->add_option("key", key, "surface, resurface, retrieval, standout, root or mounts"),
            "surface, resurface, retrieval, standout, root or mounts");
  CLI::App* set = add_command(*settings, "set", "Change a setting", examples::settings_set);
  rules
      .add(set->add_option("key", key, "surface, resurface, retrieval or standout"),
           "surface, resurface, retrieval or standout")
      ->required();
  rules
      .add(set->add_option("value", value, "on, off, none, lexical, or a number"),
           "on, off, none, lexical, or a number")
      ->required();

  std::string host;
  CLI::App* mcp =
      add_command(app, "mcp", "Serve the tool to an MCP host over stdin and stdout", examples::mcp);
  rules.add_one_of(mcp->add_option("--host", host, "Which host asks"), {"claude-code", "codex"});

  CLI::App* hook = add_command(
      app, "hook", "Answer a hook of Claude Code or Codex; the event is on stdin", examples::hook);
  rules.add(hook->add_option("host", host, "claude-code or codex"), "claude-code or codex")
      ->required();

  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::ParseError& problem) {
    if (problem.get_exit_code() == 0) { // help or version was asked for
      (void)app.exit(problem);
      return exit_done;
    }
    return wrong_usage(innermost(app), rules.sentence_for(innermost(app), problem));
  }
  const CLI::App& asked = innermost(app);
  if (const auto refused = rules.refused_value()) {
    return wrong_usage(asked, *refused);
  }
  if (const auto extra = app.remaining(true); !extra.empty()) {
    return not_understood(asked, extra.front());
  }
  if (app.get_subcommands().empty()) {
    return wrong_usage(app, "Say what to do, such as canon read src/core/config.ts.");
  }

  if (check->parsed()) {
    return run_check(common, check_how);
  }
  if (why->parsed()) {
    return run_why(common, asked_path, as_json);
  }
  if (status->parsed()) {
    return run_status(common, as_json);
  }
  if (set->parsed()) {
    return run_settings_set(key, value);
  }
  if (settings->parsed()) { // with or without `get`
    return run_settings_get(common, key);
  }
  if (mcp->parsed()) {
    return run_mcp(common, host);
  }
  if (hook->parsed()) {
    return run_hook(common, host);
  }
  if (!flags.json) {
    auto given = arguments_of(asked, flags);
    return given ? run_tool(common, std::move(*given)) : report(given.error());
  }
  auto object = arguments_from_input(asked.get_name());
  return object ? run_tool(common, std::move(*object)) : exit_usage;
}

} // namespace

int main(int argument_count, char** arguments) {
  try {
    constexpr int count_of_plain_hook = 3;
    if (argument_count == count_of_plain_hook && is_hook(argument_count, arguments)
        && arguments[2][0] != '-') {
      return run_hook({}, arguments[2]); // runs after every tool call: nothing else is set up
    }
    int code = run(argument_count, arguments);
    if (!std::cout.flush()) {
      print_error("canon: The answer could not be written to stdout, as on a full disk. What was "
                  "asked for may have been done.");
      code = code == exit_done ? exit_not_done : code;
    }
    if (code != exit_done && is_hook(argument_count, arguments)) {
      print(nothing_to_say);
      return exit_done;
    }
    return code;
  } catch (const std::exception& problem) {
    // only the libraries below throw: no memory, or a defect
    std::cerr << "canon: " << problem.what() << '\n';
    return is_hook(argument_count, arguments) ? exit_done : exit_not_done;
  }
}
