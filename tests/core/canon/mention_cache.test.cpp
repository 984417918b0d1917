#include "core/canon/mention_cache.hpp"

#include "core/support/files.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

using namespace resilient;
using namespace resilient::canon;

namespace {

std::string new_folder() {
  std::string pattern = std::filesystem::temp_directory_path() / "canon-cache-XXXXXX";
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  return pattern;
}

struct fixture {
  fixture() = default;
  fixture(const fixture&) = delete;
  fixture& operator=(const fixture&) = delete;
  ~fixture() { std::filesystem::remove_all(root); }

  [[nodiscard]] std::string only_file() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(root + "/cache")) {
      names.push_back(entry.path());
    }
    REQUIRE(names.size() == 1);
    return names.front();
  }

  std::string root = new_folder();
  mention_cache cache{root + "/cache"};
  file_status state{.kind = file_kind::folder,
                    .size = 4096,
                    .modified_ns = 1234567,
                    .mode = 0755,
                    .owner = 0,
                    .device = 5,
                    .inode = 77};
};

using names = std::vector<std::string>;

constexpr wall_time now{std::chrono::milliseconds{1796058302875}};

} // namespace

TEST_CASE_FIXTURE(fixture, "what was told is found, and nothing else") {
  CHECK(!cache.find("/p/journal", state, now, "a"));
  std::map<std::string, names> all;
  for (int i = 0; i < 5000; ++i) {
    all["src/item" + std::to_string(i)] = {"2026-11-30-a" + std::to_string(i) + ".md"};
  }
  all["many"] = names(1000, "2026-11-30-same.md");
  all["none"] = {};
  cache.remember("/p/journal", state, now, all);
  for (const auto& [subject, told] : all) {
    CHECK(cache.find("/p/journal", state, now, subject) == told);
  }
  CHECK(cache.find("/p/journal", state, now, "src/item") == names{});
  CHECK(cache.find("/p/journal", state, now, "src/item5000") == names{});
  CHECK(cache.find("/p/journal", state, now, "") == names{});
  CHECK(!cache.find("/q/journal", state, now, "many"));
}

TEST_CASE_FIXTURE(fixture, "an answer is only for the state that was told") {
  cache.remember("/p/journal", state, now, {{"a", {"x.md"}}});
  CHECK(cache.find("/p/journal", state, now, "a") == names{"x.md"});
  for (int changed = 0; changed < 3; ++changed) {
    file_status other = state;
    (changed == 0 ? other.inode : other.device) += changed < 2 ? 1 : 0;
    other.modified_ns += changed == 2 ? 1 : 0;
    CAPTURE(changed);
    CHECK(!cache.find("/p/journal", other, now, "a"));
    cache.remember("/p/journal", other, now, {{"a", {"y.md"}}});
    CHECK(cache.find("/p/journal", other, now, "a") == names{"y.md"});
    CHECK(!cache.find("/p/journal", state, now, "a"));
    cache.remember("/p/journal", state, now, {{"a", {"x.md"}}});
  }
}

TEST_CASE_FIXTURE(fixture, "what was checked long ago, or in the future, is not believed") {
  using namespace std::chrono_literals;
  cache.remember("/p/journal", state, now, {{"a", {"x.md"}}});
  CHECK(cache.find("/p/journal", state, now + 10min, "a") == names{"x.md"});
  CHECK(!cache.find("/p/journal", state, now + 10min + 1ms, "a"));
  CHECK(!cache.find("/p/journal", state, now - 1ms, "a"));
}

TEST_CASE_FIXTURE(fixture, "a file that was damaged answers nothing wrong and breaks nothing") {
  cache.remember("/p/journal", state, now, {{"a", {"x.md", "y.md"}}, {"b", {"z.md"}}});
  const std::string path = only_file();
  posix_files disk;
  const std::string whole = disk.read(path, 1 << 20).value();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    REQUIRE(disk.replace(path, whole.substr(0, length)));
    const auto found = cache.find("/p/journal", state, now, "a");
    CHECK((!found || *found == names{} || *found == names{"x.md", "y.md"}));
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    REQUIRE(disk.replace(path, damaged));
    (void)cache.find("/p/journal", state, now, "a");
    (void)cache.find("/p/journal", state, now, "c");
  }
}

TEST_CASE("a cache that cannot be written is no failure") {
  const mention_cache nowhere{"/proc/nowhere"};
  nowhere.remember("/p/journal", {}, now, {{"a", {"x.md"}}});
  CHECK(!nowhere.find("/p/journal", {}, now, "a"));
}
