#include "core/support/text.hpp"
#include "tests/actors/virtual_run.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <fstream>
#include <map>
#include <string>

using namespace resilient;
using namespace resilient::test;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

/// The fields of the table below a heading of actors/STATE.md; whether each is always there.
std::map<std::string, bool> fields_below(const std::string& heading) {
  std::ifstream file{PI_RESILIENT_STATE_PAGE};
  std::map<std::string, bool> fields;
  bool is_here = false;
  for (std::string text; std::getline(file, text);) {
    const std::string_view line = text;
    if (starts_with(line, "## ")) {
      is_here = trim(line.substr(3)) == heading;
    }
    if (!is_here || !starts_with(line, "| `")) {
      continue;
    }
    const std::string_view names = line.substr(0, line.find('|', 1));
    for (std::size_t at = names.find('`'); at != std::string_view::npos;
         at = names.find('`', at + 1)) {
      const std::size_t end = names.find('`', at + 1);
      const std::string name{names.substr(at + 1, end - at - 1)};
      const bool is_optional = ends_with(name, "?");
      fields[name.substr(0, name.size() - (is_optional ? 1 : 0))] = !is_optional;
      at = end;
    }
  }
  return fields;
}

void check_against(const std::string& heading, const json& written) {
  CAPTURE(heading);
  const auto fields = fields_below(heading);
  REQUIRE_FALSE(fields.empty());
  REQUIRE(written.is_object());
  for (const auto& item : written.items()) {
    const std::string& name = item.key();
    CAPTURE(name);
    CHECK(fields.count(name) == 1);
  }
  for (const auto& [field, always] : fields) {
    const std::string name = field;
    CAPTURE(name);
    CHECK((!always || written.contains(name)));
  }
}

} // namespace

TEST_CASE("the state files hold what their page says, before, in and after a wait") {
  virtual_run run{process::run_mode::rpc};
  run.start();
  check_against("supervisor.json", run.file("supervisor.json"));
  check_against("runtime.json", run.file("runtime.json"));

  run.connect();
  run.send(run.connection,
           {{"type", "command"}, {"id", 2}, {"name", "goal"}, {"args", "build it"}});
  run.live(11s);
  run.send(run.connection, {{"type", "agent_start"}});
  run.send(run.connection,
           {{"type", "boundary"},
            {"id", 3},
            {"at", "settled"},
            {"stop", "error"},
            {"error", R"(429: {"type":"usage_limit_reached","resets_in_seconds":3600})"},
            {"tool_calls", 0},
            {"turns", 1},
            {"idle", true},
            {"pending", false}});
  const json waiting = run.file("runtime.json");
  check_against("runtime.json", waiting);
  check_against("The goal", waiting["goal"]);
  CHECK(waiting.contains("wait"));
  CHECK(waiting["goal"].contains("wait"));

  run.end(process::signaled{SIGKILL});
  const json without_pi = run.file("supervisor.json");
  check_against("supervisor.json", without_pi);
  CHECK(without_pi.contains("waiting_until"));
}

TEST_CASE("a key that a provider quotes in its refusal is kept nowhere") {
  const std::string key = "sk-" + std::string(48, 'k');
  virtual_run run{process::run_mode::rpc};
  run.start();
  run.connect();
  run.send(run.connection,
           {{"type", "command"}, {"id", 2}, {"name", "goal"}, {"args", "build it"}});
  run.send(run.connection, {{"type", "agent_start"}});
  const std::string error = "401: Incorrect API key provided: " + key;
  run.send(run.connection, {{"type", "turn_end"}, {"stop", "error"}, {"error", error}});
  const auto frames = run.send(run.connection, {{"type", "boundary"},
                                                {"id", 3},
                                                {"at", "settled"},
                                                {"stop", "error"},
                                                {"error", error},
                                                {"tool_calls", 0},
                                                {"turns", 1},
                                                {"idle", true},
                                                {"pending", false}});
  std::string kept = run.file("runtime.json").dump() + run.events();
  for (const json& each : frames) {
    kept += each.dump();
  }
  CHECK(kept.find(key) == std::string::npos);
  CHECK(kept.find("sk-***") != std::string::npos);
}
