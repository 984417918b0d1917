#include "core/canon/address.hpp"

#include "core/canon/store.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace resilient::canon;

namespace {

struct row {
  std::string path;
  std::string directory; ///< empty: none is given
  std::string address;
  std::string contained;
};

// clang-format off
const std::vector<row> table = {
    {"src/core/config.ts", "", "src/core/config", "src/core/config.ts"},
    {"./src/core/", "", "src/core", "src/core"},
    {"src/core", "", "src/core", "src/core"},
    {"lake/fundamentals/market_cap", "", "lake/fundamentals/market_cap", "lake/fundamentals/market_cap"},
    {".env", "", ".env", ".env"},
    {"src/.env", "", "src/.env", "src/.env"},
    {".env.local", "", ".env", ".env.local"},
    {"src/.eslintrc.json", "", "src/.eslintrc", "src/.eslintrc.json"},
    {"src/..config", "", "src/..config", "src/..config"},
    {"...", "", "...", "..."},
    {"a/...", "", "a/...", "a/..."},
    {"a/...b", "", "a/...b", "a/...b"},
    {"docs/v1.2/notes.md", "", "docs/v1.2/notes", "docs/v1.2/notes.md"},
    {"docs/v1.2", "", "docs/v1", "docs/v1.2"},
    {"docs/v1.2/", "", "docs/v1", "docs/v1.2"},
    {"docs/v1.2/README", "", "docs/v1.2/README", "docs/v1.2/README"},
    {"src/core/config.test.ts", "", "src/core/config.test", "src/core/config.test.ts"},
    {"src/core/config.test", "", "src/core/config", "src/core/config.test"},
    {"archive.tar.gz", "", "archive.tar", "archive.tar.gz"},
    {"file.", "", "file", "file."},
    {"dir/file.", "", "dir/file", "dir/file."},
    {"a..b", "", "a.", "a..b"},
    {"../../journal/x", "", "journal/x", "journal/x"},
    {"a/../../../outside/pwned", "", "outside/pwned", "outside/pwned"},
    {"src/core/../other.ts", "", "src/other", "src/other.ts"},
    {"..", "", "", ""},
    {".", "", "", ""},
    {"", "", "", ""},
    {"   ", "", "", ""},
    {"/", "", "", ""},
    {"//", "", "", ""},
    {"./", "", "", ""},
    {"/..", "", "", ""},
    {"../..", "", "", ""},
    {"src//core///config.ts", "", "src/core/config", "src/core/config.ts"},
    {"src/./core/./config.ts", "", "src/core/config", "src/core/config.ts"},
    {"src/core/config.ts/", "", "src/core/config", "src/core/config.ts"},
    {"src/core/config.ts/..", "", "src/core", "src/core"},
    {"  src/core/config.ts  ", "", "src/core/config", "src/core/config.ts"},
    {"src/core/ config.ts", "", "src/core/ config", "src/core/ config.ts"},
    {"src/my file.ts", "", "src/my file", "src/my file.ts"},
    {"src/core/config.ts\n", "", "src/core/config", "src/core/config.ts"},
    {"\tsrc/a.ts", "", "src/a", "src/a.ts"},
    {"src\\core\\config.ts", "", "src/core/config", "src/core/config.ts"},
    {"C:\\w\\proj\\src\\a.ts", "C:/w/proj", "src/a", "src/a.ts"},
    {"C:\\w\\proj\\src\\a.ts", "/w/proj", "C:/w/proj/src/a", "C:/w/proj/src/a.ts"},
    {"\\\\srv\\share\\a.ts", "", "srv/share/a", "srv/share/a.ts"},
    {"C:/x/y.ts", "", "C:/x/y", "C:/x/y.ts"},
    {".\\src\\a.ts", "", "src/a", "src/a.ts"},
    {"..\\..\\a.ts", "", "a", "a.ts"},
    {"/w/proj/src/core/config.ts", "/w/proj", "src/core/config", "src/core/config.ts"},
    {"/w/proj", "/w/proj", "", ""},
    {"/w/proj/", "/w/proj", "", ""},
    {"/w/proj-vendor/src/thing.ts", "/w/proj", "w/proj-vendor/src/thing", "w/proj-vendor/src/thing.ts"},
    {"/etc/passwd", "/w/proj", "etc/passwd", "etc/passwd"},
    {"/etc/passwd", "", "etc/passwd", "etc/passwd"},
    {"/w/proj/../other/a.ts", "/w/proj", "other/a", "other/a.ts"},
    {"/w/proj//src/a.ts", "/w/proj", "src/a", "src/a.ts"},
    {"/w/./proj/src/a.ts", "/w/proj", "w/proj/src/a", "w/proj/src/a.ts"},
    {"/w/proj/../proj/src/a.ts", "/w/proj", "proj/src/a", "proj/src/a.ts"},
    {"/w/proj/src/a.ts", "/w/proj/", "src/a", "src/a.ts"},
    {"SRC/Core/Config.TS", "", "SRC/Core/Config", "SRC/Core/Config.TS"},
    {"src/Config.ts", "", "src/Config", "src/Config.ts"},
    {"README.md", "", "README", "README.md"},
    {"Makefile", "", "Makefile", "Makefile"},
    {"Dockerfile.prod", "", "Dockerfile", "Dockerfile.prod"},
    {"src/größe.ts", "", "src/größe", "src/größe.ts"},
    {"src/日本語.md", "", "src/日本語", "src/日本語.md"},
    {"src/e\314\201.md", "", "src/e\314\201", "src/e\314\201.md"},
    {"src/é.md", "", "src/é", "src/é.md"},
    {"src/\302\240nb.ts", "", "src/\302\240nb", "src/\302\240nb.ts"},
    {"\302\240src/a.ts", "", "src/a", "src/a.ts"},
    {"\357\273\277src/a.ts", "", "src/a", "src/a.ts"},
    {"src/emoji😀.ts", "", "src/emoji😀", "src/emoji😀.ts"},
    {"src/zero\342\200\213.ts", "", "src/zero\342\200\213", "src/zero\342\200\213.ts"},
    {"lake:prices", "", "lake:prices", "lake:prices"},
    {"lake:fundamentals/market_cap.csv", "", "lake:fundamentals/market_cap", "lake:fundamentals/market_cap.csv"},
    {"lake:../x", "", "lake:../x", "lake:../x"},
    {"a:b.ts", "", "a:b", "a:b.ts"},
    {"src/a:b.ts", "", "src/a:b", "src/a:b.ts"},
    {"src/a.b/c", "", "src/a.b/c", "src/a.b/c"},
    {"src/a.b/.c", "", "src/a.b/.c", "src/a.b/.c"},
    {"src/a.b/c.d.e", "", "src/a.b/c.d", "src/a.b/c.d.e"},
    {"src/[id].tsx", "", "src/[id]", "src/[id].tsx"},
    {"src/(group)/page.tsx", "", "src/(group)/page", "src/(group)/page.tsx"},
    {"src/@scope/pkg/index.ts", "", "src/@scope/pkg/index", "src/@scope/pkg/index.ts"},
    {"~/.bashrc", "", "~/.bashrc", "~/.bashrc"},
    {"~/x.sh", "", "~/x", "~/x.sh"},
    {"src/%2e%2e/a.ts", "", "src/%2e%2e/a", "src/%2e%2e/a.ts"},
    {"src/a?.ts", "", "src/a?", "src/a?.ts"},
    {"src/a#b.ts", "", "src/a#b", "src/a#b.ts"},
    {"file:///w/proj/src/a.ts", "/w/proj", "file:/w/proj/src/a", "file:/w/proj/src/a.ts"},
    {"src/core/config.md", "", "src/core/config", "src/core/config.md"},
    {"src/core/config.md.md", "", "src/core/config.md", "src/core/config.md.md"},
    {"a/b/.hidden/c.ts", "", "a/b/.hidden/c", "a/b/.hidden/c.ts"},
    {"a/.b.c", "", "a/.b", "a/.b.c"},
    {"-rf", "", "-rf", "-rf"},
    {"v1.2", "", "v1", "v1.2"},
    {"1.2.3", "", "1.2", "1.2.3"},
    {"name.", "", "name", "name."},
    {".a.", "", ".a", ".a."},
    {"node_modules/x/y.js", "", "node_modules/x/y", "node_modules/x/y.js"},
};
// clang-format on

} // namespace

TEST_CASE("a path has one address, and the table says which") {
  for (const row& each : table) {
    CAPTURE(each.path);
    CAPTURE(each.directory);
    CHECK(normalize(each.path, each.directory) == each.address);
    CHECK(contained(each.path, each.directory) == each.contained);
  }
}

TEST_CASE("a relative path that leaves the project and comes back is inside") {
  CHECK(normalize("../proj/src/core/config.ts", "/w/proj") == "src/core/config");
  CHECK(normalize("../proj", "/w/proj").empty());
  CHECK(normalize("../project/a.ts", "/w/proj") == "project/a");
  CHECK(normalize("../lake/prices.csv", "/w/proj") == "lake/prices");
  CHECK(normalize("src/../../proj/a.ts", "/w/proj") == "a");
}

TEST_CASE("an address is either absent or one that a file can have") {
  struct refused {
    std::string address;
    std::string because;
  };
  for (const refused& each : std::vector<refused>{
           {"", "empty"},
           {std::string("src/a\0b", 7), "NUL"},
           {"a//b", "empty or dotted"},
           {"a/../b", "empty or dotted"},
           {"./a", "empty or dotted"},
           {std::string(253, 'x'), "252"},
           {std::string(256, 'x') + "/a", "256 bytes"},
           {"leaf.md/x", "\"leaf\""},
           {"notes.md/inner", "\"notes\""},
       }) {
    CAPTURE(each.address);
    const auto reason = store::refusal(each.address);
    REQUIRE(reason.has_value());
    CHECK(reason->find(each.because) != std::string::npos);
  }
  for (const std::string& address :
       {std::string("src/core/config"), std::string(252, 'x'), std::string(255, 'x') + "/a",
        std::string("leaf.md"), std::string("..a/...b"), std::string("a b/\xFF")}) {
    CAPTURE(address);
    CHECK_FALSE(store::refusal(address).has_value());
  }
}

TEST_CASE("the address above") {
  CHECK(parent_address("a/b/c") == "a/b");
  CHECK(parent_address("a").empty());
  CHECK(last_segment("a/b.c") == "b.c");
  CHECK(last_segment("a") == "a");
}
