#include "core/settings/project_trust.hpp"

#include "core/support/files.hpp"
#include "tests/core/support/temporary_folder.hpp"

#include <doctest/doctest.h>

using namespace resilient;

TEST_CASE("the nearest decision counts, then the default, and else nobody has decided") {
  const tests::temporary_folder agent;
  const posix_files disk;
  const auto trust = [&] { return settings::project_trust(disk, "/a/b/c", agent.path()); };
  CHECK_FALSE(trust().has_value());
  agent.put("settings.json", R"({"defaultProjectTrust":"always"})");
  CHECK(trust() == true);
  agent.put("settings.json", R"({"defaultProjectTrust":"never"})");
  CHECK(trust() == false);
  agent.put("settings.json", R"({"defaultProjectTrust":"ask"})");
  CHECK_FALSE(trust().has_value());
  agent.put("trust.json", R"({"/a":true,"/a/b/c/d":false})");
  CHECK(trust() == true);
  agent.put("trust.json", R"({"/a":true,"/a/b":false,"/a/b/c":"yes"})");
  CHECK(trust() == false);
  agent.put("trust.json", R"({"/a/b/c":true,"/a/b":false})");
  CHECK(trust() == true);
  agent.put("trust.json", "broken");
  agent.put("settings.json", "broken");
  CHECK_FALSE(trust().has_value());
}
