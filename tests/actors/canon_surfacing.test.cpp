#include "tests/actors/canon_scene.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace resilient;
using namespace resilient::test;
using nlohmann::json;

namespace {

const std::string config_line = "\nsrc/core/config (updated 2026-11-30): Env beats file.";

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

TEST_CASE("a touch brings the governing article's line before the next request, once") {
  canon_scene run;
  CHECK(run.held()["touch"] == true);
  CHECK(run.held()["ask_turn"] == true);
  run.read("src/core/config.ts");
  CHECK(run.steered().empty()); // nothing before the turn ends
  const std::string text = run.surfaces();
  CHECK(holds(text, config_line));
  CHECK(text.find("[canon] ") == 0);
  const json steer = run.directives(run.connection, "steer").back();
  CHECK(steer["custom_type"] == "resilient-canon");
  CHECK(steer.value("display", false) == false);
  run.read("src/core/config.ts");
  CHECK(run.surfaces().empty());
}

TEST_CASE("the message and its needle are there before the reply that lets the run go on") {
  canon_scene run;
  run.read("src/core/config.ts");
  const std::size_t before = run.written(run.connection).size();
  run.turn("works", true);
  std::vector<std::string> order;
  const auto& all = run.written(run.connection);
  for (std::size_t each = before; each < all.size(); ++each) {
    order.push_back(all[each].value("type", ""));
  }
  CHECK(order == std::vector<std::string>{"set", "steer", "reply"});
}

TEST_CASE("parallel calls bring one message") {
  canon_scene run;
  run.read("docs/plan.md");
  run.read("src/core/config.ts");
  run.touch("bash", {{"command", "cat src/core/config.ts docs/plan.md"}});
  const std::string text = run.surfaces();
  CHECK(holds(text, "\ndocs (updated 2026-11-28): "));
  CHECK(holds(text, config_line));
  CHECK(lines_in(text) == 2);
}

TEST_CASE("reading or writing the article through the tool takes its line back") {
  for (const json& call : {json{{"action", "read"}, {"path", "src/core/config"}},
                           json{{"action", "write"},
                                {"path", "src/core/config"},
                                {"capsule", "Env beats file, file beats defaults."}}}) {
    CAPTURE(call.dump());
    canon_scene run;
    run.read("src/core/config.ts");
    CHECK(run.canon(call)["is_error"] == false);
    CHECK(run.surfaces().empty());
    run.read("src/core/config.ts");
    CHECK(run.surfaces().empty());
  }
}

TEST_CASE("a turn that ends the run is told nothing; what it touched comes with the next prompt") {
  canon_scene run;
  run.read("src/core/config.ts");
  run.turn("done", false);
  CHECK(run.steered().empty());
  CHECK(run.steered(true).empty());
  run.settles();
  CHECK(run.steered().empty());
  REQUIRE(run.steered(true).size() == 1);
  CHECK(holds(run.steered(true)[0], config_line));
}

TEST_CASE("a change without an update is reminded of once, when the agent settles") {
  canon_scene run;
  run.edit("src/core/config.ts");
  run.surfaces();
  run.turn("done", false);
  run.settles();
  REQUIRE(run.steered(true).size() == 1);
  CHECK(holds(run.steered(true)[0], "Touched but not updated: src/core/config."));
  run.settles();
  CHECK(run.steered(true).size() == 1);
}

TEST_CASE("what is still to be shown and the reminder are one message") {
  canon_scene run;
  run.edit("src/core/config.ts");
  run.turn("done", false);
  run.settles();
  REQUIRE(run.steered(true).size() == 1);
  CHECK(holds(run.steered(true)[0], config_line));
  CHECK(holds(run.steered(true)[0], "\nTouched but not updated: src/core/config."));
}

TEST_CASE("no reminder after a failed change, after an update, or when nothing was changed") {
  canon_scene failed;
  failed.edit("src/core/config.ts", true);
  failed.surfaces();
  failed.settles();
  CHECK(failed.steered(true).empty());

  canon_scene updated;
  updated.edit("src/core/config.ts");
  updated.surfaces();
  updated.canon({{"action", "write"}, {"path", "src/core/config"}, {"capsule", "New truth."}});
  updated.settles();
  CHECK(updated.steered(true).empty());

  canon_scene looked;
  looked.read("src/core/config.ts");
  looked.surfaces();
  looked.settles();
  CHECK(looked.steered(true).empty());
}

TEST_CASE("a goal's continuation carries the reminder: one message, not two") {
  canon_scene run;
  run.declare_goal("build it");
  run.send(run.connection, {{"type", "agent_start"}});
  run.edit("src/core/config.ts");
  run.surfaces();
  run.turn("a part is done", false);
  const json reply = run.settles();
  REQUIRE(reply.contains("send"));
  CHECK(holds(reply["send"]["text"], "build it"));
  CHECK(holds(reply["send"]["text"], "\n\n[canon] Touched but not updated: src/core/config."));
  CHECK(run.steered(true).empty());
}

TEST_CASE("a goal that waits keeps the reminder for its continuation") {
  canon_scene run;
  run.declare_goal("build it");
  run.send(run.connection, {{"type", "agent_start"}});
  run.edit("src/core/config.ts");
  run.surfaces();
  run.settles({{"stop", "error"}, {"error", "503 overloaded"}});
  REQUIRE(run.goal().contains("wait"));
  CHECK(run.steered(true).empty());
  const auto sent = [&] { return run.directives(run.connection, "send"); };
  const std::size_t before = sent().size();
  SUBCASE("and it carries it") {
    run.advance(std::chrono::minutes{10});
    REQUIRE(sent().size() > before);
    const json last = sent()[before];
    CHECK(holds(last["text"], "build it"));
    CHECK(holds(last["text"], "\n\n[canon] Touched but not updated: src/core/config."));
    CHECK(run.steered(true).empty());
    SUBCASE("again when Pi did not take it") {
      run.send(
          run.connection,
          {{"type", "directive_result"}, {"did", last["did"]}, {"ok", false}, {"error", "busy"}});
      const std::size_t tried = sent().size();
      run.advance(std::chrono::minutes{10});
      REQUIRE(sent().size() > tried);
      CHECK(holds(sent()[tried]["text"], "Touched but not updated: src/core/config."));
    }
    SUBCASE("once") {
      run.send(run.connection, {{"type", "directive_result"}, {"did", last["did"]}, {"ok", true}});
      run.send(run.connection, {{"type", "agent_start"}});
      const json reply = run.settles();
      REQUIRE(reply.contains("send"));
      CHECK_FALSE(holds(reply["send"]["text"], "Touched but not updated"));
    }
  }
  SUBCASE("unless the goal ends in its wait") {
    run.send(run.connection,
             {{"type", "command"}, {"id", ++run.id}, {"name", "goal"}, {"args", "pause"}});
    REQUIRE(run.steered(true).size() == 1);
    CHECK(holds(run.steered(true)[0], "Touched but not updated: src/core/config."));
  }
  SUBCASE("unless a person goes on meanwhile; then the end of that run brings it") {
    run.input("user", false);
    run.send(run.connection, {{"type", "agent_start"}});
    run.turn("done", false);
    const json reply = run.settles();
    const std::string continued =
        reply.contains("send") ? reply["send"]["text"].get<std::string>() : "";
    CHECK(holds(continued, "Touched but not updated: src/core/config."));
  }
}

TEST_CASE("a reminder whose continuation Pi did not take is given again") {
  canon_scene run;
  run.declare_goal("build it");
  run.send(run.connection, {{"type", "agent_start"}});
  run.edit("src/core/config.ts");
  run.surfaces();
  const json reply = run.settles();
  REQUIRE(reply.contains("send"));
  run.send(run.connection, {{"type", "directive_result"},
                            {"token", reply["send"]["token"]},
                            {"ok", false},
                            {"error", "busy"}});
  run.settles({{"pending", true}});
  REQUIRE(run.steered(true).size() == 1);
  CHECK(holds(run.steered(true)[0], "Touched but not updated: src/core/config."));
}

TEST_CASE("a message that Pi did not take is given again, and counts once") {
  canon_scene run;
  run.read("src/core/config.ts");
  const std::string text = run.surfaces();
  run.send(run.connection, {{"type", "directive_result"},
                            {"did", run.directives(run.connection, "steer").back()["did"]},
                            {"ok", false},
                            {"error", "no run to steer"}});
  CHECK(run.needle_keys().empty());
  CHECK(run.surfaces() == text);
  CHECK(holds(run.status(), "Surfaced in this session: 1. The model still has 1,"));
}

TEST_CASE("an article surfaces again on a touch after it left the context, and only then") {
  canon_scene run;
  run.read("src/core/config.ts");
  run.surfaces();
  CHECK(run.needle_keys() == std::vector<std::string>{"src/core/config"});
  run.gone({}); // it was in a request
  run.gone({"src/core/config"});
  CHECK(run.needle_keys().empty());
  CHECK(run.surfaces().empty());
  run.read("src/other.ts");
  CHECK(run.surfaces().empty());
  run.read("src/core/config.ts");
  CHECK(holds(run.surfaces(), config_line));
}

TEST_CASE("a message that Pi delivers some requests later does not count as gone meanwhile") {
  canon_scene run;
  run.read("src/core/config.ts");
  run.surfaces();
  run.gone({"src/core/config"});
  run.read("src/core/config.ts");
  CHECK(run.surfaces().empty());
  run.gone({"src/core/config"});
  CHECK(run.needle_keys().size() == 1);
  run.gone({"src/core/config"});
  CHECK(run.needle_keys().empty());
}

TEST_CASE("without resurface an article comes once in a session") {
  canon_scene run{json::object(), R"({"canon":{"resurface":false}})"};
  run.read("src/core/config.ts");
  CHECK(holds(run.surfaces(), config_line));
  CHECK(run.needle_keys().empty());
  run.gone({"src/core/config"});
  run.read("src/core/config.ts");
  CHECK(run.surfaces().empty());
}

TEST_CASE("nothing is asked of Pi where nothing can surface") {
  struct row {
    const char* what;
    json hello;
    std::string project;
    bool has_store;
  };
  const row rows[] = {
      {"surface is off", json::object(), R"({"canon":{"surface":false}})", true},
      {"the project is not trusted", {{"trusted", false}}, "", true},
      {"there is no store", json::object(), "", false},
  };
  for (const row& each : rows) {
    CAPTURE(each.what);
    canon_scene run{each.hello, each.project};
    if (!each.has_store) {
      std::filesystem::remove_all(run.folder / ".canon");
      run.connect({{"trusted", true}, {"reason", "new"}});
    }
    CHECK(run.held().value("touch", false) == false);
    CHECK(run.held().value("ask_turn", false) == false);
    run.edit("src/core/config.ts");
    CHECK(run.surfaces().empty());
    run.settles();
    CHECK(run.steered(true).empty());
  }
}

TEST_CASE("a project cannot turn on what its user turned off, nor can a mistake beside it") {
  for (const std::string own : {R"({"surface":false})", R"({"surface":"off","standuot":2})"}) {
    CAPTURE(own);
    canon_scene run{json::object(), R"({"canon":{"surface":true}})"};
    run.put("config/canon/settings.json", own);
    run.connect({{"trusted", true}, {"reason", "new"}});
    CHECK(run.held().value("touch", false) == false);
    run.edit("src/core/config.ts");
    CHECK(run.surfaces().empty());
  }
}

TEST_CASE("a store that the agent makes is watched from then on") {
  canon_scene run;
  std::filesystem::remove_all(run.folder / ".canon");
  run.connect({{"trusted", true}, {"reason", "new"}});
  CHECK(run.held().value("touch", false) == false);
  run.canon({{"action", "write"}, {"path", "src"}, {"capsule", "All sources."}});
  CHECK(run.held()["touch"] == true);
  CHECK(run.held()["ask_turn"] == true);
}

TEST_CASE("a store that appears otherwise is seen when the next run begins") {
  canon_scene run;
  std::filesystem::rename(run.folder / ".canon", run.folder / "elsewhere");
  run.connect({{"trusted", true}, {"reason", "new"}});
  CHECK(run.held().value("touch", false) == false);
  std::filesystem::rename(run.folder / "elsewhere", run.folder / ".canon");
  run.send(run.connection, {{"type", "agent_start"}});
  CHECK(run.held()["touch"] == true);
}

TEST_CASE("turning surfacing off takes effect at once") {
  canon_scene run;
  run.read("src/core/config.ts");
  run.send(run.connection, {{"type", "canon"},
                            {"id", ++run.id},
                            {"body", {{"action", "set"}, {"key", "surface"}, {"value", "off"}}}});
  CHECK(run.held()["touch"] == false);
  CHECK(run.held()["ask_turn"] == false);
  CHECK(run.surfaces().empty());
}

TEST_CASE("what the model still sees in another context is not shown again, what is gone is") {
  const json same = {{"id", "s"}, {"file", "/s.jsonl"}};
  const json other = {{"id", "other"}, {"file", "/other.jsonl"}};
  struct row {
    const char* reason;
    json session;
    bool looks_for_it; ///< Pi goes on looking for the line that it was shown
  };
  const row rows[] = {
      {"resync", same, true},   {"reload", same, true}, {"startup", same, true},
      {"resume", same, true},   {"fork", other, true},  {"resume", other, true},
      {"startup", other, true}, {"new", other, false},
  };
  for (const row& each : rows) {
    for (const bool is_gone : {false, true}) {
      CAPTURE(each.reason);
      CAPTURE(each.session.dump());
      CAPTURE(is_gone);
      canon_scene run{{{"session", same}}};
      run.read("src/core/config.ts");
      run.surfaces();
      run.gone({}); // it was in a request
      run.connect({{"trusted", true}, {"reason", each.reason}, {"session", each.session}});
      CHECK(run.steered().empty()); // nothing greets a session
      CHECK(run.needle_keys().size() == (each.looks_for_it ? 1 : 0));
      if (is_gone) {
        run.gone({"src/core/config"});
      }
      run.read("src/core/config.ts");
      CHECK(run.surfaces().empty() == (each.looks_for_it && !is_gone));
    }
  }
}

TEST_CASE("a process that goes on with a session knows what the log holds of lines") {
  const json entry = {{"type", "custom_message"},
                      {"customType", "resilient-canon"},
                      {"content", "[canon] This article governs what you touched.\nsrc/core/config "
                                  "(updated 2026-11-30): Env beats file."}};
  struct row {
    const char* reason;
    bool trusted;
    bool has_log;
    bool looks_for_it;
  };
  const row rows[] = {
      {"startup", true, true, true},  {"resume", true, true, true}, {"reload", true, true, true},
      {"fork", true, true, true},     {"new", true, true, false},   {"startup", false, true, false},
      {"resume", true, false, false},
  };
  for (const row& each : rows) {
    for (const bool is_gone : {false, true}) {
      CAPTURE(each.reason);
      CAPTURE(each.trusted);
      CAPTURE(is_gone);
      canon_scene run;
      if (each.has_log) {
        run.put("log.jsonl", "{\"type\":\"session\"}\n" + entry.dump() + "\n{\"cut off");
      }
      run.connect({{"trusted", each.trusted},
                   {"reason", each.reason},
                   {"session", {{"id", "elsewhere"}, {"file", run.folder / "log.jsonl"}}}});
      CHECK(run.steered().empty());
      CHECK(run.needle_keys().size() == (each.looks_for_it ? 1 : 0));
      if (is_gone) {
        run.gone({"src/core/config"});
      }
      run.read("src/core/config.ts");
      CHECK(run.surfaces().empty() == (!each.trusted || (each.looks_for_it && !is_gone)));
    }
  }
}

TEST_CASE("another project begins anew, and so does another session whose lines cannot depart") {
  const json other = {{"id", "other"}, {"file", "/other.jsonl"}};
  canon_scene moved;
  moved.read("src/core/config.ts");
  moved.surfaces();
  std::filesystem::create_directories(moved.folder / "elsewhere");
  moved.connect({{"trusted", true}, {"reason", "resume"}, {"cwd", moved.folder / "elsewhere"}});
  moved.connect({{"trusted", true}, {"reason", "resume"}});
  CHECK(moved.needle_keys().empty());

  canon_scene once{json::object(), R"({"canon":{"resurface":false}})"};
  once.read("src/core/config.ts");
  once.surfaces();
  once.connect({{"trusted", true}, {"reason", "fork"}, {"session", other}});
  once.read("src/core/config.ts");
  CHECK(holds(once.surfaces(), config_line));
}

TEST_CASE("a session that Pi comes back to knows what it was shown and what it owes") {
  const json first = {{"id", "first"}, {"file", "/first.jsonl"}};
  const json second = {{"id", "second"}, {"file", "/second.jsonl"}};
  canon_scene run{{{"session", first}}};
  run.edit("src/core/config.ts");
  run.surfaces();
  run.connect({{"trusted", true}, {"reason", "new"}, {"session", second}});
  run.gone({"src/core/config"});
  run.read("docs/plan.md");
  CHECK(holds(run.surfaces(), "\ndocs (updated"));
  run.settles();
  CHECK(run.steered(true).empty());
  run.connect({{"trusted", true}, {"reason", "resume"}, {"session", first}});
  CHECK(run.needle_keys() == std::vector<std::string>{"src/core/config"});
  run.read("src/core/config.ts");
  CHECK(run.surfaces().empty());
  run.settles();
  REQUIRE(run.steered(true).size() == 1);
  CHECK(holds(run.steered(true)[0], "Touched but not updated: src/core/config."));
  for (int number = 0; number < 20; ++number) {
    run.connect({{"trusted", true},
                 {"reason", "new"},
                 {"session", {{"id", std::to_string(number)}, {"file", "/other.jsonl"}}}});
  }
  run.connect({{"trusted", true}, {"reason", "resume"}, {"session", first}});
  CHECK_MESSAGE(run.needle_keys().empty(), "so many sessions are not remembered");
}

TEST_CASE("what was changed stays owed by the session, not by another one") {
  for (const bool same : {true, false}) {
    CAPTURE(same);
    canon_scene run{{{"session", {{"id", "s"}, {"file", "/s.jsonl"}}}}};
    run.edit("src/core/config.ts");
    run.surfaces();
    run.connect({{"trusted", true},
                 {"reason", "startup"},
                 {"session", {{"id", same ? "s" : "other"}, {"file", "/s.jsonl"}}}});
    CHECK(run.steered(true).empty());
    run.settles();
    CHECK(run.steered(true).size() == (same ? 1 : 0));
  }
}

TEST_CASE("while a recovery runs nothing surfaces; then what was touched meanwhile does") {
  canon_scene run{json::object(), "", true};
  run.read("src/core/config.ts");
  const json handover = run.turn("bad", true);
  CHECK(handover.contains("entries"));
  CHECK(run.steered().empty());
  run.summary(run.turn_with_handover(), "stop", "The summary.");
  CHECK(run.steered().empty());
  CHECK(run.steered(true).empty());
  run.turn("chirp: works", true);
  REQUIRE(run.steered().size() == 1);
  CHECK(holds(run.steered()[0], config_line));
}

TEST_CASE("a recovery that is paused keeps its silence until a person writes") {
  canon_scene run{json::object(), "", true};
  run.edit("src/core/config.ts");
  run.turn("bad", true);
  run.turn("bad", false);
  run.turn("bad", false);
  run.settles();
  CHECK(run.phase() == "paused");
  CHECK(run.steered().empty());
  CHECK(run.steered(true).empty());
  run.input("user", false);
  run.turn("chirp: works", true);
  REQUIRE(run.steered().size() == 1);
  CHECK(holds(run.steered()[0], config_line));
}

TEST_CASE("after a recovery surfacing goes on") {
  canon_scene run{json::object(), "", true};
  run.recover();
  run.read("src/core/config.ts");
  run.turn("chirp: works", true);
  REQUIRE(run.steered().size() == 1);
  CHECK(holds(run.steered()[0], config_line));
}

TEST_CASE("the canary's end leaves the turns of canon asked for") {
  canon_scene run{json::object(), "", true};
  run.canary("off");
  CHECK(run.held()["ask_turn"] == true);
}

TEST_CASE("/canon tells what surfaced, and the trace why") {
  canon_scene run;
  CHECK(holds(run.status(), "Surfaced in this session: 0. The model still has 0,"));
  run.read("src/core/config.ts");
  run.surfaces();
  CHECK(holds(run.status(), "Surfaced in this session: 1. The model still has 1, surfaced lines "
                            "among them take 53 characters."));
  const auto lines = run.trace();
  REQUIRE(lines.size() == 3);
  CHECK(lines[0]["kind"] == "staged");
  CHECK(lines[0]["path"] == "src/core/config");
  CHECK(lines[1]["kind"] == "surfaced");
  CHECK(lines[2]["kind"] == "flushed");
  CHECK(lines[2]["at"].get<std::string>().find("2026-11-30T") == 0);
}
