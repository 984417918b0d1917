#include "core/process/pi_command_line.hpp"

#include <doctest/doctest.h>

using namespace resilient;
using namespace resilient::process;

using arguments = std::vector<std::string>;

namespace {

constexpr pi_version oldest{0, 80, 6};
constexpr pi_version newest{1, 6, 0};

command_line read(const arguments& given, const pi_version& version = newest) {
  auto line = parse_command_line(given, version);
  REQUIRE(line.has_value());
  return *line;
}

} // namespace

TEST_CASE("the mode is the one that Pi runs in") {
  struct row {
    arguments given;
    pi_mode mode;
  };
  const row rows[] = {
      {{}, pi_mode::terminal},
      {{"do it"}, pi_mode::terminal},
      {{"-p", "do it"}, pi_mode::print},
      {{"--print"}, pi_mode::print},
      {{"--mode", "rpc"}, pi_mode::rpc},
      {{"--mode", "json", "do it"}, pi_mode::json},
      {{"--mode", "rpc", "-p"}, pi_mode::rpc},
      {{"--mode", "text"}, pi_mode::terminal},
      {{"--mode", "text", "-p"}, pi_mode::print},
      {{"--mode", "rpc", "--mode", "json"}, pi_mode::json},
      {{"--mode", "nonsense"}, pi_mode::terminal},
      {{"--mode"}, pi_mode::terminal},
      {{"--mode=rpc"}, pi_mode::terminal},
      {{"--system-prompt", "-p"}, pi_mode::terminal},
  };
  for (const auto& row : rows) {
    CAPTURE(row.given);
    CHECK(to_string(read(row.given).mode) == std::string(to_string(row.mode)));
  }
}

TEST_CASE("without a terminal, the interactive mode is print mode") {
  CHECK(mode_on(pi_mode::terminal, true) == pi_mode::terminal);
  CHECK(mode_on(pi_mode::terminal, false) == pi_mode::print);
  CHECK(mode_on(pi_mode::rpc, false) == pi_mode::rpc);
}

TEST_CASE("what is no session is told apart, with the argument that says so") {
  struct row {
    arguments given;
    std::string because;
  };
  const row rows[] = {
      {{"--help"}, "--help"},
      {{"-p", "hi", "-h"}, "-h"},
      {{"--version"}, "--version"},
      {{"-v"}, "-v"},
      {{"--list-models"}, "--list-models"},
      {{"--list-models", "sonnet"}, "--list-models"},
      {{"--export", "a.jsonl"}, "--export"},
      {{"install", "npm:x"}, "install"},
      {{"uninstall", "x"}, "uninstall"},
      {{"list"}, "list"},
      {{"config"}, "config"},
      {{"auth", "check"}, "auth"},
      {{"mcp", "list"}, "mcp"},
      {{"install the thing"}, ""},
      {{"do", "install"}, ""},
      {{"--model", "--help"}, ""},
      {{"--export"}, ""},
      {{"--export", ""}, ""},
      {{"--export", "a.jsonl", "--export", ""}, ""},
      {{"--", "--help"}, ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.given);
    const auto line = read(row.given);
    CHECK(line.not_a_session_because == row.because);
    CHECK(line.is_session == row.because.empty());
  }
}

TEST_CASE("an older version has fewer subcommands, and reads their names as prompts") {
  CHECK(read({"auth"}, {0, 83, 0}).not_a_session_because == "auth");
  CHECK(read({"auth"}, {0, 80, 6}).prompts == arguments{"auth"});
  CHECK(read({"mcp"}, {0, 87, 1}).prompts == arguments{"mcp"});
}

TEST_CASE("the session is the one that Pi opens") {
  struct row {
    arguments given;
    session_choice choice;
    std::string value;
  };
  const row rows[] = {
      {{}, session_choice::fresh, ""},
      {{"--session", "a/b"}, session_choice::file, "a/b"},
      {{"--session", "b.jsonl"}, session_choice::file, "b.jsonl"},
      {{"--session", "0199"}, session_choice::id_start, "0199"},
      {{"--session", "-c"}, session_choice::id_start, "-c"},
      {{"--session", ""}, session_choice::fresh, ""},
      {{"--session"}, session_choice::fresh, ""},
      {{"--session=a/b"}, session_choice::fresh, ""},
      {{"--session-id", "mine"}, session_choice::exact_id, "mine"},
      {{"-c"}, session_choice::latest, ""},
      {{"--continue", "go on"}, session_choice::latest, ""},
      {{"-r"}, session_choice::pick, ""},
      {{"-c", "--resume"}, session_choice::pick, ""},
      {{"-r", "--session", "a/b"}, session_choice::file, "a/b"},
      {{"--fork", "0199"}, session_choice::fork, "0199"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.given);
    const auto line = read(row.given);
    CHECK(to_string(line.session) == std::string(to_string(row.choice)));
    CHECK(line.session_value == row.value);
  }
}

TEST_CASE("a fork may name the id of its copy") {
  const auto line = read({"--fork", "a.jsonl", "--session-id", "copy"});
  CHECK(line.session == session_choice::fork);
  CHECK(line.fork_id == "copy");
  CHECK_FALSE(read({"--fork", "a.jsonl"}).fork_id.has_value());
}

TEST_CASE("--no-session, --session-dir and the trust options are seen") {
  const auto line = read({"--no-session", "--session-dir", "~/logs", "-a"});
  CHECK(line.no_session);
  CHECK(line.session_dir == "~/logs");
  CHECK(line.project_trust == true);
  CHECK(read({"--no-approve"}).project_trust == false);
  const auto plain = read({"--name", "--no-session"});
  CHECK_FALSE(plain.no_session);
  CHECK_FALSE(plain.session_dir.has_value());
  CHECK_FALSE(plain.project_trust.has_value());
}

TEST_CASE("the first start gets the arguments as they are") {
  const arguments given{"-p",  "one",       "--plan",  "deep", "@a.md",
                        "two", "--session", "s.jsonl", "-q"};
  const auto line = read(given);
  CHECK(line.first_start == given);
  CHECK(line.prompts == arguments{"one", "two"});
  CHECK(line.files == arguments{"a.md"});
}

TEST_CASE("a restart repeats no prompt, no file and no choice of session") {
  struct row {
    arguments given;
    arguments restart;
  };
  const row rows[] = {
      {{"do it"}, {}},
      {{"-p", "do it"}, {"-p"}},
      {{"-p", "---do it"}, {"-p"}},
      {{"-p", "@a.md", "do it"}, {"-p"}},
      {{"--print", "--model", "x/y", "do it"}, {"--print", "--model", "x/y"}},
      {{"--mode", "rpc"}, {"--mode", "rpc"}},
      {{"-c", "go on"}, {}},
      {{"-r"}, {}},
      {{"--session", "s.jsonl", "--thinking", "high"}, {"--thinking", "high"}},
      {{"--session-id", "mine", "--verbose"}, {"--verbose"}},
      {{"--fork", "s.jsonl", "-e", "x.ts"}, {"-e", "x.ts"}},
      {{"--session-dir", "logs"}, {"--session-dir", "logs"}},
      {{"--name", "night", "-t", "read,bash"}, {"-t", "read,bash"}},
      {{"--plan", "deep", "go"}, {"--plan", "deep"}},
      {{"--plan", "--session", "s.jsonl", "go"}, {"--plan"}},
      {{"--plan=deep", "go"}, {"--plan=deep"}},
      {{"--append-system-prompt", "@rules.md"}, {"--append-system-prompt", "@rules.md"}},
      {{"--model", "m", "--", "-1", "@f"}, {"--model", "m"}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.given);
    CHECK(read(row.given).restart == row.restart);
  }
}

TEST_CASE("what follows -- is prompts and files") {
  const auto line = read({"-p", "--", "- list", "@f", "--help", "--"});
  CHECK(line.is_session);
  CHECK(line.prompts == arguments{"- list", "--help", "--"});
  CHECK(line.files == arguments{"f"});
  CHECK(line.first_start == arguments{"-p", "--", "- list", "@f", "--help", "--"});
}

TEST_CASE("a -- that is the value of an option ends nothing") {
  const auto line = read({"--system-prompt", "--", "-p", "hi"});
  CHECK(line.mode == pi_mode::print);
  CHECK(line.prompts == arguments{"hi"});
}

TEST_CASE("-- never reaches a version that does not know it") {
  const auto line = read({"-p", "--", "hi", "@f"}, oldest);
  CHECK(line.first_start == arguments{"hi", "@f", "-p"});
  CHECK(line.prompts == arguments{"hi"});

  CHECK(read({"--plan", "--", "hi"}, oldest).first_start == arguments{"hi", "--plan"});
  CHECK(read({"--plan", "x", "--", "hi"}, oldest).first_start == arguments{"--plan", "x", "hi"});
  CHECK(read({"--", "hi"}, oldest).first_start == arguments{"hi"});

  const auto refused = parse_command_line({"-p", "--", "- list"}, oldest);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().kind == error_kind::usage);
  CHECK(refused.error().message.find("Pi 0.80.6") != std::string::npos);
  CHECK(refused.error().message.find("- list") != std::string::npos);
}

TEST_CASE("a flag that an old version does not know may have a value there") {
  CHECK(read({"--no-mcp", "go"}, newest).prompts == arguments{"go"});
  CHECK(read({"--no-mcp", "go"}, {0, 87, 1}).restart == arguments{"--no-mcp", "go"});
  CHECK(read({"--mode", "-p"}, {0, 83, 0}).mode == pi_mode::terminal);
  CHECK(read({"--mode", "-p"}, {0, 87, 1}).mode == pi_mode::print);
}

TEST_CASE("credentials are masked wherever they stand") {
  struct row {
    arguments given;
    arguments masked;
  };
  const row rows[] = {
      {{"--api-key", "sk-1", "-p", "hi"}, {"--api-key", "***", "-p", "hi"}},
      {{"--api-key=sk-1"}, {"--api-key=***"}},
      {{"--api-key"}, {"--api-key"}},
      {{"--my-token", "t"}, {"--my-token", "***"}},
      {{"--MY_SECRET=t=u", "x"}, {"--MY_SECRET=***", "x"}},
      {{"--db-password", "--", "x"}, {"--db-password", "--", "x"}},
      {{"--model", "keymaker", "go"}, {"--model", "keymaker", "go"}},
      {{"--plan", "token"}, {"--plan", "token"}},
      {{"hi", "--", "--api-key"}, {"hi", "--", "--api-key"}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.given);
    CHECK(mask_credentials(row.given, newest) == row.masked);
    CHECK(read(row.given).masked == row.masked);
  }
}

TEST_CASE("no bytes upset the parser") {
  for (const std::string& odd :
       {std::string(), std::string("-"), std::string("@"), std::string("---"),
        std::string("\0x", 2), std::string("\xff\xfe"), std::string(100000, '-')}) {
    for (const auto& version : {oldest, newest}) {
      CHECK(parse_command_line({odd}, version).has_value());
      CHECK(parse_command_line({"--session", odd}, version).has_value());
      CHECK(parse_command_line({odd, "--mode", odd, odd}, version).has_value());
    }
  }
}
