#include "core/canon/mention_index.hpp"

#include "core/canon/store.hpp"
#include "core/support/files.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace resilient;
using namespace resilient::canon;

namespace {

using namespace std::chrono_literals;
using names = std::vector<std::string>;

/// More entries than are read without a cache.
constexpr int enough = 120;

wall_time clock_now() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

std::string new_folder() {
  std::string pattern = std::filesystem::temp_directory_path() / "canon-mentions-XXXXXX";
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  return pattern;
}

journal_entry entry_about(names subjects, std::string logged) {
  journal_entry entry;
  entry.subjects = std::move(subjects);
  entry.logged = std::move(logged);
  entry.body = "x";
  return entry;
}

struct journal_fixture {
  journal_fixture() {
    for (int i = 0; i < enough; ++i) {
      put(fmt::format("2026-01-01-old-{}.md", i), {i % 3 == 0 ? "a" : "b", "all"});
    }
    settle();
    check();
    check();
    REQUIRE(std::filesystem::exists(cache));
  }
  journal_fixture(const journal_fixture&) = delete;
  journal_fixture& operator=(const journal_fixture&) = delete;
  ~journal_fixture() { std::filesystem::remove_all(root); }

  /// Writes an entry as a program does that knows nothing of us.
  void put(const std::string& name, const names& subjects,
           const std::string& logged = "2026-01-01T00:00:00.000Z") const {
    std::filesystem::create_directories(journal);
    std::string text = "---\nsubject: [";
    for (const std::string& subject : subjects) {
      text += (text.back() == '[' ? "" : ", ") + subject;
    }
    posix_files disk;
    const std::string path = fmt::format("{}/{}", journal, name);
    REQUIRE(disk.remove(path));
    REQUIRE(disk.append(path, text + "]\nlogged: " + logged + "\n---\nx\n"));
  }

  /// So many entries that their status is not looked at whenever they are listed.
  void make_long() const {
    for (int i = 0; i < 500; ++i) {
      put(fmt::format("2026-01-02-more-{}.md", i), {"all"});
    }
    settle();
    check();
  }

  /// The clock of the file system makes steps.
  static void settle() { std::this_thread::sleep_for(120ms); }

  /// What a new process answers.
  [[nodiscard]] names ask(const std::string& subject, wall_time now = clock_now()) const {
    store fresh(root);
    fresh.use_cache(mention_cache{cache});
    return fresh.mentions(subject, now);
  }

  /// What one answers that reads every entry.
  [[nodiscard]] names truth(const std::string& subject) const {
    return store(root).mentions(subject, clock_now());
  }

  /// Whether new processes answer the truth: one that finds the change, and those after it.
  void check() const {
    for (int process = 0; process < 3; ++process) {
      for (const char* subject : {"a", "b", "all", "new", "none"}) {
        CAPTURE(process);
        CAPTURE(subject);
        CHECK(ask(subject) == truth(subject));
      }
    }
  }

  [[nodiscard]] std::vector<std::string> cache_files() const {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(cache)) {
      paths.push_back(entry.path());
    }
    return paths;
  }

  std::string root = new_folder();
  std::string journal = root + "/.canon/journal";
  std::string cache = root + "/cache";
};

} // namespace

TEST_CASE_FIXTURE(journal_fixture, "an entry that came or went is noticed by the next process") {
  put("2026-02-02-x.md", {"a", "new"}, "2026-02-02");
  check();
  CHECK(ask("new") == names{"2026-02-02-x.md"});
  put("2025-02-02-older.md", {"a", "new"}, "2025-02-02");
  check();
  CHECK(ask("new") == names{"2025-02-02-older.md", "2026-02-02-x.md"});
  settle();
  check();
  SUBCASE("it goes") {
    std::filesystem::remove(journal + "/2026-02-02-x.md");
  }
  SUBCASE("an old one goes") {
    std::filesystem::remove(journal + "/2026-01-01-old-3.md");
  }
  SUBCASE("it gets another name") {
    std::filesystem::rename(journal + "/2026-02-02-x.md", journal + "/2026-02-02-y.md");
  }
  SUBCASE("another file takes its name") {
    put("temporary", {"b"});
    std::filesystem::rename(journal + "/temporary", journal + "/2026-02-02-x.md");
  }
  SUBCASE("another file takes an old one's name") {
    put("temporary", {"new"});
    std::filesystem::rename(journal + "/temporary", journal + "/2026-01-01-old-3.md");
  }
  SUBCASE("we write it") {
    store ours(root);
    REQUIRE(ours.append(entry_about({"new", "all"}, "2026-03-03T00:00:00.000Z"), "ours"));
  }
  check();
  settle();
  check();
}

TEST_CASE_FIXTURE(journal_fixture, "an entry that comes back with another content is read again") {
  make_long();
  const std::string path = journal + "/2026-01-01-old-3.md";
  std::filesystem::rename(path, root + "/kept");
  settle();
  check();
  put("2026-01-01-old-3.md", {"new"});
  settle();
  check();
  std::filesystem::rename(root + "/kept", path); // the number that the table knows
  std::filesystem::resize_file(path, 0);
  REQUIRE(posix_files{}.append(path, "---\nsubject: [b]\n---\nx\n"));
  settle();
  check();
}

TEST_CASE_FIXTURE(journal_fixture, "a journal that is replaced, emptied or removed is noticed") {
  std::filesystem::rename(journal, root + "/aside");
  check();
  SUBCASE("by a copy") {
    std::filesystem::copy(root + "/aside", journal);
    put("2026-01-01-old-5.md", {"new"});
  }
  SUBCASE("by a few") {
    put("2026-05-05-x.md", {"a"});
  }
  SUBCASE("by nothing, and it comes back") {
    std::filesystem::create_directories(journal);
    check();
    std::filesystem::remove(journal);
    std::filesystem::rename(root + "/aside", journal);
  }
  SUBCASE("by a file") {
    REQUIRE(posix_files{}.append(journal, "x"));
  }
  SUBCASE("by a link to a folder inside") {
    std::filesystem::rename(root + "/aside", root + "/.canon/real");
    std::filesystem::create_symlink("real", journal);
  }
  check();
  settle();
  check();
}

TEST_CASE_FIXTURE(journal_fixture,
                  "many that come and go at once are noticed, and so is the rest") {
  for (int i = 0; i < 300; ++i) {
    put(fmt::format("2026-04-04-many-{}.md", i), {i % 2 == 0 ? "a" : "new"}, "2026-04-04");
  }
  check();
  settle();
  check();
  for (int i = 0; i < 300; i += 3) {
    std::filesystem::remove(fmt::format("{}/2026-04-04-many-{}.md", journal, i));
  }
  check();
  settle();
  check();
  put("2026-06-06-one.md", {"new"}, "2026-06-06");
  settle();
  check();
  CHECK(ask("new").back() == "2026-06-06-one.md");
}

TEST_CASE_FIXTURE(journal_fixture, "after a change of a long journal only what is new is read") {
  make_long();
  const std::string path = journal + "/2026-01-01-old-0.md";
  posix_files disk;
  const std::string before = disk.read(path, 1000).value();
  std::string after = before;
  after.replace(after.find("[a"), 2, "[c");
  std::filesystem::resize_file(path, 0);
  REQUIRE(disk.append(path, after)); // in place: its folder does not tell
  put("2026-02-02-x.md", {"new"});
  settle();
  CHECK(ask("new").size() == 1);
  CHECK(ask("c").empty());
  CHECK(ask("a").front() == "2026-01-01-old-0.md");
  SUBCASE("until every entry is looked at") {
    store checking(root);
    checking.use_cache(mention_cache{cache});
    checking.check_mentions(clock_now());
  }
  SUBCASE("or a process asks again after a minute") {
    store lasting(root);
    lasting.use_cache(mention_cache{cache});
    CHECK(lasting.mentions("c", clock_now() + 1h).empty()); // the first question is to be cheap
    CHECK(lasting.mentions("c", clock_now() + 1h) == names{"2026-01-01-old-0.md"});
  }
  CHECK(ask("c") == names{"2026-01-01-old-0.md"});
  check();
}

TEST_CASE_FIXTURE(journal_fixture,
                  "a process that lasts notices every change, with a cache or none") {
  store lasting(root);
  SUBCASE("with") {
    lasting.use_cache(mention_cache{cache});
  }
  SUBCASE("without") {}
  SUBCASE("with one that cannot be written") {
    lasting.use_cache(mention_cache{"/proc/nowhere"});
  }
  const auto same = [&] {
    for (const char* subject : {"a", "b", "all", "new", "none"}) {
      CHECK(lasting.mentions(subject, clock_now()) == truth(subject));
    }
  };
  same();
  put("2026-02-02-x.md", {"a", "new"});
  same();
  same();
  std::filesystem::remove(journal + "/2026-01-01-old-3.md");
  same();
  settle();
  same();
  for (int i = 0; i < 100; ++i) {
    put(fmt::format("2026-04-04-many-{}.md", i), {"new"});
  }
  same();
  settle();
  same();
  std::filesystem::remove_all(journal);
  same();
  put("2026-02-03-y.md", {"a"});
  same();
}

TEST_CASE_FIXTURE(journal_fixture, "an entry that is still being written is read again") {
  posix_files disk;
  const std::string path = journal + "/2026-02-02-slow.md";
  REQUIRE(disk.append(path, "---\n"));
  CHECK(ask("new").empty());
  REQUIRE(disk.append(path, "subject: [new]\n---\nx\n")); // its folder does not tell
  CHECK(ask("new") == names{"2026-02-02-slow.md"});
  settle();
  check();
}

TEST_CASE_FIXTURE(journal_fixture, "a clock that steps back hides no change") {
  put("2026-02-02-x.md", {"new"});
  CHECK(ask("new", clock_now() - 24h) == names{"2026-02-02-x.md"});
  settle();
  CHECK(ask("new", clock_now() - 24h) == names{"2026-02-02-x.md"});
  std::filesystem::remove(journal + "/2026-02-02-x.md");
  CHECK(ask("new", clock_now() - 24h).empty());
  CHECK(ask("new").empty());
  settle();
  CHECK(ask("new").empty());
  put("2026-02-03-y.md", {"new"});
  CHECK(ask("new", clock_now() - 24h) == names{"2026-02-03-y.md"});
  check();
}

TEST_CASE_FIXTURE(journal_fixture,
                  "a cache that is torn, damaged, foreign or mixed changes no answer") {
  put("2026-02-02-x.md", {"new"});
  settle();
  check();
  const std::vector<std::string> files = cache_files();
  REQUIRE(files.size() == 2);
  posix_files disk;
  for (const std::string& path : files) {
    const std::string whole = disk.read(path, 1 << 20).value();
    const std::size_t step = whole.size() / 40 + 1;
    for (std::size_t at = 0; at < whole.size(); at += step) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x21);
      for (const std::string& written : {whole.substr(0, at), damaged}) {
        CAPTURE(path);
        CAPTURE(at);
        REQUIRE(disk.replace(path, written));
        REQUIRE(ask("new") == truth("new"));
        REQUIRE(ask("all") == truth("all"));
      }
    }
  }
  SUBCASE("the table of another store") {
    journal_fixture other;
    for (const std::string& path : files) {
      for (const std::string& theirs : other.cache_files()) {
        std::filesystem::copy_file(theirs, path, std::filesystem::copy_options::overwrite_existing);
        check();
      }
    }
  }
  SUBCASE("an old table with new changes, and the other way round") {
    std::filesystem::copy(cache, root + "/old");
    for (int i = 0; i < 100; ++i) {
      put(fmt::format("2026-04-04-many-{}.md", i), {"new"});
    }
    settle();
    check();
    put("2026-05-05-x.md", {"new"});
    settle();
    check();
    for (const std::string& path : files) {
      std::filesystem::copy_file(root + "/old/" + std::filesystem::path(path).filename().string(),
                                 path, std::filesystem::copy_options::overwrite_existing);
      check();
    }
  }
  SUBCASE("a folder where the file belongs") {
    for (const std::string& path : files) {
      std::filesystem::remove(path);
      std::filesystem::create_directory(path);
      check();
    }
  }
}

TEST_CASE_FIXTURE(journal_fixture, "processes that write and ask at the same moment lose nothing") {
  constexpr int processes = 4;
  constexpr int rounds = 25;
  std::vector<pid_t> children;
  for (int number = 0; number < processes; ++number) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool good = true;
      for (int round = 0; round < rounds; ++round) {
        store ours(root);
        ours.use_cache(mention_cache{cache});
        const std::string own = fmt::format("own{}", number);
        const auto name = ours.append(
            entry_about({own, "new"}, fmt::format("2026-02-02T00:00:00.{:03}Z", round)), own);
        const names found = ask(own);
        good = good && name && found.size() == static_cast<std::size_t>(round) + 1
               && found.back() == *name;
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK(ask("new").size() == processes * rounds);
  check();
  settle();
  check();
}

namespace {

/// A journal so long that listing it is worth avoiding.
struct long_journal_fixture : journal_fixture {
  long_journal_fixture() {
    for (int i = 0; i < 2000; ++i) {
      put(fmt::format("2026-01-03-long-{}.md", i), {"all"});
    }
    settle();
    check();
  }

  [[nodiscard]] std::string append(const std::string& slug) const {
    store ours(root);
    ours.use_cache(mention_cache{cache});
    return ours.append(entry_about({"new", "a"}, "2026-02-02T00:00:00.000Z"), slug).value();
  }

  /// Whether the cache vouches for the journal as it is.
  [[nodiscard]] bool is_current() const {
    const mention_cache kept{cache};
    const auto table = kept.table(root + "/.canon");
    REQUIRE(table);
    const auto changes = kept.changes(root + "/.canon", *table);
    const file_status status = store(root).journal_status().value();
    return (changes ? changes->as_of : table->as_of())
           == journal_state{status.device, status.inode, status.modified_ns, status.changed_ns};
  }
};

} // namespace

TEST_CASE_FIXTURE(long_journal_fixture, "an entry of ours is in the cache at once") {
  for (int i = 0; i < 150; ++i) { // more than are kept beside a table
    const std::string name = append("ours");
    REQUIRE(is_current());
    REQUIRE(ask("new").back() == name);
  }
  check();
  put("2026-03-03-foreign.md", {"new"});
  CHECK_FALSE(is_current());
  CHECK(ask("new").size() == 151);
  const std::string name = append("ours"); // what came before it is not known yet
  CHECK_FALSE(is_current());
  check();
  settle();
  check();
  CHECK(append("again") == "2026-02-02-again.md");
  CHECK(is_current());
  check();
}

TEST_CASE_FIXTURE(long_journal_fixture, "an entry that comes while ours is written is not lost") {
  std::mt19937 random(7); // NOLINT: the same walk each time
  int vouched = 0;
  for (int round = 0; round < 25; ++round) {
    settle();
    REQUIRE(ask("new") == truth("new"));
    const std::chrono::microseconds pause{random() % 3000};
    std::thread foreign([&] {
      std::this_thread::sleep_for(pause);
      put(fmt::format("2026-03-03-foreign-{}.md", round), {"new"});
    });
    const std::string name = append("ours");
    foreign.join();
    vouched += is_current() ? 1 : 0;
    REQUIRE(ask("new") == truth("new"));
  }
  CHECK(vouched == 0);
}

TEST_CASE_FIXTURE(journal_fixture, "whatever comes and goes, the answer is the truth") {
  std::mt19937 random(20261130); // NOLINT: the same walk each time
  const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
  for (int step = 0; step < 150; ++step) {
    const std::string name = fmt::format("2026-01-01-old-{}.md", below(160));
    const std::string subject = below(2) == 0 ? "a" : "new";
    switch (below(6)) {
    case 0:
      std::filesystem::remove(journal + "/" + name);
      break;
    case 1:
      put(name, {subject}, fmt::format("2026-01-{:02}", 1 + below(28)));
      break;
    case 2:
      put("temporary", {subject, "b"});
      std::filesystem::rename(journal + "/temporary", journal + "/" + name);
      break;
    case 3:
      for (int i = below(40); i > 0; --i) {
        put(fmt::format("2026-03-03-{}.md", below(300)), {subject});
      }
      break;
    case 4:
      settle();
      break;
    default:
      break;
    }
    CAPTURE(step);
    REQUIRE(ask("a") == truth("a"));
    REQUIRE(ask("new") == truth("new"));
    REQUIRE(ask("all") == truth("all"));
  }
}
