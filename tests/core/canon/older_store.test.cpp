#include "tests/core/canon/canon_project.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>

using namespace resilient::canon;
using namespace resilient::canon::tests;

namespace {

std::map<std::string, std::string> files_below(const std::filesystem::path& root) {
  std::map<std::string, std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) {
      std::ifstream in(entry.path(), std::ios::binary);
      found[entry.path().lexically_relative(root).string()] = {std::istreambuf_iterator<char>(in),
                                                               std::istreambuf_iterator<char>()};
    }
  }
  return found;
}

} // namespace

TEST_CASE("the same calls leave the same bytes as the older release") {
  const canon_project project;
  std::filesystem::copy("tests/core/canon/older_store/before", project.directory + "/.canon",
                        std::filesystem::copy_options::recursive);
  CHECK(project
            .call({{"action", "write"},
                   {"path", "lake/prices"},
                   {"capsule", "Prices are integer cents; a comma corrupts the parser."}})
            .is_error
        == false);
  CHECK(project
            .call({{"action", "write"},
                   {"path", "src/core/config"},
                   {"body", "# Config\n\nResolution order is defaults, then config.toml, then "
                            "environment, then flags."}})
            .is_error
        == false);
  CHECK(holds(project.text({{"action", "write"}, {"path", "docs/v1.2/notes"}, {"body", "x"}}),
              "already current"));
  CHECK(files_below(project.directory + "/.canon")
        == files_below("tests/core/canon/older_store/after"));
}

TEST_CASE("a store of the older release is read") {
  const canon_project project;
  std::filesystem::copy("tests/core/canon/older_store/before", project.directory + "/.canon",
                        std::filesystem::copy_options::recursive);
  CHECK(project.text({{"action", "map"}})
        == "docs/v1.2/notes: Notes of 1.2.\n"
           "lake/prices: Prices are integer cents: never format with commas, it's parsed raw "
           "[rule].\n"
           "rules/money: When writing money for machines: integer cents, no separators.\n"
           "src/core/config: Loads layered config; env beats file; secrets never land here.\n"
           "src/core/other: a: b # tricky \"quotes\"");
  CHECK(holds(project.text({{"action", "read"}, {"path", "src/core/config.ts"}}),
              "\n\njournal: 2026-11-30-vendor-cap-2.md, 2026-11-30-vendor-cap.md"));
  CHECK(holds(project.text({{"action", "read"}, {"path", "lake/prices"}}),
              "\n\njournal: 2026-11-30-vendor-cap.md"));
}
