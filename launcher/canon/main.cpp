#include "launcher/canon/commands.hpp"

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

using namespace resilient::canon;

namespace {

constexpr const char* examples = R"(Examples:
  canon write src/core/config --capsule "Layered config; env beats file." --body -
  canon read src/core/config.ts
  canon journal --body "Cap raised from 40 to 42." --subject lake/prices --slug vendor-cap
  canon map src
  canon search vendor cap --journal
  echo '{"path":"src/core"}' | canon read --json
  canon check --strict
  canon why src/core/config.ts

A path is taken from the project folder, or from the current folder when it begins with ./ or ../
The project is the nearest folder upwards that has .canon/articles, or what --project says.
Exit codes: 0 done, 1 not done, 64 wrong usage.)";

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

[[nodiscard]] std::string whole_input() {
  return {std::istreambuf_iterator<char>{std::cin}, std::istreambuf_iterator<char>{}};
}

/// `action` with the flags that were given as its arguments.
[[nodiscard]] nlohmann::json arguments_of(const CLI::App& command, const tool_flags& flags) {
  nlohmann::json arguments{{"action", command.get_name()}};
  const auto put = [&](const char* key, const std::string& value) {
    const CLI::Option* option = command.get_option_no_throw(std::string{"--"} + key);
    if (option != nullptr && option->count() > 0) {
      arguments[key] = value;
    }
  };
  put("path", flags.path);
  put("body", flags.body == "-" ? whole_input() : flags.body);
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
  nlohmann::json arguments = nlohmann::json::parse(whole_input(), nullptr, false);
  if (!arguments.is_object()) {
    print_error("canon: --json expects one JSON object on stdin, such as {\"path\":\"src/core\"}.");
    return std::nullopt;
  }
  if (arguments.contains("action") && arguments["action"] != action) {
    print_error("canon: the object on stdin asks for another action than " + action + ".");
    return std::nullopt;
  }
  arguments["action"] = action;
  return arguments;
}

CLI::App* add_tool_command(CLI::App& app, const char* name, const char* description,
                           tool_flags& flags) {
  CLI::App* command = app.add_subcommand(name, description);
  command->add_flag("--json", flags.json, "Take the arguments as a JSON object from stdin");
  return command;
}

void add_tool_commands(CLI::App& app, tool_flags& flags) {
  CLI::App* read = add_tool_command(app, "read", "Show the article that governs a path", flags);
  read->add_option("path,--path", flags.path, "A file, a folder, or an address");

  CLI::App* write = add_tool_command(app, "write", "Create or update an article", flags);
  write->add_option("path,--path", flags.path, "A file, a folder, or an address");
  write->add_option("--capsule", flags.capsule, "One dense line of current truth");
  write->add_option("--body", flags.body, "The whole body; - takes it from stdin");
  write->add_option("--scope", flags.scope, "rule, or asset to take rule back");

  CLI::App* journal =
      add_tool_command(app, "journal", "Log an event; it is never rewritten", flags);
  journal->add_option("--body", flags.body, "What happened; - takes it from stdin");
  journal->add_option("--subject", flags.subjects, "An address that it is about; may be repeated")
      ->allow_extra_args(false);
  journal->add_option("--slug", flags.slug, "A few words for the file name");

  CLI::App* map = add_tool_command(app, "map", "List articles with their capsules", flags);
  map->add_option("path,--path", flags.path, "Only this address and what is below");

  CLI::App* search = add_tool_command(app, "search", "Find articles by words", flags);
  search->add_option("query,--query", flags.query, "The words");
  search->add_option("--path", flags.path, "In which mount, such as lake:");
  search->add_flag("--journal", flags.journal, "Search the journal too");
}

int run(int argument_count, char** arguments) {
  CLI::App app{"Project memory: at most one article for each asset, at the asset's own address.",
               "canon"};
  app.footer(examples);
  app.require_subcommand(1);
  app.set_version_flag("--version", "canon " CANON_VERSION);
  app.fallthrough();

  common_flags common;
  app.add_option("--project", common.project, "The project folder");
  app.add_option("--root", common.root, "The store, <project>/.canon by default");
  app.add_option("--mount", common.mounts, "A folder with a store of its own; may be repeated")
      ->allow_extra_args(false);

  tool_flags flags;
  add_tool_commands(app, flags);

  bool as_json = false;
  check_flags check_how;
  CLI::App* check = app.add_subcommand("check", "Look for defects in the whole store");
  check->add_flag("--strict", check_how.strict, "Exit with 1 when something was found");
  check->add_flag("--json", check_how.as_json, "Print a JSON object");

  std::string asked_path;
  CLI::App* why = app.add_subcommand("why", "Explain which article answers for a path");
  why->add_option("path", asked_path, "A file, a folder, or an address")->required();
  why->add_flag("--json", as_json, "Print a JSON object");

  CLI::App* status = app.add_subcommand("status", "Show the store, its mounts and the settings");
  status->add_flag("--json", as_json, "Print a JSON object");

  std::string key;
  std::string value;
  CLI::App* settings = app.add_subcommand("settings", "Show or change the user's settings");
  settings->require_subcommand(1);
  CLI::App* get = settings->add_subcommand("get", "Show all settings, or one");
  get->add_option("key", key, "surface, resurface, retrieval, standout, root or mounts");
  CLI::App* set = settings->add_subcommand("set", "Change a setting");
  set->add_option("key", key, "surface, resurface, retrieval or standout")->required();
  set->add_option("value", value, "on, off, none, lexical, or a number")->required();

  std::string host;
  CLI::App* mcp = app.add_subcommand("mcp", "Serve the tool to an MCP host over stdin and stdout");
  mcp->add_option("--host", host, "Which host asks")
      ->check(CLI::IsMember({"claude-code", "codex"}));

  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? exit_done : exit_usage;
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
  if (get->parsed()) {
    return run_settings_get(common, key);
  }
  if (set->parsed()) {
    return run_settings_set(key, value);
  }
  if (mcp->parsed()) {
    return run_mcp(common, host);
  }
  const CLI::App& command = *app.get_subcommands().front();
  if (!flags.json) {
    return run_tool(common, arguments_of(command, flags));
  }
  auto object = arguments_from_input(command.get_name());
  return object ? run_tool(common, std::move(*object)) : exit_usage;
}

} // namespace

int main(int argument_count, char** arguments) {
  try {
    return run(argument_count, arguments);
  } catch (const std::exception& problem) {
    // only the libraries below throw: no memory, or a defect
    std::cerr << "canon: " << problem.what() << '\n';
    return exit_not_done;
  }
}
