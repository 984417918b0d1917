#include "core/canary/recovery.hpp"

#include "tests/core/canary/recovery_scene.hpp"

#include <doctest/doctest.h>

#include <random>

namespace resilient::canary {

TEST_CASE("a message that keeps the prefix, shows nothing or was broken off is left alone") {
  for (const assistant_message& one :
       {good_running(), good_final(), message("", true), message("\n\n", true), message("", false),
        message("chi", false, "error"), message("chi", false, "aborted"),
        message("wait", false, "deferred"), good_handover()}) {
    scene session;
    session.ends(one);
    CAPTURE(one.text);
    CHECK(session.where() == phase::watching);
    CHECK(session.quiet());
  }
}

TEST_CASE("a miss on a final message gives one warning and nothing else") {
  scene session;
  session.ends(bad_final());
  CHECK(session.where() == phase::watching);
  REQUIRE(session.effects().size() == 1);
  CHECK(session.all<notice>().at(0).level == notice_level::warning);

  session.ends(message("cut", false, "length"));
  CHECK(session.effects().size() == 1);
  CHECK(session.where() == phase::watching);
}

TEST_CASE("a mid-run miss blocks tools, flags it and asks for a handover at the same boundary") {
  scene session;
  session.around().goal = "port the parser";
  session.ends(bad_running());
  CHECK(session.where() == phase::first_handover);
  CHECK(session.gate_closed());
  const auto proposals = session.all<propose>();
  REQUIRE(proposals.size() == 1);
  const proposal& wanted = proposals.at(0).wanted;
  CHECK(wanted.continue_run);
  CHECK(wanted.holds_goal);
  REQUIRE(wanted.entries.size() == 2);
  const auto* flag = std::get_if<message_draft>(&wanted.entries.at(0));
  REQUIRE(flag != nullptr);
  CHECK(flag->custom_type == flag_message_type);
  CHECK(flag->content == handover_instruction("chirp", "port the parser"));
  const auto* kept = std::get_if<state_draft>(&wanted.entries.at(1));
  REQUIRE(kept != nullptr);
  CHECK(kept->data == to_json(session.state()));
  CHECK(session.all<keep_state>().empty());
  CHECK(session.all<stop_run>().empty());
  CHECK(holds_goal(session.state()));
}

TEST_CASE(
    "an accepted handover is kept, and the state is written before the summary is asked for") {
  scene session;
  session.ends(bad_running()).ends(good_handover());
  CHECK(session.where() == phase::summarising);
  CHECK(session.state().handover == handover_text());
  REQUIRE(session.effects().size() == 4);
  CHECK(std::holds_alternative<keep_state>(session.effects().at(0)));
  CHECK(std::holds_alternative<set_gate>(session.effects().at(1)));
  CHECK(std::holds_alternative<request_summary>(session.effects().at(2)));
  CHECK(session.told().find("may be charged") != std::string::npos);
  CHECK(session.gate_closed());
  CHECK(session.all<propose>().empty());
}

TEST_CASE("a summary writes compaction, verbatim handover and state together and continues") {
  scene session;
  session.ends(bad_running()).ends(good_handover()).summary("stop", "All of it.\n");
  CHECK(session.where() == phase::restarting);
  CHECK_FALSE(session.gate_closed());
  REQUIRE(session.all<propose>().size() == 1);
  const proposal wanted = session.all<propose>().at(0).wanted;
  CHECK(wanted.continue_run);
  REQUIRE(wanted.entries.size() == 3);
  const auto* compaction = std::get_if<compaction_draft>(&wanted.entries.at(0));
  const auto* resume = std::get_if<message_draft>(&wanted.entries.at(1));
  const auto* kept = std::get_if<state_draft>(&wanted.entries.at(2));
  REQUIRE(compaction != nullptr);
  REQUIRE(resume != nullptr);
  REQUIRE(kept != nullptr);
  CHECK(compaction->summary == "All of it.\n");
  CHECK(compaction->details.is_object());
  CHECK(resume->content.find(handover_text()) != std::string::npos);
  CHECK(kept->data == to_json(session.state()));
  CHECK(session.state().handover.empty());

  session.ends(good_running());
  CHECK(session.where() == phase::restarted);
  CHECK_FALSE(holds_goal(session.state()));
  CHECK(session.all<propose>().empty());
}

TEST_CASE("two responses are tried at most, whatever is wrong with them") {
  for (const assistant_message& bad :
       {good_final(), bad_final(), good_running(), bad_running(), message("", true),
        message(handover_text(), true), message(handover_text(), false, "length")}) {
    CAPTURE(bad.text);
    scene session;
    session.ends(bad_running()).ends(bad);
    CHECK(session.where() == phase::second_handover);
    REQUIRE(session.all<propose>().size() == 1);
    CHECK(session.all<propose>().at(0).wanted.continue_run);

    scene other = session;
    other.ends(good_handover());
    CHECK(other.where() == phase::summarising);

    session.ends(bad);
    CHECK(session.where() == phase::paused);
    CHECK_FALSE(session.gate_closed());
    CHECK(session.all<propose>().empty());
    CHECK(session.all<pause_goal>().size() == 1);
    CHECK(session.all<stop_run>().size() == (bad.has_tool_calls ? 1U : 0U));
    CHECK(session.told().find("/canary off") != std::string::npos);
    CHECK(holds_goal(session.state()));
  }
}

TEST_CASE("the second instruction names the flaw of the first response") {
  scene session;
  session.ends(bad_running()).ends(message("chirp: let me look", true));
  const auto wanted = session.all<propose>().at(0).wanted;
  const auto& flag = std::get<message_draft>(wanted.entries.at(0));
  CHECK(flag.content == second_handover_instruction("chirp", "", handover_flaw::tool_calls));
}

TEST_CASE("after the restart a mid-run miss stops the run and a final miss only warns") {
  for (const bool answered : {false, true}) {
    scene session;
    session.ends(bad_running()).ends(good_handover()).summary("stop", "sum");
    if (answered) {
      session.ends(good_running());
    }
    scene other = session;
    other.ends(bad_final());
    CHECK(other.where() == phase::restarted);
    CHECK(other.all<notice>().size() == 1);
    CHECK(other.all<stop_run>().empty());
    CHECK(other.all<propose>().empty());
    CHECK(other.all<pause_goal>().empty());

    session.ends(bad_running());
    CHECK(session.where() == phase::paused);
    CHECK(session.all<stop_run>().size() == 1);
    CHECK(session.all<pause_goal>().size() == 1);
    CHECK(session.all<propose>().empty());
  }
}

TEST_CASE("a summary that is no summary pauses, keeps the handover and writes nothing else") {
  struct row {
    std::string stop;
    std::string text;
    decision expected;
  };
  for (const row& one : {row{"stop", "", decision::pause_summary_empty},
                         row{"stop", " \n\t", decision::pause_summary_empty},
                         row{"length", "half a summ", decision::pause_summary_truncated},
                         row{"length", "", decision::pause_summary_truncated},
                         row{"error", "text", decision::pause_summary_failed},
                         row{"", "", decision::pause_summary_failed},
                         row{"toolUse", "text", decision::pause_summary_failed},
                         row{"deferred", "text", decision::pause_summary_failed},
                         row{"aborted", "text", decision::pause_summary_cancelled}}) {
    CAPTURE(one.stop);
    scene session;
    session.ends(bad_running()).ends(good_handover()).summary(one.stop, one.text);
    CHECK(session.where() == phase::paused);
    CHECK(session.state().paused_by == one.expected);
    CHECK(session.all<propose>().empty());
    CHECK(session.all<request_summary>().empty());
    CHECK(session.all<pause_goal>().size() == 1);
    CHECK_FALSE(session.gate_closed());
    CHECK(session.told().find("handover") != std::string::npos);
  }
}

TEST_CASE("a deferred handover pauses at once, sends nothing and cancels nothing") {
  scene session;
  session.ends(bad_running()).ends(message("", false, "deferred"));
  CHECK(session.where() == phase::paused);
  CHECK(session.state().paused_by == decision::pause_deferred);
  CHECK(session.all<propose>().empty());
  CHECK(session.all<request_summary>().empty());
  CHECK(session.all<stop_run>().empty());
  CHECK(session.all<cancel_summary>().empty());
}

TEST_CASE("Pi's own retries go first while a handover is awaited; settling without one pauses") {
  scene session;
  const assistant_message error = message("", false, "error");
  session.ends(bad_running()).ends(error).ends(error);
  CHECK(session.where() == phase::first_handover);
  CHECK(session.quiet());
  scene recovered = session;
  recovered.ends(good_handover());
  CHECK(recovered.where() == phase::summarising);

  session.happens(event::settled);
  CHECK(session.where() == phase::paused);
  CHECK(session.state().paused_by == decision::pause_no_response);
  CHECK_FALSE(session.gate_closed());
}

TEST_CASE("a person's abort pauses each open step, and a running summary is cancelled") {
  scene waiting;
  waiting.ends(bad_running()).ends(message("chirp: # Ca", false, "aborted"));
  CHECK(waiting.where() == phase::paused);
  CHECK(waiting.all<cancel_summary>().empty());

  scene summarising;
  summarising.ends(bad_running()).ends(good_handover()).happens(event::aborted);
  CHECK(summarising.where() == phase::paused);
  CHECK(summarising.all<cancel_summary>().size() == 1);
  summarising.summary("stop", "late");
  CHECK(summarising.where() == phase::paused);
  CHECK(summarising.all<propose>().empty());
  CHECK(summarising.told().find("not in Pi's totals") != std::string::npos);
}

TEST_CASE("a person's message ends the recovery in every step and gives a new restart") {
  scene asked;
  asked.ends(bad_running());
  scene again = asked;
  again.ends(bad_final());
  scene summarising = asked;
  summarising.ends(good_handover());
  scene restarting = summarising;
  restarting.summary("stop", "sum");
  scene restarted = restarting;
  restarted.ends(good_running());
  scene paused = restarted;
  paused.ends(bad_running());

  for (scene session : {asked, again, summarising, restarting, restarted, paused}) {
    const phase before = session.where();
    CAPTURE(to_string(before));
    session.happens(event::own_continuation);
    CHECK(session.where() == before);
    CHECK(session.quiet());
    session.happens(event::user_input);
    CHECK(session.where() == phase::watching);
    CHECK_FALSE(session.gate_closed());
    CHECK(session.all<cancel_summary>().size() == (before == phase::summarising ? 1U : 0U));
    CHECK(session.state().handover.empty());
    session.ends(bad_running());
    CHECK(session.where() == phase::first_handover);
  }
}

TEST_CASE("a waiting message of a person goes before a recovery and before its next step") {
  assistant_message miss = bad_running();
  miss.input_waiting = true;
  scene session;
  session.ends(miss);
  CHECK(session.where() == phase::watching);
  CHECK(session.all<propose>().empty());
  CHECK(session.told().find("goes first") != std::string::npos);

  assistant_message handover = good_handover();
  handover.input_waiting = true;
  scene asked;
  asked.ends(bad_running()).ends(handover);
  CHECK(asked.where() == phase::watching);
  CHECK_FALSE(asked.gate_closed());
  CHECK(asked.all<request_summary>().empty());

  scene missed_again;
  missed_again.ends(bad_running()).ends(miss);
  CHECK(missed_again.where() == phase::watching);
  CHECK(missed_again.all<propose>().empty());
}

TEST_CASE("below Pi 0.87 a mid-run miss warns and pauses the goal, and no run is ever stopped") {
  surroundings old = with_boundaries();
  old.has_boundaries = false;
  scene session{old};
  CHECK(session.where() == phase::check_only);
  session.ends(bad_running());
  CHECK(session.where() == phase::check_only);
  CHECK(session.effects().size() == 2);
  CHECK(session.all<pause_goal>().at(0).detail.find("recovery needs Pi 0.87") != std::string::npos);
  session.ends(bad_final());
  CHECK(session.effects().size() == 1);
  session.happens(event::user_input);
  CHECK(session.where() == phase::check_only);

  for (const event what : all_events()) {
    for (const phase where : all_phases()) {
      recovery_state state;
      state.mode_on = true;
      state.where = where;
      const outcome next = on_event(state, what, old);
      CHECK(only<stop_run>(next.effects).empty());
      CHECK(next.state.where != phase::watching);
    }
  }
}

TEST_CASE("turning the mode off lifts everything and nothing is judged any more") {
  scene session;
  session.ends(bad_running()).ends(good_handover()).happens(event::turned_off);
  CHECK(session.where() == phase::off);
  CHECK_FALSE(session.gate_closed());
  CHECK(session.all<cancel_summary>().size() == 1);
  CHECK(session.record() == to_json(recovery_state{}));
  session.ends(bad_running());
  CHECK(session.quiet());
  session.happens(event::turned_on);
  CHECK(session.where() == phase::watching);
}

TEST_CASE("the state is kept whenever it changed and only then") {
  for (const event what : all_events()) {
    for (const phase where : all_phases()) {
      recovery_state state;
      state.mode_on = where != phase::off;
      state.where = where;
      state.handover = where == phase::summarising ? handover_text() : "";
      const outcome next = on_event(state, what, with_boundaries());
      CAPTURE(to_string(what));
      CAPTURE(to_string(where));
      std::size_t written = only<keep_state>(next.effects).size();
      for (const propose& one : only<propose>(next.effects)) {
        CHECK(std::holds_alternative<state_draft>(one.wanted.entries.back()));
        ++written;
      }
      CHECK(written == (to_json(state) == to_json(next.state) ? 0U : 1U));
      if (only<keep_state>(next.effects).size() == 1) {
        CHECK(std::holds_alternative<keep_state>(next.effects.front()));
      }
    }
  }
}

TEST_CASE("whatever happens between two messages of a person, the requests stay bounded") {
  std::mt19937 random{20261130};
  const std::vector<arrival> arrivals = {arrival::same_run, arrival::reconnect, arrival::by_person,
                                         arrival::by_launcher};
  const std::vector<assistant_message> messages = {good_running(),
                                                   good_final(),
                                                   bad_running(),
                                                   bad_final(),
                                                   good_handover(),
                                                   message("", true),
                                                   message("", false, "error"),
                                                   message(handover_text(), false, "length")};
  for (int round = 0; round < 1000; ++round) {
    scene session;
    int asked = 0;
    int summaries = 0;
    int restarts = 0;
    for (int move = 0; move < 60; ++move) {
      const auto dice = random() % 10;
      if (dice < 6) {
        session.ends(messages.at(random() % messages.size()));
      } else if (dice < 7) {
        session.summary("stop", "sum");
      } else if (dice < 8) {
        session.opens(arrivals.at(random() % arrivals.size()));
      } else if (dice < 9) {
        session.happens(random() % 2 == 0 ? event::settled : event::own_continuation);
      } else {
        session.happens(random() % 2 == 0 ? event::aborted : event::bridge_lost);
      }
      for (const propose& one : session.all<propose>()) {
        const auto* flag = std::get_if<message_draft>(&one.wanted.entries.front());
        if (flag != nullptr && flag->custom_type == flag_message_type) {
          ++asked;
        } else if (flag == nullptr) {
          ++restarts;
        }
      }
      summaries += static_cast<int>(session.all<request_summary>().size());
      CHECK(session.gate_closed() == blocks_tools(session.state()));
    }
    CHECK(asked <= 2);
    CHECK(summaries <= 1);
    CHECK(restarts <= 1);
    CHECK(restarts <= summaries);
  }
}

} // namespace resilient::canary
