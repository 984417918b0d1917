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
