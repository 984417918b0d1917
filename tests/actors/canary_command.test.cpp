#include "tests/actors/canary_scene.hpp"

#include <doctest/doctest.h>

using namespace resilient;
using namespace resilient::test;
using namespace std::chrono_literals;
using nlohmann::json;

TEST_CASE("/canary WORD saves the word, turns the mode on and loads the settings again") {
  canary_scene run{json::object(), false};
  run.write_settings("{\n  \"theme\": \"dark\"\n}\n");
  const json reply = run.canary("  Blue Canary ");
  CHECK(reply["reload"] == true);
  CHECK(holds(reply["notices"][0]["text"], "Blue Canary: "));
  CHECK(holds(reply["notices"][0]["text"], "settings.json"));
  CHECK(holds(run.settings(), "\"theme\": \"dark\""));
  CHECK(json::parse(run.settings())["canary"] == "Blue Canary");
  CHECK(run.phase() == "watching");
  CHECK(run.held()["ask_turn"] == true);
  CHECK(holds(run.held()["system_append"], "Blue Canary: "));
  CHECK(holds(run.told().at(run.told().size() - 2)["text"], "canary: Blue Canary"));
}

TEST_CASE("/canary WORD waits for an idle Pi and changes nothing before") {
  canary_scene run{json::object(), false};
  const json reply = run.canary("chirp", false);
  CHECK(reply["wait_idle"] == true);
  CHECK(reply["reload"] == false);
  CHECK(run.settings().empty());
  CHECK(run.phase().empty());
  CHECK_FALSE(run.held().contains("ask_turn"));
}

TEST_CASE("a save that fails changes neither the file nor the mode") {
  canary_scene run{json::object(), false};
  run.write_settings("{\"canary\": ");
  const json reply = run.canary("chirp");
  CHECK(reply["reload"] == false);
  CHECK(reply["notices"][0]["level"] == "warning");
  CHECK(run.settings() == "{\"canary\": ");
  CHECK(run.phase().empty());
  CHECK_FALSE(run.held().contains("ask_turn"));
}

TEST_CASE("a keyword that cannot be used is refused with the reason") {
  canary_scene run{json::object(), false};
  for (const char* word : {"two\nlines", "\x1b[31m"}) {
    const json reply = run.canary(word);
    CHECK(holds(reply["notices"][0]["text"], "The canary keyword"));
  }
  CHECK(run.settings().empty());
}

TEST_CASE("/canary alone tells the state and changes nothing, also in the middle of a run") {
  canary_scene run{json::object(), false};
  const auto told = [&run](bool idle) {
    const json reply = run.canary(" ", idle);
    CHECK(reply["reload"] == false);
    CHECK(reply["wait_idle"] == false);
    CHECK(reply["notices"][0]["level"] == "info");
    return reply["notices"][0]["text"].get<std::string>();
  };
  CHECK(told(true)
        == "Canary is off in this session. The settings have no keyword; /canary WORD sets one and "
           "turns the mode on.");
  CHECK(run.settings().empty());
  const std::string file = (run.folder / "agent" / "settings.json").string();
  run.write_settings(R"({"canary":"chirp"})");
  CHECK(told(true)
        == "Canary is off in this session. The keyword saved in " + file
               + " is \"chirp\". /canary on turns it on.");
  CHECK(run.phase().empty());
  run.canary("on");
  CHECK(told(false)
        == "Canary is on: every message must begin with \"chirp: \". The footer says: canary: "
           "chirp. The keyword saved in "
               + file + " is \"chirp\". /canary off turns it off.");
  CHECK(run.phase() == "watching");
  run.write_settings(R"({"canary":"other"})");
  CHECK(holds(told(false), "is \"other\". It counts after /reload. /canary off"));
  CHECK(run.settings() == R"({"canary":"other"})");
  run.write_settings(R"({"canary":true})");
  const json broken = run.canary("");
  CHECK(holds(broken["notices"][0]["text"], "not a string"));
  CHECK(holds(broken["notices"][1]["text"], "Canary is on: "));
}

TEST_CASE("/canary on needs a keyword in the settings, and only a string is one") {
  canary_scene run{json::object(), false};
  CHECK(holds(run.canary("ON")["notices"][0]["text"], "have no keyword"));
  run.write_settings(R"({"canary":true})");
  CHECK(holds(run.canary("on")["notices"][0]["text"], "not changed"));
  CHECK(run.phase().empty());
  run.write_settings(R"({"canary":"chirp"})");
  CHECK(holds(run.canary("on")["notices"][0]["text"], "Canary is on"));
  CHECK(run.settings() == R"({"canary":"chirp"})");
  CHECK(run.phase() == "watching");
}

TEST_CASE("/canary off ends enforcement at once, also in the middle of a run") {
  canary_scene run;
  run.turn("bad", true);
  REQUIRE_FALSE(run.gate().empty());
  const json reply = run.canary("Off", false);
  CHECK(holds(reply["notices"][0]["text"], "off"));
  CHECK(run.gate().empty());
  CHECK(run.held()["ask_turn"] == false);
  CHECK(run.held()["system_append"] == "");
  CHECK(run.entries()["resilient-canary"]["mode"] == "off");
}

TEST_CASE("the mode of a branch is in force again with the reply to the hello") {
  canary_scene run;
  run.send(run.connection, {{"type", "goodbye"}, {"reason", "reload"}});
  run.connect({{"reason", "reload"}, {"entries", run.entries()}});
  const json welcome = run.welcome();
  REQUIRE(welcome.contains("directives"));
  json held;
  for (const json& each : welcome["directives"]) {
    if (each["type"] == "set") {
      held.update(each);
    }
  }
  CHECK(held["ask_turn"] == true);
  CHECK(holds(held["system_append"], "chirp: "));

  SUBCASE("another branch without it is free of it") {
    run.send(run.connection,
             {{"type", "branch"}, {"session", {{"id", "session-1"}}}, {"entries", json::object()}});
    CHECK(run.held()["ask_turn"] == false);
    CHECK(run.held()["system_append"] == "");
  }
  SUBCASE("so is a new session") {
    run.send(run.connection, {{"type", "goodbye"}, {"reason", "new"}});
    run.connect({{"reason", "new"}});
    CHECK(run.held()["ask_turn"] == false);
  }
}

TEST_CASE("a session whose mode is on says that its keyword is gone") {
  canary_scene run;
  run.write_settings("{}");
  run.connect({{"reason", "resume"}, {"entries", run.entries()}});
  CHECK(holds(run.notices(), "not enforced"));
  CHECK(run.held()["ask_turn"] == false);
}

TEST_CASE("a session without canary is told nothing about it") {
  canary_scene run{json::object(), false};
  CHECK_FALSE(run.held().contains("ask_turn"));
  CHECK_FALSE(run.has_told("append"));
}
