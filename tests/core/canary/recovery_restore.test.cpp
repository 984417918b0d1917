#include "core/canary/recovery.hpp"
#include "tests/core/canary/recovery_scene.hpp"

#include <doctest/doctest.h>

namespace resilient::canary {

namespace {

scene at(phase where) {
  scene session;
  switch (where) {
  case phase::first_handover:
    return session.ends(bad_running());
  case phase::second_handover:
    return session.ends(bad_running()).ends(bad_final());
  case phase::summarising:
    return session.ends(bad_running()).ends(good_handover());
  case phase::restarting:
    return session.ends(bad_running()).ends(good_handover()).summary("stop", "sum");
  case phase::restarted:
    return session.ends(bad_running())
        .ends(good_handover())
        .summary("stop", "sum")
        .ends(good_running());
  case phase::paused:
    return session.ends(bad_running()).happens(event::aborted);
  case phase::off:
    return session.happens(event::turned_off);
  default:
    return session;
  }
}

} // namespace

TEST_CASE("a new session is off, and a branch keeps its own mode") {
  const outcome fresh = restore(std::nullopt, arrival::by_person, with_boundaries());
  CHECK(fresh.state == recovery_state{});
  CHECK(only<keep_state>(fresh.effects).empty());
  CHECK(only<notice>(fresh.effects).empty());

  CHECK(at(phase::watching).opens(arrival::by_person).where() == phase::watching);
  CHECK(at(phase::off).opens(arrival::by_person).where() == phase::off);
}

TEST_CASE("the mode stays on without a usable keyword and works again once there is one") {
  scene session;
  session.around().keyword = "";
  session.opens(arrival::by_person);
  CHECK(session.where() == phase::off);
  CHECK(session.state().mode_on);
  session.ends(bad_running());
  CHECK(session.quiet());
  session.around().keyword = "tweet";
  session.opens(arrival::by_person);
  CHECK(session.where() == phase::watching);
}

TEST_CASE("enforcement needs both a keyword and the mode") {
  for (const bool keyword : {false, true}) {
    for (const bool mode : {false, true}) {
      surroundings around = with_boundaries();
      around.keyword = keyword ? "chirp" : "";
      recovery_state state;
      state.mode_on = mode;
      state.where = mode ? phase::watching : phase::off;
      const outcome opened = restore(to_json(state), arrival::by_person, around);
      CHECK(enforces(opened.state) == (keyword && mode));
    }
  }
}

TEST_CASE("a new Pi process asks once more, never summarises twice, and continues a restart once") {
  scene first = at(phase::first_handover);
  first.opens(arrival::by_launcher);
  CHECK(first.where() == phase::second_handover);
  CHECK(first.gate_closed());
  REQUIRE(first.all<propose>().size() == 1);
  CHECK(first.all<propose>().at(0).wanted.continue_run);
  first.opens(arrival::by_launcher);
  CHECK(first.where() == phase::paused);
  CHECK(first.all<propose>().empty());

  scene summarising = at(phase::summarising);
  summarising.opens(arrival::by_launcher);
  CHECK(summarising.where() == phase::paused);
  CHECK(summarising.all<request_summary>().empty());
  CHECK(summarising.told().find("not requested twice") != std::string::npos);

  scene restarting = at(phase::restarting);
  restarting.opens(arrival::by_launcher);
  CHECK(restarting.where() == phase::restarted);
  REQUIRE(restarting.all<propose>().size() == 1);
  const auto wanted = restarting.all<propose>().at(0).wanted;
  CHECK(wanted.continue_run);
  CHECK(std::get<message_draft>(wanted.entries.at(0)).content == resume_after_process_end("chirp"));
  restarting.opens(arrival::by_launcher);
  CHECK(restarting.where() == phase::restarted);
  CHECK(restarting.all<propose>().empty());
  restarting.ends(bad_running());
  CHECK(restarting.where() == phase::paused);
}

TEST_CASE("a person who opens a session in the middle of a recovery finds it paused") {
  for (const phase where : {phase::first_handover, phase::second_handover, phase::summarising}) {
    for (const arrival how : {arrival::by_person, arrival::reconnect}) {
      scene session = at(where);
      CAPTURE(to_string(where));
      session.opens(how);
      CHECK(session.where() == phase::paused);
      CHECK_FALSE(session.gate_closed());
      CHECK(session.all<propose>().empty());
      CHECK(session.all<pause_goal>().size() == 1);
      CHECK(session.all<notice>().size() == 1);
    }
  }
  CHECK(at(phase::restarting).opens(arrival::by_person).where() == phase::restarted);
  CHECK(at(phase::paused).opens(arrival::by_person).where() == phase::paused);
}

TEST_CASE("our own restart leaves the recovery where it was and puts the gate right") {
  for (const phase where :
       {phase::watching, phase::first_handover, phase::second_handover, phase::summarising,
        phase::restarting, phase::restarted, phase::paused}) {
    scene session = at(where);
    const recovery_state before = session.state();
    session.opens(arrival::same_run);
    CAPTURE(to_string(where));
    CHECK(session.state() == before);
    REQUIRE(session.effects().size() == 1);
    CHECK(session.gate_closed() == blocks_tools(before));
  }
  scene session = at(phase::summarising);
  session.opens(arrival::same_run).summary("stop", "sum");
  CHECK(session.where() == phase::restarting);
  const auto wanted = session.all<propose>().at(0).wanted;
  CHECK(std::get<message_draft>(wanted.entries.at(1)).content.find(handover_text())
        != std::string::npos);
}

TEST_CASE("a session from a newer Pi that is opened in an older one is only checked") {
  for (const phase where : {phase::watching, phase::restarting, phase::restarted}) {
    scene session = at(where);
    session.around().has_boundaries = false;
    CHECK(session.opens(arrival::by_launcher).where() == phase::check_only);
    CHECK(session.all<propose>().empty());
    session.around().has_boundaries = true;
    CHECK(session.opens(arrival::by_launcher).where() == phase::watching);
  }
  for (const phase where : {phase::first_handover, phase::second_handover, phase::summarising}) {
    scene session = at(where);
    session.around().has_boundaries = false;
    CHECK(session.opens(arrival::by_launcher).where() == phase::paused);
    CHECK(session.told().find("recovery needs Pi 0.87") != std::string::npos);
  }
}

} // namespace resilient::canary
