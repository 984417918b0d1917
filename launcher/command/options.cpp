#include "launcher/command/options.hpp"

#include "core/settings/options.hpp"
#include "core/support/error.hpp"
#include "core/support/nearest.hpp"
#include "launcher/arguments/argument_rules.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// Of the launcher only this and argument_rules.cpp use CLI11: it is slow to compile and reports by
// exceptions.

namespace resilient::launcher {

namespace {

constexpr const char* about =
    "Runs the coding agent Pi and keeps it running: a Pi that dies or freezes is started again on "
    "the same session, and a goal that was declared with /goal goes on until it is complete.";

constexpr const char* usage = R"(
Usage:
  pi-resilient [options] [-- arguments for Pi...]
  pi-resilient status [--json] [RUN]
  pi-resilient stop [RUN]
  pi-resilient explain-error [--json] [--at INSTANT] [--tz ZONE] [--provider NAME]
                             [--status N] [--header 'NAME: VALUE']... < TEXT
)";

constexpr const char* examples = R"(Arguments for Pi stand behind `--` and are passed as they are.

Examples:
  pi-resilient
  pi-resilient -- --model openai-codex/gpt-5.6-sol
  pi-resilient --heartbeat-timeout-seconds 60 -- --continue
  PI_REAL_BIN=/opt/pi/bin/pi pi-resilient -- "implement and verify the feature"
  pi-resilient status
  pi-resilient stop
  echo '429: {"type":"usage_limit_reached"}' | pi-resilient explain-error)";

constexpr const char* explanations = R"(
It reads the text on stdin and prints one sentence, or with --json
{"class","reset_at","retry_after_s","action","rule"}: instants in UTC, or null.

Class             What it means                                      Action
transient         overload, 5xx, cut streams, dead networks          retry
rate_limit        a throttle of seconds or minutes                   retry
usage_exhausted   the plan, quota or balance is used up              wait, or probe
overflow          the conversation does not fit the model            compact
auth              credentials are missing, wrong or expired          probe
config            the request itself is wrong and stays wrong        pause
abort             the user stopped it                                pause
unknown           none of the above can be told                      probe

Action    What the goal does
retry     tries again after growing pauses, never before retry_after_s
wait      waits until reset_at, which the provider named
probe     tries again slowly: every 15 minutes when a plan is used up, every 30
          for credentials, after growing pauses up to 15 minutes otherwise
compact   goes on after Pi has shortened the conversation
pause     waits for a person

Examples:
  pi-resilient explain-error < error.txt
  echo 'Usage limit reached. Resets 3am.' | pi-resilient explain-error --tz Europe/Berlin
  pi-resilient explain-error --json --status 429 --header 'retry-after: 30' < error.txt)";

constexpr double longest_timeout_seconds = 7.0 * 86400.0;
/// The extension beats every 5 s. A shorter limit would kill a healthy Pi.
constexpr double shortest_heartbeat_seconds = 6.0;
constexpr double shortest_startup_seconds = 0.001;

/// The numbers as they are written: CLI11 would take `nan`, and names its own types when it takes
/// none.
struct raw_numbers {
  std::string startup = "120";
  std::string heartbeat = "30";
  std::string healthy = "10";
  std::string max_turns;
  std::string max_hours;
  std::string max_tokens;
  std::string max_cost;
  std::string http_status;
};

/// CLI11 knows nothing of what stands behind `--`.
std::string with_usage(std::string help) {
  const std::size_t begin = help.find("Usage:");
  const std::size_t end = std::min(help.find('\n', begin), help.size());
  if (begin != std::string::npos) {
    help.replace(begin, end - begin, usage);
  }
  return help;
}

std::chrono::milliseconds milliseconds(const std::string& seconds) {
  return std::chrono::milliseconds{std::llround(real_number(seconds).value_or(0) * 1000.0)};
}

constexpr const char* folder = "a folder";
constexpr const char* shell_command = "a shell command";

argument_rules::judge whole_from(std::int64_t least, std::int64_t most) {
  return [=](const std::string& value) {
    const auto number = whole_number(value);
    return number && *number >= least && *number <= most;
  };
}

argument_rules::judge real_from(double least, double most) {
  return [=](const std::string& value) {
    const auto number = real_number(value);
    return number && *number >= least && *number <= most;
  };
}

argument_rules::judge real_above_zero(double most) {
  return [=](const std::string& value) {
    const auto number = real_number(value);
    return number && *number > 0 && *number <= most;
  };
}

void add_run_options(CLI::App& app, argument_rules& rules, options& chosen) {
  rules.add(app.add_option("RUN", chosen.run,
                           "Id of the run or its beginning; else this folder's, or the newest"),
            "the id of a run or its beginning");
  rules
      .add(app.add_option("--run-dir", chosen.run_folder,
                          "The folder of the run, if it has one of its own"),
           folder)
      ->option_text("FOLDER");
}

void add_limits(CLI::App& app, argument_rules& rules, raw_numbers& numbers) {
  rules
      .add(app.add_option("--startup-timeout-seconds", numbers.startup,
                          "Pi counts as frozen without a first heartbeat for so long"),
           "a number of seconds above 0 and at most 604800",
           real_from(shortest_startup_seconds, longest_timeout_seconds))
      ->option_text("SECONDS [120]");
  rules
      .add(app.add_option("--heartbeat-timeout-seconds", numbers.heartbeat,
                          "Pi counts as frozen without a further heartbeat for so long"),
           "a number of seconds from 6 to 604800, because a healthy Pi beats every 5 seconds",
           real_from(shortest_heartbeat_seconds, longest_timeout_seconds))
      ->option_text("SECONDS [30]");
  rules
      .add(app.add_option("--healthy-seconds", numbers.healthy,
                          "A Pi that lived so long after its first heartbeat is restarted at once"),
           "a number of seconds from 0 to 604800", real_from(0, longest_timeout_seconds))
      ->option_text("SECONDS [10]");
}

void add_budgets(CLI::App& app, argument_rules& rules, raw_numbers& numbers) {
  using namespace settings;
  rules
      .add(app.add_option("--max-turns", numbers.max_turns,
                          "Pause the goal after so many turns; else unlimited"),
           fmt::format("a whole number from 1 to {}", most_turns), whole_from(1, most_turns))
      ->option_text("COUNT");
  rules
      .add(app.add_option("--max-hours", numbers.max_hours,
                          "Pause the goal after so many hours, waits included; else unlimited"),
           fmt::format("a number of hours above 0 and at most {:.0f}", most_hours),
           real_above_zero(most_hours))
      ->option_text("HOURS");
  rules
      .add(app.add_option("--max-tokens", numbers.max_tokens,
                          "Pause the goal after so many tokens, in and out; else unlimited"),
           fmt::format("a whole number from 1 to {}", most_tokens), whole_from(1, most_tokens))
      ->option_text("COUNT");
  rules
      .add(
          app.add_option("--max-cost", numbers.max_cost,
                         "Pause the goal after so many dollars, as Pi counts them; else unlimited"),
          fmt::format("a number of dollars above 0 and at most {:.0f}", most_cost),
          real_above_zero(most_cost))
      ->option_text("DOLLARS");
}

early_end mistake(const std::string& sentence) {
  return {fmt::format("pi-resilient: {}\n", sentence), static_cast<int>(error_kind::usage)};
}

/// What can stand before `--`, also behind a command.
std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* each : app.get_options()) {
    names.push_back(each->get_name());
  }
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(each->get_name());
  }
  for (const CLI::App* each : app.get_subcommands()) {
    const std::vector<std::string> own = names_of(*each);
    names.insert(names.end(), own.begin(), own.end());
  }
  return names;
}

early_end unknown_argument(const CLI::App& app, const std::string& argument) {
  const std::vector<std::string> names = names_of(app);
  if (std::find(names.begin(), names.end(), argument) != names.end()) {
    return mistake(argument.front() == '-'
                       ? fmt::format("{} belongs to a run, not to a command.", argument)
                       : "Only one command can be given. See pi-resilient --help.");
  }
  if (const auto meant = nearest(argument, names)) {
    return mistake(fmt::format("There is no {}. Did you mean {}?", argument, *meant));
  }
  if (!argument.empty() && argument.front() == '-') {
    return mistake(fmt::format("{} is no option of pi-resilient. Put arguments for Pi behind `--`: "
                               "pi-resilient -- {}",
                               argument, argument));
  }
  return mistake(
      fmt::format("\"{}\" is no command of pi-resilient. Put prompts and other arguments "
                  "for Pi behind `--`: pi-resilient -- \"{}\"",
                  argument, argument));
}

void add_explain_options(CLI::App& explain, argument_rules& rules, options& chosen,
                         raw_numbers& numbers) {
  explain.add_flag("--json", chosen.json, "As JSON");
  rules
      .add(explain.add_option("--status", numbers.http_status, "The HTTP status, when it is known"),
           "an HTTP status, from 100 to 599", whole_from(100, 599))
      ->option_text("N");
  rules
      .add(explain.add_option("--provider", chosen.provider, "The provider, as Pi names it"),
           "the name of a provider")
      ->option_text("NAME");
  rules
      .add(explain.add_option("--header", chosen.headers,
                              "A response header, \"name: value\"; repeatable"),
           "a response header, \"name: value\"")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("HEADER");
  rules
      .add(explain.add_option("--at", chosen.seen_at,
                              "When it was seen, such as 2026-11-30T22:15:00Z; else now"),
           "an instant such as 2026-11-30T22:15:00Z")
      ->option_text("INSTANT");
  rules
      .add(explain.add_option(
               "--tz", chosen.time_zone,
               "Time zone for clock times that name none, such as Europe/Berlin; else this "
               "machine's"),
           "a time zone such as Europe/Berlin")
      ->option_text("ZONE");
  explain.footer(explanations);
}

/// An option with nothing in it, as an unset variable of a shell script leaves it.
std::optional<early_end> find_empty(const CLI::App& app) {
  for (const CLI::Option* each : app.get_options()) {
    const auto& values = each->results();
    if (std::find(values.begin(), values.end(), std::string{}) != values.end()) {
      return mistake(fmt::format("{} is given with an empty value.", each->get_name()));
    }
  }
  for (const CLI::App* each : app.get_subcommands()) {
    if (auto found = find_empty(*each)) {
      return found;
    }
  }
  return std::nullopt;
}

} // namespace

std::variant<options, early_end> parse_options(const std::vector<std::string>& arguments) {
  options chosen;
  raw_numbers numbers;
  argument_rules rules;
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");

  CLI::App app{about, "pi-resilient"};
  app.set_version_flag("--version", "pi-resilient " PI_RESILIENT_VERSION);
  app.allow_extras();
  add_limits(app, rules, numbers);
  rules
      .add(app.add_option("--run-dir", chosen.run_folder, "Folder for the state of this run"),
           folder)
      ->option_text("FOLDER");
  app.add_flag("--keep-orphans", chosen.keep_orphans,
               "Leave what a dead Pi had started running before the next start");
  app.add_flag("--inhibit-sleep", chosen.inhibit_sleep,
               "Keep the machine from falling asleep while a goal is active");
  app.add_flag("--start-paused", chosen.start_paused, "Begin with the goal of the session paused");
  rules
      .add(app.add_option("--check", chosen.check,
                          "Shell command that must exit with 0 before a goal counts as complete"),
           shell_command)
      ->option_text("COMMAND");
  rules
      .add(app.add_option(
               "--on-event", chosen.on_event,
               "Shell command that gets a line of JSON on stdin when a goal is complete, "
               "blocked, paused, limited or resumed, and when Pi is restarted or keeps failing"),
           shell_command)
      ->option_text("COMMAND");
  add_budgets(app, rules, numbers);

  auto* status = app.add_subcommand("status", "Tell about a run");
  add_run_options(*status, rules, chosen);
  status->add_flag("--json", chosen.json, "As JSON");
  auto* stop = app.add_subcommand("stop", "End a run and its Pi");
  add_run_options(*stop, rules, chosen);
  auto* sidecar = app.add_subcommand("sidecar", "Serve an extension over stdin and stdout");
  auto* explain =
      app.add_subcommand("explain-error", "Say what an error text on stdin means for a goal");
  add_explain_options(*explain, rules, chosen, numbers);
  app.require_subcommand(0, 1);
  // Set here, since commands take over what is there when they are made.
  app.footer(examples);

  std::vector<std::string> ours(arguments.begin(), dashes);
  // CLI11 takes them from the back.
  std::reverse(ours.begin(), ours.end());
  try {
    app.parse(ours);
  } catch (const CLI::CallForHelp&) {
    for (const CLI::App* each : app.get_subcommands()) {
      return early_end{each->help("pi-resilient"), 0};
    }
    return early_end{with_usage(app.help()), 0};
  } catch (const CLI::CallForVersion&) {
    return early_end{"pi-resilient " PI_RESILIENT_VERSION "\n", 0};
  } catch (const CLI::Error& wrong) {
    const auto commands = app.get_subcommands();
    const CLI::App& asked = commands.empty() ? app : *commands.front();
    return mistake(rules.sentence_for(asked, wrong) + " See pi-resilient --help.");
  }
  if (auto wrong = find_empty(app)) {
    return *wrong;
  }
  if (const auto wrong = rules.refused_value()) {
    return mistake(*wrong);
  }
  const auto extra = app.remaining(true);
  if (!extra.empty()) {
    const std::string& first = extra.front();
    return *explain && (first.empty() || first.front() != '-')
               ? mistake("explain-error reads the text on stdin: pi-resilient explain-error < "
                         "error.txt")
               : unknown_argument(app, first);
  }
  chosen.startup_timeout = milliseconds(numbers.startup);
  chosen.heartbeat_timeout = milliseconds(numbers.heartbeat);
  chosen.healthy_after = milliseconds(numbers.healthy);
  chosen.max_turns = whole_number(numbers.max_turns);
  chosen.max_hours = real_number(numbers.max_hours);
  chosen.max_tokens = whole_number(numbers.max_tokens);
  chosen.max_cost = real_number(numbers.max_cost);
  if (const auto http_status = whole_number(numbers.http_status)) {
    chosen.http_status = static_cast<int>(*http_status);
  }
  if (*status) {
    chosen.what = command::status;
  } else if (*stop) {
    chosen.what = command::stop;
  } else if (*sidecar) {
    chosen.what = command::sidecar;
  } else if (*explain) {
    chosen.what = command::explain_error;
  }
  if (dashes != arguments.end()) {
    if (chosen.what != command::supervise) {
      return mistake("Arguments for Pi behind `--` belong to a run, not to a command.");
    }
    chosen.pi_arguments.assign(dashes + 1, arguments.end());
  }
  return chosen;
}

} // namespace resilient::launcher
