#include "core/support/text.hpp"
#include "tests/core/goal/goal_host.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

using namespace resilient;
using namespace resilient::goal;
using namespace resilient::goal::test;

TEST_CASE("a declared goal is sent at once and continued after every answer until it is complete") {
  host pi;
  pi.open();
  pi.pass(2s);
  CHECK(pi.type("build the thing") == "The goal is set.");
  REQUIRE(pi.sent() == 1);
  CHECK(pi.continuations[0].text.find("build the thing") != std::string::npos);
  for (std::size_t turn = 2; turn <= 5; ++turn) {
    pi.answer();
    REQUIRE(pi.sent() == turn);
  }
  pi.send(run_started{});
  CHECK(pi.tool("update_goal", {{"status", "complete"}}).find("complete") != std::string::npos);
  pi.answer();
  CHECK(pi.sent() == 5);
  CHECK(pi.footer == "goal complete");
  CHECK(pi.published.active == false);
}

TEST_CASE("without a launcher, who declares a goal hears that it ends with this Pi") {
  host pi;
  scheduler_options options;
  options.outlives_pi = false;
  pi.machine = scheduler{options, 1};
  pi.open();
  CHECK(pi.type("build the thing").find("only the launcher") != std::string::npos);
  REQUIRE(pi.sent() == 1);
}

TEST_CASE("every continuation demands a look at the current state and names the objective") {
  active_host pi;
  pi.answer();
  pi.fail_with("503: overloaded");
  pi.pass(5min);
  pi.answer(0);
  pi.answer(0);
  REQUIRE(pi.sent() >= 4);
  for (const continue_with& each : pi.continuations) {
    CHECK(each.text.find("Inspect the current state") != std::string::npos);
    CHECK(each.text.find("build the thing") != std::string::npos);
    CHECK(each.text.find("update_goal") != std::string::npos);
  }
}

TEST_CASE("the word complete in an answer ends nothing") {
  active_host pi;
  pi.answer();
  CHECK(pi.machine.goal().state == phase::active);
  CHECK(pi.sent() == 2);
}

TEST_CASE("only whole arguments are reserved") {
  struct row {
    const char* arguments;
    const char* objective;
  };
  const row rows[] = {{"pause the music at noon", "pause the music at noon"},
                      {"complete all tests", "complete all tests"},
                      {"Resume", "Resume"},
                      {"clear  cache", "clear  cache"}};
  for (const row& row : rows) {
    CAPTURE(row.arguments);
    host pi;
    pi.open();
    pi.type(row.arguments);
    CHECK(pi.machine.goal().objective == row.objective);
  }
}

TEST_CASE("pause stops continuing, resume goes on at once, clear and complete end the goal") {
  active_host pi;
  pi.type("pause");
  CHECK(pi.footer == "goal paused (user)");
  pi.answer();
  pi.pass(1h);
  CHECK(pi.sent() == 1);
  pi.type("resume");
  CHECK(pi.sent() == 2);
  pi.answer();
  CHECK(pi.sent() == 3);
  pi.type("clear");
  pi.answer();
  CHECK(pi.sent() == 3);
  CHECK(pi.footer.empty());
  CHECK(pi.type("resume") == "There is no goal. /goal TEXT declares one.");

  active_host other;
  other.type("complete");
  other.answer();
  CHECK(other.sent() == 1);
  CHECK(other.footer == "goal complete");
}

TEST_CASE("what was decided survives in the session entry") {
  for (const char* command : {"pause", "clear", "complete"}) {
    CAPTURE(command);
    active_host pi;
    pi.type(command);
    host next;
    next.entry = pi.entry;
    next.previous_death = "killed by SIGKILL";
    next.open();
    next.pass(1h);
    CHECK(next.sent() == 0);
  }
}

TEST_CASE("after a death the goal goes on, once, and says what happened") {
  active_host pi;
  pi.answer();
  host next;
  next.entry = pi.entry;
  next.previous_death = "killed by SIGKILL";
  next.open();
  CHECK(next.sent() == 0);
  next.pass(2s);
  REQUIRE(next.sent() == 1);
  CHECK(next.continuations[0].text.find("killed by SIGKILL") != std::string::npos);
  next.pass(30s);
  CHECK(next.sent() == 1);
  next.answer();
  REQUIRE(next.sent() == 2);
  CHECK(next.continuations[1].text.find("SIGKILL") == std::string::npos);
}

TEST_CASE("a Pi that was started in place of a dead one goes on at once") {
  active_host pi;
  pi.answer();
  host next;
  next.entry = pi.entry;
  next.previous_death = "killed by SIGKILL";
  next.restarted = true;
  next.open();
  next.pass(10ms);
  CHECK(next.sent() == 1);
  next.pass(30s);
  CHECK(next.sent() == 1);
}

TEST_CASE("a prompt that the person typed first is answered first") {
  active_host before;
  host pi;
  pi.entry = before.entry;
  pi.open();
  pi.send(run_started{});
  pi.pass(10s);
  CHECK(pi.sent() == 0);
  boundary settled;
  settled.stop = "stop";
  settled.turns = 1;
  pi.send(settled);
  CHECK(pi.sent() == 1);
}

TEST_CASE("queued input of the person goes first") {
  active_host pi;
  pi.send(run_started{});
  boundary settled;
  settled.stop = "stop";
  settled.tool_calls = 1;
  settled.pending = true;
  pi.send(settled);
  CHECK(pi.sent() == 1);
  pi.answer();
  CHECK(pi.sent() == 2);
}

TEST_CASE("a forked session's goal starts paused, a resumed one goes on") {
  active_host pi;
  host fork;
  fork.entry = pi.entry;
  fork.open("fork");
  fork.pass(1min);
  CHECK(fork.sent() == 0);
  CHECK(fork.footer == "goal paused (fork)");
  host resumed;
  resumed.entry = pi.entry;
  resumed.open("resume");
  resumed.pass(1min);
  CHECK(resumed.sent() == 1);
}

TEST_CASE("tree navigation brings back the goal of that branch") {
  active_host pi;
  const auto with_goal = pi.entry;
  pi.type("pause");
  pi.send(branch_changed{std::nullopt});
  CHECK(pi.footer.empty());
  pi.send(branch_changed{with_goal});
  CHECK(pi.machine.goal().state == phase::active);
}

TEST_CASE("an abort pauses after a second, unless Pi was shutting down") {
  struct row {
    const char* what;
    const char* stop;
    const char* error;
    bool aborted;
    bool escape;
  };
  const row rows[] = {{"Pi says aborted", "aborted", "Request was aborted", true, false},
                      {"only the stop reason says it", "aborted", "", false, false},
                      {"Escape in Pi's own backoff", "error", "503: overloaded", false, true}};
  for (const row& row : rows) {
    CAPTURE(row.what);
    boundary settled;
    settled.stop = row.stop;
    settled.error = row.error;
    settled.aborted = row.aborted;
    settled.escape = row.escape;

    active_host pi;
    pi.send(run_started{});
    pi.send(settled);
    CHECK(pi.sent() == 1);
    CHECK(pi.machine.goal().state == phase::active);
    pi.pass(2s);
    CHECK(pi.footer == "goal paused (abort)");
    pi.pass(1h);
    CHECK(pi.sent() == 1);

    active_host stopped;
    stopped.send(run_started{});
    stopped.send(settled);
    stopped.send(goodbye{"quit"});
    stopped.pass(1h);
    CHECK(stopped.machine.goal().state == phase::active);
  }
}

TEST_CASE("failures that pass are retried with growing bounded delays") {
  active_host pi;
  std::chrono::nanoseconds longest{};
  for (int failure = 1; failure <= 14; ++failure) {
    const auto before = pi.sent();
    pi.fail_with("503: {\"message\":\"overloaded\"}");
    REQUIRE(pi.machine.goal().wait.has_value());
    const auto length = pi.machine.goal().wait->length;
    CHECK(length <= backoff{2s, 5min}.ceiling(failure));
    longest = std::max<std::chrono::nanoseconds>(longest, length);
    pi.pass(5min);
    REQUIRE(pi.sent() == before + 1);
  }
  CHECK(longest > 1min);
  CHECK(longest <= 5min);
  pi.answer();
  pi.fail_with("503: {\"message\":\"overloaded\"}");
  CHECK(pi.machine.goal().wait->length <= 2s);
}

TEST_CASE("a usage limit with a reset waits for that instant, also in the next process") {
  active_host pi;
  const auto reset =
      std::chrono::duration_cast<std::chrono::seconds>((origin.wall + 3h).time_since_epoch());
  pi.fail_with(fmt::format("429: {{\"type\":\"usage_limit_reached\",\"message\":\"The usage limit "
                           "has been reached\",\"resets_at\":{}}}",
                           reset.count()));
  REQUIRE(pi.machine.goal().wait.has_value());
  REQUIRE(pi.machine.goal().wait->reset_at.has_value());
  const auto until = *pi.machine.goal().wait->reset_at;
  CHECK(until >= origin.wall + 3h + 15s);
  CHECK(until <= origin.wall + 3h + 45s);
  CHECK(pi.published.wait.has_value());
  CHECK(pi.footer.find("usage limit") != std::string::npos);

  host next;
  next.now = pi.now.after(1h);
  next.entry = pi.entry;
  next.previous_death = "killed by SIGKILL";
  next.open();
  next.pass(2h - 1s);
  CHECK(next.sent() == 0);
  next.pass(2min);
  CHECK(next.sent() == 1);
}

TEST_CASE("a usage limit without a reset is probed every 15 minutes and says so") {
  active_host pi;
  pi.fail_with("429: You exceeded your current quota, please check your plan: insufficient_quota");
  REQUIRE(pi.machine.goal().wait.has_value());
  CHECK(pi.machine.goal().wait->what == waiting::kind::probe);
  CHECK(pi.machine.goal().wait->length == 15min);
  CHECK_FALSE(pi.machine.goal().wait->reset_at.has_value());
  CHECK(pi.notices.find("named no reset time") != std::string::npos);
  pi.pass(15min - 1s);
  CHECK(pi.sent() == 1);
  pi.pass(2s);
  CHECK(pi.sent() == 2);
}

TEST_CASE("our own wait never lasts longer than its length, whatever the wall clock does") {
  active_host pi;
  pi.fail_with("429: insufficient_quota");
  SUBCASE("set back by a day in the same process") {
    pi.now.wall -= 24h;
    pi.pass(15min + 1s);
    CHECK(pi.sent() == 2);
  }
  SUBCASE("set back by a day, seen by the next process") {
    host next;
    next.now = pi.now.after(1min);
    next.now.wall -= 24h;
    next.entry = pi.entry;
    next.open();
    next.pass(15min + 3s);
    CHECK(next.sent() == 1);
  }
}

TEST_CASE("/goal resume tries now, also inside a wait") {
  active_host pi;
  pi.fail_with("429: insufficient_quota");
  CHECK(pi.type("").find("Next attempt") != std::string::npos);
  CHECK(pi.type("resume") == "Trying now.");
  CHECK(pi.sent() == 2);
}

TEST_CASE("a person's message during a wait is a run of its own and its success ends the wait") {
  active_host pi;
  pi.fail_with("429: insufficient_quota");
  pi.send(input_seen{false});
  pi.answer();
  CHECK_FALSE(pi.machine.goal().wait.has_value());
  CHECK(pi.sent() == 2);
}

TEST_CASE("answers without tool calls slow down, and a tool call or a person resets that") {
  active_host pi;
  pi.answer(0);
  pi.answer(0);
  CHECK(pi.sent() == 3);
  pi.answer(0);
  CHECK(pi.sent() == 3);
  CHECK(pi.footer.find("without any tool call") != std::string::npos);
  std::chrono::milliseconds longest{};
  for (int answer = 0; answer < 20; ++answer) {
    pi.pass(15min);
    pi.answer(0);
    longest = std::max(longest, pi.machine.goal().wait->length);
  }
  CHECK(longest == 15min);
  pi.send(input_seen{false});
  CHECK(pi.machine.goal().without_tools == 0);
  pi.answer(1);
  CHECK_FALSE(pi.machine.goal().wait.has_value());
}

TEST_CASE("a refused request pauses at once, two overflows in a row too") {
  active_host pi;
  pi.fail_with("404: {\"error\":{\"type\":\"not_found_error\",\"message\":\"model: nope\"}}");
  CHECK(pi.footer == "goal paused (config)");

  active_host other;
  const char* overflow =
      "400: {\"message\":\"This model's maximum context length is 128000 tokens\","
      "\"code\":\"context_length_exceeded\"}";
  other.fail_with(overflow);
  CHECK(other.machine.goal().state == phase::active);
  other.pass(5min);
  other.fail_with(overflow);
  CHECK(other.footer == "goal paused (overflow)");
}

TEST_CASE("the agent's blocked is believed when three continuations in a row say so") {
  active_host pi;
  for (int round = 1; round <= 3; ++round) {
    CHECK(pi.machine.goal().state == phase::active);
    pi.send(run_started{});
    pi.tool("update_goal", {{"status", "blocked"}, {"reason", "no key"}});
    pi.answer();
  }
  CHECK(pi.footer == "goal paused (blocked)");

  active_host other;
  for (int round = 1; round <= 6; ++round) {
    other.send(run_started{});
    if (round % 3 != 0) {
      other.tool("update_goal", {{"status", "blocked"}});
    }
    other.answer();
  }
  CHECK(other.machine.goal().state == phase::active);
}

TEST_CASE("the goal tools refuse what they must") {
  host pi;
  pi.open();
  CHECK(starts_with(pi.tool("update_goal", {{"status", "complete"}}), "error: "));
  CHECK(starts_with(pi.tool("create_goal", nlohmann::json::object()), "error: "));
  CHECK(starts_with(pi.tool("create_goal", {{"objective", 7}}), "error: "));
  CHECK(pi.tool("get_goal", nlohmann::json::object()) == "There is no goal.");
  CHECK_FALSE(starts_with(pi.tool("create_goal", {{"objective", "x"}}), "error: "));
  CHECK(starts_with(pi.tool("create_goal", {{"objective", "y"}}), "error: "));
  CHECK(starts_with(pi.tool("update_goal", {{"status", "done"}}), "error: "));
  CHECK(starts_with(pi.tool("update_goal", nlohmann::json::array()), "error: "));
}

TEST_CASE("a boundary whose answer was lost does not hang the goal") {
  active_host pi;
  pi.send(run_started{});
  pi.send(presence{false, false});
  pi.send(presence{true, false});
  CHECK(pi.sent() == 1);
  pi.send(presence{true, false});
  CHECK(pi.sent() == 2);
}

TEST_CASE("a continuation that Pi refused or never began is sent again later, not twice at once") {
  active_host pi;
  pi.begins = false;
  pi.send(send_finished{pi.continuations[0].token, false});
  CHECK(pi.sent() == 1);
  pi.pass(6s);
  CHECK(pi.sent() == 2);
  pi.pass(58s);
  CHECK(pi.sent() == 2);
  pi.pass(2s);
  CHECK(pi.sent() == 3);
}

TEST_CASE("goals are inert while somebody else holds the session") {
  active_host pi;
  pi.send(inert_changed{"held by pid 7"});
  pi.answer();
  CHECK(pi.sent() == 1);
  CHECK_FALSE(pi.published.active);
  CHECK(pi.type("resume").find("held by pid 7") != std::string::npos);
  CHECK(starts_with(pi.tool("update_goal", {{"status", "complete"}}), "error: "));
  pi.send(inert_changed{""});
  CHECK(pi.sent() == 2);
}

TEST_CASE("a canary recovery holds the goal, and pauses it when it pauses") {
  active_host pi;
  pi.send(recovery_changed{true});
  pi.answer();
  CHECK(pi.sent() == 1);
  pi.send(recovery_changed{false});
  CHECK(pi.sent() == 2);
  pi.send(recovery_changed{true});
  pi.send(recovery_paused{"the handover failed"});
  CHECK(pi.footer == "goal paused (canary)");
}

TEST_CASE("/resilient-stop pauses and tells the launcher") {
  active_host pi;
  const auto stop = [](host& of) {
    return of.send(command{"resilient-stop", ""}).command.value().notices.at(0).text;
  };
  CHECK(stop(pi).find("stays paused") != std::string::npos);
  CHECK(pi.stopped);
  CHECK(pi.machine.goal().state == phase::paused);
  pi.type("complete");
  CHECK(stop(pi).find("paused") == std::string::npos);
  CHECK(pi.machine.goal().state == phase::complete);
  host none;
  none.open();
  CHECK(stop(none).find("goal") == std::string::npos);
}

TEST_CASE("print mode that outlives settling is kept open for a wait and released by a pause") {
  active_host pi{host_mode::print};
  const outcome out = pi.fail_with("429: insufficient_quota");
  REQUIRE(std::holds_alternative<keep_open>(out.at_boundary));
  CHECK(std::get<keep_open>(out.at_boundary).length >= 15min);
  pi.pass(15min + 1s);
  CHECK(pi.sent() == 2);
  pi.fail_with("429: insufficient_quota");
  pi.type("pause");
  CHECK(pi.releases == 1);
}

TEST_CASE("print mode is not continued when its session opens: its prompt is on the command line") {
  active_host before{host_mode::print};
  host pi{host_mode::print};
  pi.entry = before.entry;
  pi.open();
  pi.pass(10s);
  CHECK(pi.sent() == 0);
  CHECK(pi.published.restart_prompt.find("build the thing") != std::string::npos);
}

TEST_CASE("a print mode that does not outlive settling is never kept open") {
  host pi{host_mode::print};
  pi.settles_in_print = false;
  pi.open();
  pi.type("build the thing");
  const outcome out = pi.fail_with("429: insufficient_quota");
  CHECK(std::holds_alternative<let_settle>(out.at_boundary));
  CHECK(pi.published.wait.has_value());
}

TEST_CASE("an entry that cannot be read is told and continues nothing") {
  for (const nlohmann::json& data :
       {nlohmann::json(3), nlohmann::json{{"version", 2}}, nlohmann::json{{"version", 1}},
        nlohmann::json{{"version", 1}, {"id", 1}, {"objective", "x"}, {"state", "active"}},
        nlohmann::json{{"version", 1}, {"id", "1"}, {"objective", "x"}, {"state", "fast"}}}) {
    CAPTURE(data.dump());
    host pi;
    pi.entry = data;
    pi.open();
    pi.pass(1min);
    CHECK(pi.sent() == 0);
    CHECK(pi.notices.find("cannot be read") != std::string::npos);
  }
}

TEST_CASE("a goal reads back as it was written") {
  active_host pi;
  pi.fail_with("429: insufficient_quota");
  const auto read = record_from_json(*pi.entry);
  REQUIRE(read.has_value());
  CHECK(*read == pi.machine.goal());
}

TEST_CASE("work that was done before a failure makes it the first one in a row") {
  active_host pi;
  for (int failure = 1; failure <= 12; ++failure) {
    pi.fail_with("503: overloaded");
    pi.pass(5min);
  }
  CHECK(pi.machine.goal().failures == 12);
  pi.answer(0);
  pi.answer(0);
  pi.send(run_started{});
  boundary settled;
  settled.stop = "error";
  settled.error = "503: overloaded";
  settled.tool_calls = 7;
  settled.turns = 8;
  for (int round = 0; round < 3; ++round) {
    pi.send(settled);
    CHECK(pi.machine.goal().failures == 1);
    CHECK(pi.machine.goal().without_tools == 0);
    CHECK(pi.machine.goal().wait->length <= 2s);
  }
}

TEST_CASE("a good response takes back the bad one before it") {
  active_host pi;
  const auto fail_after = [&](int last) {
    pi.send(run_started{});
    pi.send(response_seen{429,
                          {{"x-codex-primary-used-percent", "100"},
                           {"x-codex-primary-reset-after-seconds", "7200"}}});
    if (last != 0) {
      pi.send(response_seen{last, {}});
    }
    boundary settled;
    settled.stop = "error";
    settled.error = "terminated";
    pi.send(settled);
    return pi.machine.goal().wait->what;
  };
  CHECK(fail_after(0) == waiting::kind::reset);
  CHECK(fail_after(200) == waiting::kind::backoff);
}

TEST_CASE("a reset that is due and does not come is waited for ever longer") {
  active_host pi;
  std::chrono::milliseconds longest{};
  for (int failure = 1; failure <= 16; ++failure) {
    const auto due =
        std::chrono::duration_cast<std::chrono::seconds>((pi.now.wall + 2s).time_since_epoch());
    pi.fail_with(
        fmt::format("429: {{\"type\":\"usage_limit_reached\",\"resets_at\":{}}}", due.count()));
    const auto left = pi.machine.goal().wait->left(pi.now.wall);
    CHECK(left >= 16s);
    CHECK(left <= 5min);
    longest = std::max(longest, left);
    pi.pass(5min);
  }
  CHECK(longest > 1min);
  CHECK(pi.told() == "limited limited");
}

TEST_CASE("an abort on one branch pauses no goal of another") {
  active_host pi;
  const auto first = pi.entry;
  pi.type("another goal");
  const auto second = pi.entry;
  pi.send(branch_changed{first});
  pi.send(run_started{});
  boundary settled;
  settled.aborted = true;
  settled.stop = "aborted";
  pi.send(settled);
  pi.send(branch_changed{second});
  pi.pass(5s);
  CHECK(pi.machine.goal().state == phase::active);
}

TEST_CASE("blocked, said in a run that failed, is not counted with the next answer") {
  active_host pi;
  pi.send(run_started{});
  pi.tool("update_goal", {{"status", "blocked"}});
  boundary failed;
  failed.stop = "error";
  failed.error = "503: overloaded";
  pi.send(failed);
  pi.pass(1min);
  pi.answer();
  CHECK(pi.machine.goal().blocked == 0);
}

TEST_CASE("figures beyond all measure in an entry are cut, not computed with") {
  active_host pi;
  pi.fail_with("429: insufficient_quota");
  nlohmann::json entry = *pi.entry;
  const auto huge = std::numeric_limits<std::int64_t>::max();
  for (const char* key : {"revision", "turns", "input_tokens", "output_tokens", "continuations",
                          "created_at", "active_ms"}) {
    entry[key] = huge;
  }
  entry["wait"]["length_ms"] = huge;
  entry["wait"]["started_at"] = huge;
  host next;
  next.entry = entry;
  next.open();
  next.pass(1h);
  CHECK(next.sent() == 0);
  CHECK(next.machine.goal().wait->length <= 400 * 24h);
  next.type("resume");
  CHECK(next.sent() == 1);
  next.answer();
  CHECK(next.machine.goal().turns > 0);
  CHECK(next.machine.goal().revision > 0);
}

TEST_CASE("/goal blames the provider for a missing time only where a time was due") {
  active_host limited;
  limited.fail_with("429: insufficient_quota");
  CHECK(limited.type("").find("named no usable time; this is a probe") != std::string::npos);
  active_host refused;
  refused.fail_with("401: invalid_api_key");
  CHECK(refused.type("").find("\nThis is a probe") != std::string::npos);
}

TEST_CASE("a complete goal shows no error that is over") {
  for (const bool by_agent : {true, false}) {
    active_host pi;
    pi.fail_with("503: overloaded");
    CHECK(pi.type("").find("Last error: 503") != std::string::npos);
    if (by_agent) {
      pi.tool("update_goal", {{"status", "complete"}});
    } else {
      pi.type("complete");
    }
    CHECK(pi.type("").find("Last error") == std::string::npos);
  }
}

TEST_CASE("a token is never used twice, also when tree navigation takes the counts back") {
  active_host pi;
  const auto early = pi.entry;
  for (int turn = 0; turn < 3; ++turn) {
    pi.answer();
  }
  pi.send(branch_changed{early});
  pi.answer();
  std::vector<std::string> tokens;
  for (const continue_with& each : pi.continuations) {
    CHECK(std::find(tokens.begin(), tokens.end(), each.token) == tokens.end());
    tokens.push_back(each.token);
  }
  CHECK(tokens.size() >= 5);
}
