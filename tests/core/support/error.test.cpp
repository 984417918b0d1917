#include "core/support/error.hpp"

#include <doctest/doctest.h>

#include <cerrno>

using namespace resilient;

TEST_CASE("the failure of a system call names what was tried, where, and why") {
  const result<int> failed = fail_errno(ENOENT, "cannot open", "/nowhere/at/all");
  REQUIRE_FALSE(failed.has_value());
  CHECK(failed.error().kind == error_kind::no_input);
  CHECK(failed.error().message == "cannot open /nowhere/at/all: No such file or directory");
}

TEST_CASE("the kinds are exit codes of sysexits.h") {
  CHECK(static_cast<int>(error_kind::usage) == 64);
  CHECK(static_cast<int>(error_kind::busy) == 75);
  CHECK(static_cast<int>(error_kind::config) == 78);
}
