#include "launcher/command/options.hpp"

#include "core/support/error.hpp"
#include "core/support/nearest.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// CLI11 is used here and nowhere else: it is slow to compile and reports by exceptions.

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

/// The numbers as they are written, checked after parsing, so that each mistake has its sentence.
struct raw_numbers {
  double startup = 120;
  double heartbeat = 30;
  double healthy = 10;
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

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds{std::llround(seconds * 1000.0)};
}

void add_run_options(CLI::App& app, options& chosen) {
  app.add_option("RUN", chosen.run,
                 "Id of the run or its beginning; else this folder's, or the newest");
  app.add_option("--run-dir", chosen.run_folder, "The folder of the run, if it has one of its own");
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
  if (const auto meant = nearest(argument, names_of(app))) {
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

std::optional<early_end> check(const options& chosen, const raw_numbers& numbers) {
  const auto within = [](double seconds, double least) {
    return seconds >= least && seconds <= longest_timeout_seconds;
  };
  if (!within(numbers.startup, 0.001)) {
    return mistake("--startup-timeout-seconds must be more than 0 and at most 604800 seconds.");
  }
  if (!within(numbers.heartbeat, shortest_heartbeat_seconds)) {
    return mistake(
        "--heartbeat-timeout-seconds must be from 6 to 604800 seconds, because a healthy "
        "Pi beats every 5 seconds.");
  }
  if (!within(numbers.healthy, 0)) {
    return mistake("--healthy-seconds must be from 0 to 604800 seconds.");
  }
  if (chosen.http_status && (*chosen.http_status < 100 || *chosen.http_status > 599)) {
    return mistake("--status must be an HTTP status, from 100 to 599.");
  }
  if (chosen.max_turns.value_or(1) < 1 || chosen.max_tokens.value_or(1) < 1
      || !(chosen.max_hours.value_or(1) > 0) || !(chosen.max_cost.value_or(1) > 0)) {
    return mistake("--max-turns, --max-hours, --max-tokens and --max-cost must be more than 0.");
  }
  return std::nullopt;
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
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");

  CLI::App app{about, "pi-resilient"};
  app.set_version_flag("--version", "pi-resilient " PI_RESILIENT_VERSION);
  app.allow_extras();
  app.add_option("--startup-timeout-seconds", numbers.startup,
                 "Pi counts as frozen without a first heartbeat for so long")
      ->capture_default_str();
  app.add_option("--heartbeat-timeout-seconds", numbers.heartbeat,
                 "Pi counts as frozen without a further heartbeat for so long")
      ->capture_default_str();
  app.add_option("--healthy-seconds", numbers.healthy,
                 "A Pi that lived so long after its first heartbeat is restarted at once")
      ->capture_default_str();
  app.add_option("--run-dir", chosen.run_folder, "Folder for the state of this run");
  app.add_flag("--keep-orphans", chosen.keep_orphans,
               "Leave what a dead Pi had started running before the next start");
  app.add_flag("--inhibit-sleep", chosen.inhibit_sleep,
               "Keep the machine from falling asleep while a goal is active");
  app.add_flag("--start-paused", chosen.start_paused, "Begin with the goal of the session paused");
  app.add_option("--check", chosen.check,
                 "Shell command that must exit with 0 before a goal counts as complete");
  app.add_option("--on-event", chosen.on_event,
                 "Shell command that gets a line of JSON on stdin when a goal is complete, "
                 "blocked, paused, limited or resumed, and when Pi is restarted or keeps failing");
  app.add_option("--max-turns", chosen.max_turns,
                 "Pause the goal after so many turns; else unlimited");
  app.add_option("--max-hours", chosen.max_hours,
                 "Pause the goal after so many hours, waits included; else unlimited");
  app.add_option("--max-tokens", chosen.max_tokens,
                 "Pause the goal after so many tokens, in and out; else unlimited");
  app.add_option("--max-cost", chosen.max_cost,
                 "Pause the goal after so many dollars, as Pi counts them; else unlimited");

  auto* status = app.add_subcommand("status", "Tell about a run");
  add_run_options(*status, chosen);
  status->add_flag("--json", chosen.json, "As JSON");
  auto* stop = app.add_subcommand("stop", "End a run and its Pi");
  add_run_options(*stop, chosen);
  auto* sidecar = app.add_subcommand("sidecar", "Serve an extension over stdin and stdout");
  auto* explain =
      app.add_subcommand("explain-error", "Say what an error text on stdin means for a goal");
  explain->add_flag("--json", chosen.json, "As JSON");
  explain->add_option("--status", chosen.http_status, "The HTTP status, when it is known");
  explain->add_option("--provider", chosen.provider, "The provider, as Pi names it");
  explain->add_option("--header", chosen.headers, "A response header, \"name: value\"; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  explain->add_option("--at", chosen.seen_at,
                      "When it was seen, such as 2026-11-30T22:15:00Z; else now");
  explain->add_option("--tz", chosen.time_zone,
                      "Time zone for clock times that name none, such as Europe/Berlin; else this "
                      "machine's");
  explain->footer(explanations);
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
  } catch (const CLI::ExtrasError&) {
    return mistake("Only one command can be given. See pi-resilient --help.");
  } catch (const CLI::Error& wrong) {
    return mistake(fmt::format("{}. See pi-resilient --help.", wrong.what()));
  }
  const auto extra = app.remaining(true);
  if (!extra.empty()) {
    const std::string& first = extra.front();
    return *explain && (first.empty() || first.front() != '-')
               ? mistake("explain-error reads the text on stdin: pi-resilient explain-error < "
                         "error.txt")
               : unknown_argument(app, first);
  }
  if (auto wrong = find_empty(app)) {
    return *wrong;
  }
  if (auto wrong = check(chosen, numbers)) {
    return *wrong;
  }
  chosen.startup_timeout = milliseconds(numbers.startup);
  chosen.heartbeat_timeout = milliseconds(numbers.heartbeat);
  chosen.healthy_after = milliseconds(numbers.healthy);
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
