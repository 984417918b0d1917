#include "core/canary/texts.hpp"

#include "core/canary/prefix.hpp"

#include <doctest/doctest.h>

#include <string>

namespace resilient::canary {

namespace {

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

} // namespace

TEST_CASE("the rule and every instruction show the exact prefix") {
  for (const std::string keyword : {"chirp", "Blue Canary", "a:b", "\U0001F426", "{}", "%s"}) {
    CAPTURE(keyword);
    const std::string prefix = keyword + ": ";
    CHECK(holds(system_prompt_rule(keyword), "\n" + prefix + "\n"));
    for (const std::string& text :
         {handover_instruction(keyword, ""),
          second_handover_instruction(keyword, "", handover_flaw::tool_calls),
          handover_instruction_after_process_end(keyword, "")}) {
      CHECK(holds(text, flag_mark));
      CHECK(holds(text, "\n" + prefix + "# Canary handover\n"));
    }
    CHECK(holds(gate_reason(keyword), prefix + "# Canary handover"));
    CHECK(holds(resume_after_process_end(keyword), prefix));
  }
}

TEST_CASE("the handover instruction names the goal only when one is active") {
  CHECK_FALSE(holds(handover_instruction("chirp", ""), "goal"));
  const std::string goal = "port {the} parser to 100%";
  CHECK(holds(handover_instruction("chirp", goal), goal));
  CHECK(holds(second_handover_instruction("chirp", goal, handover_flaw::prefix), goal));
  CHECK(holds(handover_instruction_after_process_end("chirp", goal), goal));
  CHECK(holds(summary_instruction(goal), goal));
}

TEST_CASE("the resumed context holds the handover verbatim and asks to inspect the state first") {
  const std::string handover = "chirp: # Canary handover\n  {odd}\ttext \xe2\x82\xac\r\n\n";
  const std::string text = resume_message("chirp", handover);
  CHECK(text.substr(text.size() - handover.size()) == handover);
  CHECK(holds(text, "Inspect the current state"));
  CHECK(holds(resume_after_process_end("chirp"), "Inspect the current state"));
}

TEST_CASE("the second instruction says what was wrong with the first handover") {
  CHECK(holds(second_handover_instruction("chirp", "", handover_flaw::tool_calls), "called tools"));
  CHECK(holds(second_handover_instruction("chirp", "", handover_flaw::content),
              "nothing below its first line"));
}

TEST_CASE("every pause says why, what to look at and what to do") {
  for (const meaning& one : all_meanings()) {
    if (one.next != phase::paused) {
      continue;
    }
    CAPTURE(one.name);
    const auto told = notice_for(one.made, "chirp");
    REQUIRE(told);
    CHECK(told->level == notice_level::warning);
    CHECK(holds(told->text, "Canary recovery paused: "));
    CHECK(holds(told->text, "No history was discarded"));
    CHECK(holds(told->text, "ook at "));
    CHECK(holds(told->text, "send a new instruction"));
    CHECK(holds(told->text, "/canary off"));
    CHECK_FALSE(holds(told->text, "it could not go on"));
  }
}

TEST_CASE("a goal that pauses with the recovery says why and how it goes on, in words of its own") {
  for (const meaning& one : all_meanings()) {
    if (!contains(one.actions, action::pause_goal)) {
      continue;
    }
    CAPTURE(one.name);
    const std::string reason = goal_pause_reason(one.made);
    CHECK(holds(reason, "The goal is paused"));
    CHECK(holds(reason, "/goal resume goes on"));
    CHECK_FALSE(holds(reason, "it could not go on"));
    CHECK(reason != notice_for(one.made, "chirp").value().text);
  }
  CHECK(holds(goal_pause_reason(decision::warn_needs_newer_pi), "recovery needs Pi 0.87"));
}

TEST_CASE("the cost of the summary is told before it is made, and a late summary is not hidden") {
  CHECK(holds(notice_for(decision::summarise, "chirp").value().text, "may be charged"));
  CHECK(holds(notice_for(decision::report_unused_summary, "chirp").value().text,
              "not in Pi's totals"));
  CHECK(holds(notice_for(decision::warn_needs_newer_pi, "chirp").value().text,
              "recovery needs Pi 0.87"));
}

TEST_CASE("the command says what is in force, where it was saved, and what this Pi cannot do") {
  CHECK(told_on("chirp", true, "").text
        == "Canary is on: every message must begin with \"chirp: \".");
  CHECK(holds(told_on("chirp", true, "/a/settings.json").text, "saved to /a/settings.json."));
  CHECK(holds(told_on("chirp", false, "").text, "recovery needs Pi 0.87"));
  CHECK(told_off().level == notice_level::info);
  CHECK(told_unchanged("The file is in use.").text
        == "The canary mode was not changed. The file is in use.");
  CHECK(holds(told_no_keyword().text, "/canary WORD"));
}

TEST_CASE("the footer shows the keyword, the step of a recovery, and that it is paused") {
  recovery_state state;
  CHECK(footer(state, "chirp").empty());
  state.mode_on = true;
  CHECK(footer(state, "") == "canary: no usable keyword");
  state.where = phase::watching;
  CHECK(footer(state, "chirp") == "canary: chirp");
  state.where = phase::check_only;
  CHECK(footer(state, "chirp") == "canary: chirp (warns only)");
  state.where = phase::second_handover;
  CHECK(footer(state, "chirp") == "canary: handover 2 of 2");
  state.where = phase::paused;
  CHECK(footer(state, "chirp") == "canary: paused");
}

} // namespace resilient::canary
