#include "core/canon/mention_cache.hpp"

#include "core/canon/article.hpp"
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

using names = std::vector<dated_name>;

constexpr wall_time now{std::chrono::milliseconds{1796058302875}};
const std::string store_path = "/p/.canon";

all_mentions mentions_of(mentions_by_subject by_subject) {
  all_mentions all;
  all.store = content_hash(store_path);
  all.as_of = {.device = 5, .inode = 77, .modified_ns = 1234567, .changed_ns = 89};
  all.checked = now;
  for (const auto& [subject, named] : by_subject) {
    for (const dated_name& one : named) {
      all.entries.push_back({.name = content_hash(one.name), .inode = 9, .content = 10});
    }
  }
  all.by_subject = std::move(by_subject);
  return all;
}

mention_table table_of(const std::string& bytes) {
  auto table = mention_table::open(bytes, content_hash(store_path));
  REQUIRE(table);
  return std::move(*table);
}

mention_changes some_changes(std::uint64_t table) {
  return {.table = table,
          .as_of = {.device = 5, .inode = 77, .modified_ns = -3, .changed_ns = 90},
          .checked = now,
          .gone = {1, 7, ~std::uint64_t{0}},
          .came = {{{"2026-11-30", "c.md"}, {1, 2, 3}, {"a", "b\nc", ""}},
                   {{"", "d.md"}, {4, 5, 6}, {}}}};
}

struct fixture {
  fixture() { REQUIRE(::mkdtemp(root.data()) != nullptr); }
  fixture(const fixture&) = delete;
  fixture& operator=(const fixture&) = delete;
  ~fixture() { std::filesystem::remove_all(root); }

  std::string root = std::filesystem::temp_directory_path() / "canon-cache-XXXXXX";
};

} // namespace

TEST_CASE("a table answers what it was made of, and nothing else") {
  mentions_by_subject all;
  for (int i = 0; i < 5000; ++i) {
    all["src/item" + std::to_string(i)] = {{"2026", "a" + std::to_string(i) + ".md"}};
  }
  all["many"] = names(1000, {"2026-11-30T10:00:00.000Z", "same.md"});
  all["a\nb"] = {{"line\nend", "x.md"}};
  all[""] = {{"", "empty.md"}};
  const mention_table table = table_of(mention_table::compose(mentions_of(all)));
  for (const auto& [subject, told] : all) {
    CHECK(table.find(subject) == told);
  }
  CHECK(table.find("src/item") == names{});
  CHECK(table.find("src/item5000") == names{});
  CHECK(table.everything() == all);
  CHECK(table.size() == 6002);
  CHECK(table.entries().value().size() == 6002);
  CHECK(table.as_of() == mentions_of({}).as_of);
  CHECK(table.checked() == now);
}

TEST_CASE("a table is only for its own store") {
  const std::string bytes = mention_table::compose(mentions_of({{"a", {{"1", "x.md"}}}}));
  CHECK(mention_table::open(bytes, content_hash(store_path)));
  CHECK_FALSE(mention_table::open(bytes, content_hash("/q/.canon")));
  CHECK_FALSE(mention_table::open(std::string{}, content_hash(store_path)));
}

TEST_CASE("a damaged table gives no answer, or the right one") {
  const mentions_by_subject all{{"a", {{"1", "x.md"}, {"2", "y.md"}}}, {"b", {{"3", "z.md"}}}};
  const std::string whole = mention_table::compose(mentions_of(all));
  const auto entries = table_of(whole).entries();
  const auto judge = [&](const std::string& damaged) {
    const auto table = mention_table::open(damaged, content_hash(store_path));
    if (!table) {
      return;
    }
    for (const auto& subject : {"a", "b", "c"}) {
      const auto found = table->find(subject);
      const auto told = all.find(subject);
      CHECK((!found || *found == (told == all.end() ? names{} : told->second)));
    }
    const auto read = table->entries();
    CHECK((!read || read == entries));
    const auto everything = table->everything();
    CHECK((!everything || *everything == all));
  };
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CHECK_FALSE(mention_table::open(whole.substr(0, length), content_hash(store_path)));
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned flipped : {0xffU, 0x01U, 0x80U}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ flipped);
      judge(damaged);
    }
    std::string zeroed = whole;
    zeroed.replace(at, 64, std::min<std::size_t>(64, whole.size() - at), '\0');
    judge(zeroed);
  }
}

TEST_CASE("changes read back, unless a byte of them is damaged") {
  const mention_changes changes = some_changes(17);
  const std::string whole = compose_changes(changes);
  CHECK(parse_changes(whole) == changes);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    CHECK_FALSE(parse_changes(whole.substr(0, at)));
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    CHECK_FALSE(parse_changes(damaged));
  }
  CHECK_FALSE(parse_changes(whole + "x"));
}

TEST_CASE("changes take away what went and put in what came, in the order of time") {
  mention_changes changes;
  changes.gone = {content_hash("2.md")};
  changes.came = {{{"2026-02", "5.md"}, {}, {"a", "a"}},
                  {{"2026-01", "6.md"}, {}, {"b", "a"}},
                  {{"2026-09", "7.md"}, {}, {"b"}}};
  const names before{{"2026-01", "1.md"}, {"2026-01", "2.md"}, {"2026-03", "3.md"}};
  CHECK(
      changes.applied_to(before, "a")
      == names{{"2026-01", "1.md"}, {"2026-01", "6.md"}, {"2026-02", "5.md"}, {"2026-03", "3.md"}});
  CHECK(changes.applied_to({}, "b") == names{{"2026-01", "6.md"}, {"2026-09", "7.md"}});
  CHECK(changes.applied_to({}, "c") == names{});
}

TEST_CASE_FIXTURE(fixture, "a cache keeps a table and its changes, each store's apart") {
  const mention_cache cache{root + "/new/cache"};
  CHECK_FALSE(cache.table(store_path));
  const std::string bytes = mention_table::compose(mentions_of({{"a", {{"1", "x.md"}}}}));
  REQUIRE(cache.keep_table(store_path, bytes));
  const auto table = cache.table(store_path);
  REQUIRE(table);
  CHECK(table->find("a") == names{{"1", "x.md"}});
  CHECK_FALSE(cache.table("/q/.canon"));
  CHECK_FALSE(cache.changes(store_path, *table));
  const mention_changes changes = some_changes(table->id());
  REQUIRE(cache.keep_changes(store_path, changes));
  CHECK(cache.changes(store_path, *table) == changes);
}

TEST_CASE_FIXTURE(fixture, "changes of another table are not believed") {
  const mention_cache cache{root};
  const mention_table first =
      table_of(mention_table::compose(mentions_of({{"a", {{"1", "x.md"}}}})));
  const mention_table second =
      table_of(mention_table::compose(mentions_of({{"a", {{"1", "y.md"}}}})));
  REQUIRE(cache.keep_changes(store_path, some_changes(first.id())));
  CHECK(cache.changes(store_path, first));
  CHECK_FALSE(cache.changes(store_path, second));
}

TEST_CASE("a cache that cannot be written is no failure") {
  const mention_cache nowhere{"/proc/nowhere"};
  CHECK_FALSE(nowhere.keep_table(store_path, "x"));
  CHECK_FALSE(nowhere.keep_changes(store_path, {}));
  CHECK_FALSE(nowhere.table(store_path));
}
