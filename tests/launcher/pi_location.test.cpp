#include "launcher/command/pi_location.hpp"

#include "launcher/command/extension_location.hpp"
#include "tests/core/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>

using namespace resilient;
using tests::temporary_folder;

namespace {

launcher::environment_reader reader(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>{found->second};
  };
}

/// A machine with pi-resilient and, as tests add them, programs called pi.
struct machine {
  machine() { program("own/pi-resilient", "ELF"); }

  void program(const std::string& name, const std::string& text) const {
    folder.put(name, text);
    ::chmod(folder.at(name).c_str(), 0755);
  }

  /// Pi as npm installs it: a link in `bin` to a file of the package.
  void npm_pi(const std::string& prefix, const std::string& version) const {
    const std::string package = prefix + "/lib/node_modules/@earendil-works/pi-coding-agent";
    folder.put(package + "/package.json",
               "{\"name\":\"@earendil-works/pi-coding-agent\",\"version\":\"" + version + "\"}");
    program(package + "/dist/bundle/cli.js", "#!/usr/bin/env node\n");
    std::filesystem::create_directories(folder.at(prefix + "/bin"));
    std::filesystem::create_symlink(folder.at(package + "/dist/bundle/cli.js"),
                                    folder.at(prefix + "/bin/pi"));
  }

  [[nodiscard]] result<launcher::pi_location>
  locate(std::map<std::string, std::string> variables) const {
    return launcher::locate_pi(reader(std::move(variables)), folder.at("own/pi-resilient"),
                               folder.path());
  }

  [[nodiscard]] std::string refusal(std::map<std::string, std::string> variables, int code) const {
    const auto found = locate(std::move(variables));
    REQUIRE_FALSE(found);
    CHECK(static_cast<int>(found.error().kind) == code);
    return found.error().message;
  }

  temporary_folder folder;
};

} // namespace

TEST_CASE("the first pi on PATH that is not ourselves is taken, its version read beside it") {
  const machine here;
  here.npm_pi("first", "1.6.0");
  here.npm_pi("second", "0.83.0");
  std::filesystem::create_directories(here.folder.at("alias"));
  std::filesystem::create_symlink(here.folder.at("own/pi-resilient"), here.folder.at("alias/pi"));
  here.folder.put("plain/pi", "not executable");
  std::filesystem::create_directories(here.folder.at("folder/pi"));
  const std::string path =
      here.folder.at("alias") + ":" + here.folder.at("plain") + ":" + here.folder.at("folder")
      + ":/nonexistent:" + here.folder.at("first/bin") + ":" + here.folder.at("second/bin");
  const auto found = here.locate({{"PATH", path}});
  REQUIRE(found);
  CHECK(found->program == here.folder.at("first/bin/pi"));
  CHECK(found->version == process::pi_version{1, 6, 0});
}

TEST_CASE("relative and empty parts of PATH mean the working folder") {
  const machine here;
  here.program("pi", "#!/usr/bin/env node\n");
  here.program("bin/pi", "#!/usr/bin/env node\n");
  CHECK(here.locate({{"PATH", "/nonexistent:"}})->program == here.folder.at("pi"));
  CHECK(here.locate({{"PATH", "bin"}})->program == here.folder.at("bin/pi"));
  CHECK_FALSE(here.locate({{"PATH", "bin"}})->version);
}

TEST_CASE("PI_REAL_BIN goes first and is taken literally") {
  const machine here;
  here.npm_pi("first", "1.6.0");
  here.npm_pi("second", "0.83.0");
  const auto found = here.locate(
      {{"PATH", here.folder.at("first/bin")}, {"PI_REAL_BIN", here.folder.at("second/bin/pi")}});
  REQUIRE(found);
  CHECK(found->program == here.folder.at("second/bin/pi"));
  CHECK(found->version == process::pi_version{0, 83, 0});
  CHECK(here.locate({{"PATH", ""}, {"PI_REAL_BIN", "first/bin/pi"}})->program
        == here.folder.at("first/bin/pi"));
  CHECK(here.locate({{"PATH", here.folder.at("first/bin")}, {"PI_REAL_BIN", ""}})->program
        == here.folder.at("first/bin/pi"));
  CHECK(here.refusal({{"PI_REAL_BIN", "~/bin/pi"}}, 69).find("\"~/bin/pi\"") != std::string::npos);
  CHECK(here.refusal({{"PI_REAL_BIN", "~/bin/pi"}}, 69).find("not expanded") != std::string::npos);
  CHECK(here.refusal({{"PI_REAL_BIN", "/a/$HOME/pi"}}, 69).find("not expanded")
        != std::string::npos);
  CHECK(here.refusal({{"PI_REAL_BIN", "/nonexistent/pi"}}, 69).find("not expanded")
        == std::string::npos);
  CHECK(here.refusal({{"PI_REAL_BIN", "pi"}}, 69).find("not on PATH") != std::string::npos);
  CHECK(here.refusal({{"PI_REAL_BIN", "/nonexistent/pi"}}, 69).find("not on PATH")
        == std::string::npos);
  CHECK(here.refusal({{"PI_REAL_BIN", here.folder.at("own/pi-resilient")}}, 78)
            .find("pi-resilient itself")
        != std::string::npos);
}

TEST_CASE("no pi at all is a sentence that says how to get one") {
  const machine here;
  CHECK(here.refusal({{"PATH", "/nonexistent"}}, 69).find("npm install -g @earendil-works")
        != std::string::npos);
}

TEST_CASE("a wrapper that starts us again is refused, other scripts are not") {
  const machine here;
  here.program("loop/pi", "#!/bin/sh\nexec pi-resilient -- \"$@\"\n");
  here.program("shim/pi", "#!/usr/bin/env bash\nexec volta run pi \"$@\"\n");
  here.program("script/pi", "#!/usr/bin/env node\n// works with pi-resilient\n");
  here.program("path/pi", "#!/bin/sh\n\"/opt/my tools/pi-resilient\" -- \"$@\"\n");
  here.program("below/pi", "#!/bin/sh\n# not pi-resilient\n"
                           "exec /opt/pi-resilient/bin/node /opt/pi-resilient-2/pi.js \"$@\"\n");
  CHECK(here.refusal({{"PATH", here.folder.at("path")}}, 78).find("wrapper") != std::string::npos);
  CHECK(here.locate({{"PATH", here.folder.at("below")}}));
  CHECK(here.refusal({{"PATH", here.folder.at("loop")}}, 78).find("PI_REAL_BIN")
        != std::string::npos);
  CHECK(here.refusal({{"PI_REAL_BIN", here.folder.at("loop/pi")}}, 78).find("wrapper")
        != std::string::npos);
  CHECK(here.locate({{"PATH", here.folder.at("shim")}}));
  CHECK(here.locate({{"PATH", here.folder.at("script")}}));
}

TEST_CASE("a loop that no file shows is seen in the environment") {
  CHECK(launcher::check_for_loop(reader({{"PI_RESILIENT_MARK", "run:1"}})));
  CHECK_FALSE(launcher::check_for_loop(reader({{"PI_RESILIENT_SECRET", "x"}})));
  CHECK_FALSE(launcher::check_for_loop(reader({{launcher::loop_guard_variable, "1"}})));
}

TEST_CASE("a Pi that is too old is refused, a newer or unknown one is not") {
  const machine here;
  here.npm_pi("old", "0.80.5");
  here.npm_pi("oldest", "0.80.6");
  here.npm_pi("new", "2.0.0");
  here.npm_pi("odd", "yesterday");
  CHECK(here.refusal({{"PATH", here.folder.at("old/bin")}}, 69).find("Pi 0.80.5, which is too old")
        != std::string::npos);
  CHECK(here.locate({{"PATH", here.folder.at("oldest/bin")}}));
  CHECK(here.locate({{"PATH", here.folder.at("new/bin")}})->version
        == process::pi_version{2, 0, 0});
  CHECK_FALSE(here.locate({{"PATH", here.folder.at("odd/bin")}})->version);
}

TEST_CASE("the package of something else is not taken for Pi's") {
  const machine here;
  here.folder.put("tool/package.json", R"({"name":"other","version":"9.9.9"})");
  here.program("tool/bin/pi", "#!/usr/bin/env node\n");
  CHECK_FALSE(here.locate({{"PATH", here.folder.at("tool/bin")}})->version);
  here.folder.put("tool/package.json", "[not json");
  CHECK_FALSE(here.locate({{"PATH", here.folder.at("tool/bin")}})->version);
  here.folder.put("tool/package.json", R"({"name":7,"version":{}})");
  CHECK_FALSE(here.locate({{"PATH", here.folder.at("tool/bin")}})->version);
}

TEST_CASE("the extension is the named one, the installed one, or the source tree's") {
  const temporary_folder folder;
  folder.put("bin/pi-resilient", "");
  folder.put("named/index.ts", "");
  const auto locate = [&](std::map<std::string, std::string> variables) {
    return launcher::locate_extension(reader(std::move(variables)), folder.at("bin/pi-resilient"),
                                      folder.path());
  };
  CHECK(*locate({{"PI_RESILIENT_EXTENSION", "named"}}) == folder.at("named"));
  CHECK_FALSE(locate({{"PI_RESILIENT_EXTENSION", "/nonexistent"}}));
  folder.put("share/pi-resilient/extension/index.ts", "");
  CHECK(*locate({}) == folder.at("share/pi-resilient/extension/index.ts"));
  folder.put("share/pi-resilient/extension/pi-resilient.js", "");
  CHECK(*locate({}) == folder.at("share/pi-resilient/extension/pi-resilient.js"));
}
