#include "core/process/pi_version.hpp"

#include <doctest/doctest.h>

using namespace resilient::process;

TEST_CASE("a version is read with or without its ornaments") {
  CHECK(parse_pi_version("1.6.0") == pi_version{1, 6, 0});
  CHECK(parse_pi_version("v0.80.6") == pi_version{0, 80, 6});
  CHECK(parse_pi_version("0.87.1-beta.2+build") == pi_version{0, 87, 1});
}

TEST_CASE("what is no version is refused") {
  for (const char* text : {"", "v", "1", "1.6", "1.6.", "1.6.x", "1.6.0x", "-1.6.0", "1.-6.0",
                           " 1.6.0", "99999999999.0.0", "1..0", "1.6.0 "}) {
    CAPTURE(text);
    CHECK_FALSE(parse_pi_version(text).has_value());
  }
}

TEST_CASE("versions are ordered by number, not by text") {
  CHECK(pi_version{0, 80, 6} < pi_version{0, 87, 1});
  CHECK(pi_version{0, 87, 1} < pi_version{1, 0, 0});
  CHECK(pi_version{0, 9, 0} < pi_version{0, 80, 0});
  CHECK(to_string(pi_version{0, 80, 6}) == "0.80.6");
}
