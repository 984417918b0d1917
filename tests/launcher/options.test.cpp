#include "launcher/command/options.hpp"

#include "core/goal/classify.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace resilient;
using namespace std::chrono_literals;
using launcher::early_end;
using launcher::options;

namespace {

options good(const std::vector<std::string>& arguments) {
  const auto parsed = launcher::parse_options(arguments);
  if (const auto* end = std::get_if<early_end>(&parsed)) {
    FAIL(end->text);
  }
  return std::get<options>(parsed);
}

early_end bad(const std::vector<std::string>& arguments) {
  const auto parsed = launcher::parse_options(arguments);
  REQUIRE(std::holds_alternative<early_end>(parsed));
  return std::get<early_end>(parsed);
}

} // namespace

TEST_CASE("without arguments Pi is supervised with the promised limits") {
  const options chosen = good({});
  CHECK(chosen.what == launcher::command::supervise);
  CHECK(chosen.startup_timeout == 120s);
  CHECK(chosen.heartbeat_timeout == 30s);
  CHECK(chosen.healthy_after == 10s);
  CHECK(chosen.pi_arguments.empty());
}

TEST_CASE("everything behind the first -- is Pi's, unread") {
  using words = std::vector<std::string>;
  CHECK(good({"--", "--help", "--", "status", "-x=ü", ""}).pi_arguments
        == words{"--help", "--", "status", "-x=ü", ""});
  CHECK(good({"--keep-orphans", "--"}).pi_arguments.empty());
  CHECK(good({"--run-dir", "/r", "--", "--run-dir", "/p"}).run_folder == "/r");
}

TEST_CASE("every option arrives") {
  const options chosen =
      good({"--startup-timeout-seconds", "180", "--heartbeat-timeout-seconds=60",
            "--healthy-seconds", "0.5", "--run-dir", "r", "--keep-orphans", "--start-paused",
            "--on-event", "notify-send x", "--max-turns", "7", "--max-hours", "1.5", "--max-tokens",
            "1000000000000", "--max-cost", "2.5"});
  CHECK(chosen.startup_timeout == 180s);
  CHECK(chosen.heartbeat_timeout == 60s);
  CHECK(chosen.healthy_after == 500ms);
  CHECK(chosen.run_folder == "r");
  CHECK(chosen.keep_orphans);
  CHECK(good({"--inhibit-sleep"}).inhibit_sleep);
  CHECK(chosen.start_paused);
  CHECK(chosen.on_event == "notify-send x");
  CHECK(chosen.max_turns == 7);
  CHECK(chosen.max_hours == 1.5);
  CHECK(chosen.max_tokens == 1'000'000'000'000);
  CHECK(chosen.max_cost == 2.5);
}

TEST_CASE("commands are told apart and take their own arguments") {
  CHECK(good({"status"}).what == launcher::command::status);
  const options status = good({"status", "--json", "20261130"});
  CHECK(status.json);
  CHECK(status.run == "20261130");
  CHECK(good({"stop", "--run-dir", "/r"}).run_folder == "/r");
  CHECK(good({"stop"}).what == launcher::command::stop);
  CHECK(good({"sidecar"}).what == launcher::command::sidecar);
  const options explain = good({"explain-error", "--status", "429", "--provider", "zai"});
  CHECK(explain.what == launcher::command::explain_error);
  CHECK(explain.http_status == 429);
  CHECK(explain.provider == "zai");
}

TEST_CASE("each mistake is one sentence with the exit code of wrong usage") {
  struct row {
    std::vector<std::string> arguments;
    const char* says;
  };
  const row table[] = {
      {{"--model", "x"}, "--model is no option of pi-resilient. Put arguments for Pi behind `--`"},
      {{"-p"}, "-p is no option"},
      {{"--no-session"}, "pi-resilient -- --no-session"},
      {{"fix the bug"}, "\"fix the bug\" is no command"},
      {{"--healthy-seconds"}, "--healthy-seconds needs a value: a number of seconds from 0 to "},
      {{"--healthy-seconds", "abc"},
       "--healthy-seconds must be a number of seconds from 0 to 604800, not \"abc\"."},
      {{"--healthy-seconds", "--keep-orphans"}, "--healthy-seconds must be a number of seconds"},
      {{"--healthy-seconds", "inf"}, "not \"inf\""},
      {{"--healthy-seconds", "1", "--healthy-seconds", "2"}, "is given 2 times"},
      {{"--startup-timeout-seconds", "0x10"}, "not \"0x10\""},
      {{"--startup-timeout-seconds", "e5"}, "not \"e5\""},
      {{"--startup-timeout-seconds", "5-3"}, "not \"5-3\""},
      {{"--startup-timeout-seconds", "5 s"}, "not \"5 s\""},
      {{"--run-dir"}, "--run-dir needs a value: a folder."},
      {{"--run-dir", "--check", "x"}, "--run-dir needs a value before --check: a folder."},
      {{"--check"}, "--check needs a value: a shell command."},
      {{"--on-event"}, "--on-event needs a value: a shell command."},
      {{"--max-cost", "1e999"},
       "--max-cost must be a number of dollars above 0 and at most 1000000000, not \"1e999\"."},
      {{"--max-cost", "-1"}, "not \"-1\""},
      {{"--max-cost", "1e10"}, "at most 1000000000"},
      {{"--max-cost", "two\nlines"}, "not \"two\\nlines\""},
      {{"--max-hours", "nan"}, "above 0 and at most 1000000, not \"nan\""},
      {{"--max-hours", "-0"}, "not \"-0\""},
      {{"--max-tokens", "1e6"}, "--max-tokens must be a whole number from 1 to 1000000000000000"},
      {{"--max-tokens", "99999999999999999999"}, "not \"99999999999999999999\""},
      {{"--max-turns", "2.5"}, "--max-turns must be a whole number from 1 to 1000000000, not"},
      {{"--max-turns", std::string(300, '9')}, "not a text of 300 bytes"},
      {{"--max-turns", "9223372036854775807"}, "from 1 to 1000000000, not"},
      {{"--keep-orphans=abc"}, "--keep-orphans takes no value."},
      {{"explain-error", "--status", "abc"},
       "--status must be an HTTP status, from 100 to 599, not \"abc\"."},
      {{"explain-error", "--status"}, "--status needs a value: an HTTP status"},
      {{"explain-error", "--header"}, "--header needs a value: a response header"},
      {{"explain-error", "--at"}, "--at needs a value: an instant such as"},
      {{"status", "--run-dir"}, "--run-dir needs a value: a folder."},
      {{"status", "--json=abc"}, "--json takes no value."},
      {{"sidecar", "stop"}, "Only one command can be given."},
      {{"status", "--healthy-seconds", "5"}, "--healthy-seconds belongs to a run"},
      {{"--heartbeat-timeout-seconds", "5"}, "from 6 to 604800"},
      {{"--heartbeat-timeout-seconds", "nan"}, "from 6 to 604800"},
      {{"--heartbeat-timeout-seconds", "soon"}, "heartbeat-timeout-seconds"},
      {{"--heartbeat-timeout-seconds"}, "heartbeat-timeout-seconds"},
      {{"--startup-timeout-seconds", "0"}, "must be a number of seconds above 0"},
      {{"--startup-timeout-seconds", "-1"}, "startup-timeout-seconds"},
      {{"--startup-timeout-seconds", "1e300"}, "at most 604800"},
      {{"--run-dir", ""}, "--run-dir is given with an empty value"},
      {{"--check", ""}, "--check is given with an empty value"},
      {{"status", ""}, "RUN is given with an empty value"},
      {{"explain-error", "--at", ""}, "--at is given with an empty value"},
      {{"--healthy-seconds", "-2"}, "healthy-seconds"},
      {{"--max-turns", "0"}, "from 1 to 1000000000, not \"0\""},
      {{"--max-cost", "nan"}, "not \"nan\""},
      {{"--max-turn", "3"}, "There is no --max-turn. Did you mean --max-turns?"},
      {{"statsu"}, "There is no statsu. Did you mean status?"},
      {{"status", "--jsn"}, "There is no --jsn. Did you mean --json?"},
      {{"explain-error", "--josn"}, "There is no --josn. Did you mean --json?"},
      {{"status", "--model"}, "--model is no option"},
      {{"status", "--", "x"}, "belong to a run"},
      {{"status", "a", "b"}, "\"b\" is no command"},
      {{"sidecar", "x"}, "\"x\" is no command"},
      {{"explain-error", "429 too many requests"}, "reads the text on stdin"},
      {{"explain-error", "--status", "-5"}, "from 100 to 599"},
  };
  for (const row& each : table) {
    const std::string says = each.says;
    CAPTURE(says);
    const early_end end = bad(each.arguments);
    CHECK(end.exit_code == 64);
    CHECK_MESSAGE(end.text.find(each.says) != std::string::npos, end.text);
    CHECK(end.text.find("pi-resilient: ") == 0);
    CHECK(std::count(end.text.begin(), end.text.end(), '\n') == 1);
    for (const char* foreign : {"required", "INT", "FLOAT", "TEXT", "convert"}) {
      CHECK_MESSAGE(end.text.find(foreign) == std::string::npos, end.text);
    }
  }
}

TEST_CASE("the help of explain-error names every class and every action") {
  const early_end help = bad({"explain-error", "--help"});
  CHECK(help.exit_code == 0);
  for (const auto* name : {"transient", "rate_limit", "usage_exhausted", "overflow", "auth",
                           "config", "abort", "unknown"}) {
    CAPTURE(name);
    REQUIRE(goal::error_class_from(name).has_value());
    CHECK(help.text.find("\n" + std::string{name} + " ") != std::string::npos);
  }
  for (const auto* name : {"retry", "wait", "probe", "compact", "pause"}) {
    CAPTURE(name);
    REQUIRE(goal::action_from(name).has_value());
    CHECK(help.text.find("\n" + std::string{name} + " ") != std::string::npos);
  }
}

TEST_CASE("help has examples and the version is told") {
  const early_end help = bad({"--help"});
  CHECK(help.exit_code == 0);
  for (const char* part : {"Usage:", "pi-resilient [options] [-- arguments for Pi...]",
                           "Examples:", "--heartbeat-timeout-seconds", "status", "PI_REAL_BIN"}) {
    CAPTURE(part);
    CHECK(help.text.find(part) != std::string::npos);
  }
  for (const char* option : {"--max-turns", "--max-hours", "--max-tokens", "--max-cost"}) {
    CAPTURE(option);
    const std::size_t line = help.text.find(option);
    REQUIRE(line != std::string::npos);
    CHECK(help.text.find("else unlimited", line) < help.text.find("--max", line + 5));
  }
  CHECK(bad({"status", "--help"}).text.find("--json") != std::string::npos);
  CHECK(bad({"--version"}).text.find("pi-resilient 0.") == 0);
  CHECK(bad({"--version"}).exit_code == 0);
}
