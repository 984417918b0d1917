#include "core/canary/recovery_table.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace resilient::canary {

namespace {

/// The phases after each event, in the order of `phase`. `.` means that the phase stays.
/// O off, C check_only, W watching, 1 2 handovers, S summarising, r restarting, R restarted,
/// P paused.
struct expectation {
  event what;
  std::string_view next;
};

//                                    O C W 1 2 S r R P
const std::vector<expectation> expectations = {
    {event::turned_on, "W . . W W W W W W"},
    {event::turned_off, ". O O O O O O O O"},
    {event::kept_running, ". . . 2 P P R . ."},
    {event::kept_final, ". . . 2 P P R . ."},
    {event::missed_running, ". . 1 2 P P P P P"},
    {event::missed_running_before_input, ". . . W W W R . ."},
    {event::missed_final, ". . . 2 P P R . ."},
    {event::handover, ". . . S S P R . ."},
    {event::failed, ". . . . . P . . ."},
    {event::deferred, ". . . P P P . . ."},
    {event::aborted, ". . . P P P R . ."},
    {event::summary_ready, ". . . . . r . . ."},
    {event::summary_empty, ". . . . . P . . ."},
    {event::summary_truncated, ". . . . . P . . ."},
    {event::summary_failed, ". . . . . P . . ."},
    {event::summary_cancelled, ". . . . . P . . ."},
    {event::user_input, ". . . W W W W W W"},
    {event::own_continuation, ". . . . . . . . ."},
    {event::settled, ". . . P P P R . ."},
    {event::bridge_lost, ". . . P P P R . ."},
    {event::process_restarted, ". . . 2 P P R . ."},
    {event::reopened, ". . . P P P R . ."},
    {event::recovery_unavailable, ". . W P P P W W ."},
};

phase phase_of(char letter, phase stays) {
  static const std::map<char, phase> letters = {{'O', phase::off},
                                                {'C', phase::check_only},
                                                {'W', phase::watching},
                                                {'1', phase::first_handover},
                                                {'2', phase::second_handover},
                                                {'S', phase::summarising},
                                                {'r', phase::restarting},
                                                {'R', phase::restarted},
                                                {'P', phase::paused}};
  return letter == '.' ? stays : letters.at(letter);
}

bool gated(phase where) {
  return where == phase::first_handover || where == phase::second_handover
         || where == phase::summarising;
}

std::string words(std::string_view name) {
  std::string text{name};
  for (char& letter : text) {
    if (letter == '_') {
      letter = ' ';
    }
  }
  return text;
}

std::string diagram() {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> edges;
  for (const event what : all_events()) {
    for (const phase where : all_phases()) {
      const meaning& means = meaning_of(decide(where, what));
      // From everywhere alike; in the table, and only noise here.
      const bool by_switch = what == event::turned_on || what == event::turned_off;
      if (means.next && *means.next != where && !by_switch) {
        edges[{std::string{to_string(where)}, std::string{to_string(*means.next)}}].insert(
            words(to_string(what)));
      }
    }
  }
  std::ostringstream out;
  out << "```mermaid\nstateDiagram-v2\n  [*] --> off\n  off --> watching : turned on\n";
  for (const auto& [ends, labels] : edges) {
    out << "  " << ends.first << " --> " << ends.second << " : ";
    bool first = true;
    for (const std::string& label : labels) {
      out << (first ? "" : ", ") << label;
      first = false;
    }
    out << "\n";
  }
  out << "```\n";
  return out.str();
}

std::string decision_table() {
  std::ostringstream out;
  out << "| event |";
  for (const phase where : all_phases()) {
    out << " " << words(to_string(where)) << " |";
  }
  out << "\n|---|" << std::string{"---|---|---|---|---|---|---|---|---|"} << "\n";
  for (const event what : all_events()) {
    out << "| **" << words(to_string(what)) << "** |";
    for (const phase where : all_phases()) {
      const decision made = decide(where, what);
      out << " " << (made == decision::nothing ? "–" : words(meaning_of(made).name)) << " |";
    }
    out << "\n";
  }
  return out.str();
}

std::string meaning_table() {
  std::ostringstream out;
  out << "| decision | next phase | actions |\n|---|---|---|\n";
  for (const meaning& means : all_meanings()) {
    out << "| " << words(means.name) << " | "
        << (means.next ? words(to_string(*means.next)) : std::string{"stays"}) << " | ";
    bool first = true;
    for (const action one : all_actions()) {
      if (contains(means.actions, one)) {
        out << (first ? "" : "; ") << to_string(one);
        first = false;
      }
    }
    out << (first ? "–" : "") << " |\n";
  }
  return out.str();
}

constexpr const char* readme_path = "core/canary/README.md";
constexpr std::string_view begin_mark = "<!-- generated: begin -->\n";
constexpr std::string_view end_mark = "<!-- generated: end -->\n";

std::string read_file(const char* path) {
  std::ifstream in{path, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

} // namespace

TEST_CASE("every cell of the table leads to the phase that is expected of it") {
  REQUIRE(expectations.size() == event_count);
  for (const expectation& row : expectations) {
    REQUIRE(row.next.size() == 2 * phase_count - 1);
    std::size_t column = 0;
    for (const phase where : all_phases()) {
      const meaning& means = meaning_of(decide(where, row.what));
      const phase next = means.next.value_or(where);
      CAPTURE(to_string(row.what));
      CAPTURE(to_string(where));
      CHECK(to_string(next) == to_string(phase_of(row.next.at(2 * column), where)));
      ++column;
    }
  }
}

TEST_CASE("no cell leaves tools blocked outside a recovery or open inside one") {
  for (const event what : all_events()) {
    for (const phase where : all_phases()) {
      const meaning& means = meaning_of(decide(where, what));
      const phase next = means.next.value_or(where);
      CAPTURE(to_string(what));
      CAPTURE(to_string(where));
      if (gated(next)) {
        CHECK((gated(where) || contains(means.actions, action::close_gate)));
        CHECK_FALSE(contains(means.actions, action::open_gate));
      } else {
        CHECK_FALSE(contains(means.actions, action::close_gate));
        CHECK((!gated(where) || contains(means.actions, action::open_gate)));
      }
    }
  }
}

TEST_CASE("every pause pauses the goal, and nothing is asked of the model in it") {
  for (const meaning& means : all_meanings()) {
    CAPTURE(means.name);
    if (means.next != phase::paused) {
      continue;
    }
    CHECK(contains(means.actions, action::pause_goal));
    CHECK(contains(means.actions, action::open_gate));
    CHECK_FALSE(contains(means.actions, action::ask_handover));
    CHECK_FALSE(contains(means.actions, action::ask_summary));
    CHECK_FALSE(contains(means.actions, action::write_restart));
  }
}

TEST_CASE("the way back to a new recovery leads through a person in every phase past its start") {
  for (const event what : all_events()) {
    const bool by_person = what == event::user_input || what == event::turned_on
                           || what == event::missed_running_before_input
                           || what == event::recovery_unavailable;
    for (const phase where : all_phases()) {
      const bool past_start =
          where != phase::off && where != phase::check_only && where != phase::watching;
      const meaning& means = meaning_of(decide(where, what));
      CAPTURE(to_string(what));
      CAPTURE(to_string(where));
      if (past_start && !by_person) {
        CHECK(means.next.value_or(where) != phase::watching);
        CHECK(means.next != phase::first_handover);
      }
    }
  }
}

TEST_CASE("a summary is asked for only on a handover and written only on a summary") {
  for (const event what : all_events()) {
    for (const phase where : all_phases()) {
      const action actions = meaning_of(decide(where, what)).actions;
      if (contains(actions, action::ask_summary)) {
        CHECK(what == event::handover);
      }
      if (contains(actions, action::write_restart)) {
        CHECK(what == event::summary_ready);
        CHECK(where == phase::summarising);
      }
    }
  }
}

TEST_CASE("names are unique and lead back to what they name") {
  for (const phase where : all_phases()) {
    CHECK(phase_from(to_string(where)) == where);
  }
  for (const meaning& means : all_meanings()) {
    CHECK(decision_from(means.name) == means.made);
  }
  CHECK_FALSE(phase_from(""));
  CHECK_FALSE(decision_from("pause"));
}

TEST_CASE("every decision is used by some cell") {
  std::set<decision> used;
  for (const event what : all_events()) {
    for (const phase where : all_phases()) {
      used.insert(decide(where, what));
    }
  }
  for (const meaning& means : all_meanings()) {
    CAPTURE(means.name);
    CHECK(used.count(means.made) == 1);
  }
}

TEST_CASE("the README of canary shows the diagram and the tables as they are") {
  const std::string generated = diagram() + "\n### What is decided\n\n" + decision_table()
                                + "\n### What a decision does\n\n" + meaning_table();
  std::string readme = read_file(readme_path);
  const auto begin = readme.find(begin_mark);
  const auto end = readme.find(end_mark);
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  const std::size_t from = begin + begin_mark.size();
  // PI_RESILIENT_WRITE_DOCS=1 brings the README up to date instead of comparing it.
  if (std::getenv("PI_RESILIENT_WRITE_DOCS") != nullptr) {
    readme.replace(from, end - from, generated);
    std::ofstream{readme_path, std::ios::binary} << readme;
    return;
  }
  CHECK(readme.substr(from, end - from) == generated);
}

} // namespace resilient::canary
