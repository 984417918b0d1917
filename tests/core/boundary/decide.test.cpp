#include "core/boundary/decide.hpp"

#include <doctest/doctest.h>

using namespace resilient;

TEST_CASE("exactly one acts at a boundary: the person, then the recovery, then the goal") {
  struct row {
    bool input;
    bool recovery;
    bool goal_acts;
  };
  const row rows[] = {
      {false, false, true}, {true, false, false}, {false, true, false}, {true, true, false}};
  const goal::proposal wish = goal::continue_with{"go on", "token"};
  for (const row& row : rows) {
    CAPTURE(row.input);
    CAPTURE(row.recovery);
    const goal::proposal decided = boundary::decide({row.input, {{}, false, row.recovery}, wish});
    CHECK((decided == wish) == row.goal_acts);
  }
}

TEST_CASE("at the end of a turn canon speaks only when the run goes on by itself") {
  struct row {
    const char* what;
    canary::proposal recovery;
    boundary::canon_part part;
    bool has_tool_calls;
  };
  using boundary::canon_part;
  const row rows[] = {
      {"tool calls", {}, canon_part::before_next_request, true},
      {"a final message", {}, canon_part::held, false},
      {"a recovery runs", {{}, false, true}, canon_part::held, true},
      {"a recovery goes on", {{}, true, false}, canon_part::held, true},
      {"a recovery says something",
       {{canary::message_draft{"type", "text"}}, false, false},
       canon_part::held,
       true},
  };
  for (const row& row : rows) {
    CAPTURE(row.what);
    CHECK(boundary::canon_at_turn(row.has_tool_calls, row.recovery) == row.part);
  }
}

TEST_CASE(
    "at a boundary canon rides with the goal, else with the next prompt, never over a recovery") {
  using boundary::canon_part;
  const goal::proposal go_on = goal::continue_with{"go on", "token"};
  const goal::proposal settle = goal::let_settle{};
  const goal::proposal wait = goal::keep_open{};
  struct row {
    const char* what;
    goal::proposal decided;
    canon_part part;
    bool settled;
    bool recovery = false;
    bool goal_waits = false;
    bool input = false;
  };
  const row rows[] = {
      {"a goal goes on", go_on, canon_part::with_continuation, true},
      {"also where Pi has not settled", go_on, canon_part::with_continuation, false},
      {"nothing goes on", settle, canon_part::with_the_next_prompt, true},
      {"a goal waits", settle, canon_part::with_later_continuation, true, false, true},
      {"a goal waits in print mode", wait, canon_part::with_later_continuation, true, false, true},
      {"a goal waits, the person wrote", settle, canon_part::with_the_next_prompt, true, false,
       true, true},
      {"a goal waits, Pi may retry by itself", settle, canon_part::held, false, false, true},
      {"a goal waits, a recovery runs", settle, canon_part::held, true, true, true},
      {"Pi may retry by itself", settle, canon_part::held, false},
      {"a recovery runs", settle, canon_part::held, true, true},
  };
  for (const row& row : rows) {
    CAPTURE(row.what);
    const boundary::proposals proposed{
        row.input, {{}, false, row.recovery}, row.decided, row.goal_waits};
    CHECK(boundary::canon_at_boundary(proposed, row.decided, row.settled) == row.part);
  }
}
