#include "tests/actors/canary_scene.hpp"

#include <doctest/doctest.h>

#include <csignal>

using namespace resilient;
using namespace resilient::test;
using namespace std::chrono_literals;
using nlohmann::json;

TEST_CASE("messages that keep the prefix or show nothing are left alone") {
  canary_scene run;
  for (const char* text : {"chirp: fine", "", "  \n"}) {
    const json reply = run.turn(text, true);
    CHECK_FALSE(reply.contains("entries"));
    CHECK_FALSE(reply.contains("continue"));
  }
  CHECK(run.notices().empty());
}

TEST_CASE("a miss on the final message warns and does nothing else") {
  canary_scene run;
  const json reply = run.turn("bad", false);
  CHECK_FALSE(reply.contains("entries"));
  CHECK_FALSE(reply.contains("continue"));
  CHECK(holds(run.notices(), "final message"));
  CHECK(run.gate().empty());
}

TEST_CASE("a miss in the middle of a run is repaired: flag, handover, summary, fresh context") {
  canary_scene run;
  const json flag = run.turn("bad", true);
  REQUIRE(flag["entries"].size() == 2);
  CHECK(flag["entries"][0]["kind"] == "custom_message");
  CHECK(flag["entries"][0]["display"] == true);
  CHECK(holds(flag["entries"][0]["content"], "CANARY FAILED"));
  CHECK(flag["entries"][1]["kind"] == "custom");
  CHECK(flag["continue"] == true);
  CHECK_FALSE(run.gate().empty());

  const json asked = run.turn_with_handover();
  REQUIRE(asked.contains("summarise"));
  CHECK_FALSE(asked.contains("entries"));
  CHECK(run.phase() == "summarising");
  CHECK(holds(run.entries()["resilient-canary"]["handover"], "The plan."));
  CHECK(holds(run.notices(), "may be charged"));

  const json fresh = run.summary(asked, "stop", "The summary.");
  CHECK(fresh["re"] == asked["re"]);
  REQUIRE(fresh["entries"].size() == 3);
  CHECK(fresh["entries"][0]["kind"] == "compaction");
  CHECK(fresh["entries"][0]["summary"] == "The summary.");
  CHECK(holds(fresh["entries"][1]["content"], "chirp: # Canary handover\nThe plan."));
  CHECK(fresh["entries"][2]["data"]["phase"] == "restarting");
  CHECK(fresh["continue"] == true);
  CHECK(run.gate().empty());

  CHECK_FALSE(run.turn("chirp: on it", true).contains("entries"));
  CHECK(run.phase() == "restarted");

  SUBCASE("a final miss after it only warns") {
    run.turn("bad", false);
    CHECK_FALSE(run.has_told("abort"));
    CHECK(run.phase() == "restarted");
  }
  SUBCASE("a second miss in the middle of the run stops it") {
    CHECK_FALSE(run.turn("bad", true).contains("entries"));
    CHECK(run.has_told("abort"));
    CHECK(run.phase() == "paused");
    CHECK(holds(run.notices(), "paused"));
  }
  SUBCASE("a new message of a person allows another recovery, an extension's does not") {
    run.input("extension", false);
    CHECK(run.phase() == "restarted");
    run.input("rpc", false);
    CHECK(run.turn("bad", true)["continue"] == true);
  }
}

TEST_CASE("two responses that are no handover pause the recovery") {
  canary_scene run;
  run.turn("bad", true);
  CHECK(run.turn("chirp: here it is", false)["continue"] == true);
  const json last = run.turn("# Canary handover\nwithout prefix", false);
  CHECK_FALSE(last.contains("continue"));
  CHECK(run.phase() == "paused");
  CHECK(run.gate().empty());
  CHECK(holds(run.notices(), "/canary off"));
}

TEST_CASE("a deferred handover pauses and asks for nothing more") {
  canary_scene run;
  run.turn("bad", true);
  const json last = run.turn("", false, {{"stop", "deferred"}});
  CHECK_FALSE(last.contains("continue"));
  CHECK(run.phase() == "paused");
}

TEST_CASE("a summary that is no use pauses and discards nothing") {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"error", ""}, {"stop", "  "}, {"length", "half"}, {"aborted", ""}, {"", ""}};
  for (const auto& each : bad) {
    const std::string& stop = each.first;
    const std::string& text = each.second;
    CAPTURE(stop);
    canary_scene run;
    run.turn("bad", true);
    const json asked = run.turn_with_handover();
    const json reply = run.summary(asked, stop, text);
    CHECK(reply["re"] == asked["re"]);
    CHECK_FALSE(reply.contains("entries"));
    CHECK_FALSE(reply.contains("continue"));
    CHECK(run.phase() == "paused");
    CHECK(run.gate().empty());
  }
}

TEST_CASE("a person's message goes first in every phase") {
  canary_scene run;
  run.turn("bad", true);
  SUBCASE("while the first handover is awaited") {}
  SUBCASE("while the second handover is awaited") {
    run.turn("bad", false);
  }
  SUBCASE("while the summary is made, which is cancelled") {
    const json asked = run.turn_with_handover();
    run.input("user", true);
    bool cancelled = false;
    for (const json& each : run.told()) {
      cancelled = cancelled
                  || (each.value("re", 0) == asked["re"] && !each.contains("summarise")
                      && !each.contains("entries"));
    }
    CHECK(cancelled);
    CHECK(run.summary(asked, "stop", "late").empty());
    CHECK(holds(run.notices(), "not used"));
  }
  run.input("user", true);
  CHECK(run.gate().empty());
  CHECK(run.phase() == "watching");
  const json next = run.turn("bad", true, {{"pending", true}});
  CHECK_FALSE(next.contains("entries"));
  CHECK(holds(run.notices(), "goes first"));
}

TEST_CASE("a message that only an extension has queued does not stop a recovery") {
  canary_scene run;
  CHECK(run.turn("bad", true, {{"pending", true}})["continue"] == true);
}

TEST_CASE("an abort pauses when Pi lives on, and not when Pi is about to end") {
  canary_scene run;
  run.turn("bad", true);
  run.send(run.connection, {{"type", "turn_end"}, {"stop", "aborted"}, {"tool_calls", 0}});
  run.settles({{"stop", "aborted"}, {"aborted", true}});
  SUBCASE("it lives on") {
    run.advance(3s);
    CHECK(run.phase() == "paused");
    CHECK(holds(run.notices(), "cancelled"));
  }
  SUBCASE("it ends") {
    run.send(run.connection, {{"type", "goodbye"}, {"reason", "quit"}});
    run.advance(3s);
    CHECK(run.phase() == "first_handover");
  }
}

TEST_CASE("a run that ends without a handover pauses") {
  canary_scene run;
  run.turn("bad", true);
  run.turn("", false, {{"stop", "error"}, {"error", "500"}});
  CHECK(run.phase() == "first_handover");
  run.settles({{"stop", "error"}, {"error", "500"}});
  CHECK(run.phase() == "paused");
}

TEST_CASE("a goal is held while a recovery runs, is named in it, and goes on afterwards") {
  canary_scene run;
  run.declare_goal("port the parser");
  run.send(run.connection, {{"type", "agent_start"}});
  const auto continued = run.continuations().size();
  const json flag = run.turn("bad", true);
  CHECK(holds(flag["entries"][0]["content"], "port the parser"));
  run.send(run.connection, {{"type", "heartbeat"}, {"idle", true}, {"pending", false}});
  run.live(30s);
  CHECK(run.continuations().size() == continued);
  const json asked = run.turn_with_handover();
  CHECK(holds(asked["summarise"]["instruction"], "port the parser"));
  run.summary(asked, "stop", "The summary.");
  run.turn("chirp: done", false);
  CHECK(run.settles().contains("send"));
  CHECK(run.goal()["state"] == "active");
}

TEST_CASE("a goal pauses with its recovery and goes on when a person says so") {
  canary_scene run;
  run.declare_goal("port the parser");
  run.send(run.connection, {{"type", "agent_start"}});
  run.turn("bad", true);
  run.turn("bad", false);
  run.turn("bad", false);
  CHECK(run.goal()["state"] == "paused");
  CHECK(run.goal()["pause_reason"] == "canary");
  CHECK_FALSE(run.settles().contains("send"));
  const auto continued = run.continuations().size();
  run.live(60s);
  CHECK(run.continuations().size() == continued);
  run.declare_goal("resume");
  run.advance(2s);
  CHECK(run.phase() == "watching");
  CHECK(run.continuations().size() == continued + 1);
}

TEST_CASE("a Pi without boundary drafts is checked and warned, and its goal pauses") {
  canary_scene run{{{"capabilities", json::array()}, {"pi_version", "0.80.6"}}};
  run.declare_goal("port the parser");
  run.send(run.connection, {{"type", "agent_start"}});
  CHECK(run.held()["ask_turn"] == true);
  const json reply = run.turn("bad", true);
  CHECK_FALSE(reply.contains("entries"));
  CHECK(run.gate().empty());
  CHECK_FALSE(run.has_told("abort"));
  CHECK(holds(run.notices(), "recovery needs Pi 0.87"));
  CHECK(run.goal()["state"] == "paused");
  CHECK(run.goal()["pause_reason"] == "canary");
}

TEST_CASE("a Pi that was killed goes on from the last step that is in the session") {
  canary_scene run;
  run.live(11s);
  run.turn("bad", true);
  const auto begin_again = [&run] {
    run.end(process::signaled{SIGKILL});
    run.execute(4712);
    run.connect({{"entries", run.entries()}});
  };
  SUBCASE("while the first handover is awaited: it is asked for once more") {
    begin_again();
    CHECK_FALSE(run.gate().empty());
    REQUIRE(run.continuations().empty()); // not alone: in the reply
    json sent;
    const json welcome = run.welcome();
    std::string rule;
    for (const json& each : welcome["directives"]) {
      if (each["type"] == "send") {
        sent = each;
      } else if (sent.is_null()) {
        rule = each.value("system_append", rule);
      }
    }
    CHECK(holds(sent["text"], "CANARY FAILED"));
    // The run that the message begins is under the rule already.
    CHECK(holds(rule, "chirp: "));
    CHECK(run.phase() == "second_handover");

    // A busy Pi gets it when it is idle.
    run.send(run.connection, {{"type", "directive_result"},
                              {"did", sent["did"]},
                              {"token", sent["token"]},
                              {"ok", false},
                              {"error", "busy"}});
    run.send(run.connection, {{"type", "heartbeat"}, {"idle", true}, {"pending", false}});
    CHECK(run.continuations().size() == 1);
  }
  SUBCASE("while the second handover is awaited: it pauses") {
    run.turn("bad", false);
    begin_again();
    CHECK(run.phase() == "paused");
    CHECK(run.gate().empty());
  }
  SUBCASE("while the summary is made: it pauses and makes no second one") {
    run.turn_with_handover();
    begin_again();
    CHECK(run.phase() == "paused");
    CHECK(run.gate().empty());
  }
  SUBCASE("after the fresh context was written: it goes on in it") {
    run.summary(run.turn_with_handover(), "stop", "The summary.");
    begin_again();
    CHECK(run.phase() == "restarted");
    CHECK(run.gate().empty());
  }
}

TEST_CASE("a lost connection pauses a recovery, since no tool is blocked any more") {
  canary_scene run;
  run.turn("bad", true);
  cafx::tell(run.peers->session, message::connection_closed{run.connection, "gone"});
  run.settle();
  run.connect({{"reason", "resync"}, {"entries", run.entries()}});
  CHECK(run.phase() == "paused");
  CHECK(run.held()["ask_turn"] == true);
}
