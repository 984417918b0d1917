#include "core/support/nearest.hpp"

#include <doctest/doctest.h>

using namespace resilient;

TEST_CASE("the word that was meant is found when few letters are wrong") {
  const std::vector<std::string> words{"read",   "write",  "journal", "map",
                                       "search", "status", "why"};
  struct row {
    std::string typed;
    std::string meant; ///< empty: nothing is near
  };
  for (const row& one : std::vector<row>{
           {"serch", "search"},
           {"searhc", "search"},
           {"raed", "read"},
           {"jurnal", "journal"},
           {"stat", "status"},
           {"mapp", "map"},
           {"read", "read"},
           {"frobnicate", ""},
           {"xyz", ""},
           {"", ""},
           {std::string(10'000, 'r'), ""},
       }) {
    CAPTURE(one.typed);
    CHECK(nearest(one.typed, words).value_or("") == one.meant);
  }
  CHECK_FALSE(nearest("read", {}));
}
