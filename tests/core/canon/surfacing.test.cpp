#include "core/canon/surfacing.hpp"

#include "tests/core/canon/canon_project.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

using namespace resilient;
using namespace resilient::canon;
using resilient::canon::tests::canon_project;
using resilient::canon::tests::holds;

namespace {

/// A session in a project with articles for `src/core/config` and `src`, and one without a capsule.
struct scene {
  canon_project project;
  places where;
  surfacing session;
  int calls = 0;

  explicit scene(options chosen = {}) : where(prepared(project)), session(std::move(chosen)) {}

  static places prepared(const canon_project& project) {
    project.put("src/other.ts", "");
    project.put("docs/plan.md", "");
    project.put("src/fresh.ts", "");
    project.put_article("src/core/config",
                        "---\ncapsule: Env beats file.\nupdated: 2026-11-30\n---\nThe order is "
                        "defaults, then the file, then the environment.\n");
    project.put_article("src", "---\ncapsule: All sources.\nupdated: 2026-11-29\n---\n");
    project.put_article("docs", "---\nupdated: 2026-11-28\n---\nA body alone.\n");
    project.put_article("money", "---\ncapsule: Money is counted in cents.\nupdated: "
                                 "2026-11-27\n---\nNever format cents for a machine.\n");
    return places::open(project.directory).value();
  }

  void touch(const std::vector<std::string>& paths, bool changes = false,
             std::optional<bool> is_error = std::nullopt) {
    const std::string id = std::to_string(++calls);
    session.call(where,
                 observe(id, changes ? "edit" : "read", {{"path", paths}}, {&where, "", ""}));
    if (is_error) {
      session.result(where, id, *is_error);
    }
  }
  std::string flushed() {
    const auto message = session.flush();
    return message ? message->text : "";
  }
  std::string settled() {
    const auto message = session.settle();
    return message ? message->text : "";
  }
  std::vector<std::string> trace_kinds() {
    std::vector<std::string> kinds;
    for (const auto& event : session.take_trace()) {
      kinds.push_back(event.at("kind").get<std::string>());
    }
    return kinds;
  }
};

const std::string config_line = "\nsrc/core/config (updated 2026-11-30): Env beats file.";
const std::string src_line = "\nsrc (updated 2026-11-29): All sources.";

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

TEST_CASE("a session that touches nothing is told nothing, from its beginning to its end") {
  scene now;
  CHECK(now.flushed().empty());
  now.touch({});
  CHECK(now.flushed().empty());
  CHECK(now.settled().empty());
  CHECK(now.session.needles().empty());
}

TEST_CASE("a turn's touches make one message in the order of the touches") {
  scene now;
  now.touch({"src/core/config.ts", "src/core/config.ts"});
  now.touch({"docs/plan.md"});
  now.touch({"src/other.ts", "src/core/config.ts"});
  const std::string text = now.flushed();
  CHECK(text.rfind("[canon] These articles", 0) == 0);
  CHECK(lines_in(text) == 3);
  CHECK(holds(text, config_line + "\ndocs (updated 2026-11-28): an article is here"));
  CHECK(holds(text, src_line));
  CHECK(now.flushed().empty());
  now.touch({"src/core/config.ts", "src/other.ts", "docs/plan.md"});
  CHECK_MESSAGE(now.flushed().empty(), "once while it stays in the context");
}

TEST_CASE("only the article at the address or the nearest one above comes") {
  scene now;
  now.touch({"src/fresh.ts"});
  CHECK(lines_in(now.flushed()) == 1);
  now.touch({"src"});
  CHECK_MESSAGE(now.flushed().empty(), "a parent's touch brings no child");
  now.touch({"README.md"});
  CHECK_MESSAGE(now.flushed().empty(), "free knowledge never comes on a touch");
}

TEST_CASE("a capsule is never cut") {
  scene now;
  const std::string capsule(5000, 'x');
  now.project.put_article("src/other", "---\ncapsule: " + capsule + "\n---\n");
  now.touch({"src/other.ts"});
  CHECK(holds(now.flushed(), "\nsrc/other: " + capsule));
}

TEST_CASE("a capsule longer than anybody writes is named only, and nothing is lost") {
  scene run;
  run.project.put_article("src", "---\ncapsule: " + std::string(20'000, 'x') + "\n---\n");
  run.touch({"src/other.ts", "docs/plan.md"});
  const std::string text = run.flushed();
  CHECK(text.size() < 1000);
  CHECK(holds(text, "\nsrc: an article is here; read it before you rely on this asset.\ndocs "));
}

TEST_CASE("what a message has no room for comes with the next ones, each line once") {
  scene run;
  std::vector<std::string> paths;
  for (int each = 100; each < 130; ++each) {
    const std::string address = "many/a" + std::to_string(each);
    run.project.put(address + ".ts", "");
    run.project.put_article(address, "---\ncapsule: Fact " + std::to_string(each) + " "
                                         + std::string(10'000, 'y') + "\n---\n");
    paths.push_back(address + ".ts");
  }
  run.touch(paths);
  std::string all;
  int messages = 0;
  for (std::string text = run.flushed(); !text.empty(); text = run.flushed()) {
    CHECK(text.size() <= 66'000);
    all += text;
    ++messages;
  }
  CHECK(messages == 5);
  for (int each = 100; each < 130; ++each) {
    const std::string fact = ": Fact " + std::to_string(each) + " ";
    REQUIRE(holds(all, fact));
    CHECK(all.find(fact) == all.rfind(fact));
  }
}

TEST_CASE("a reminder of very many articles names some and counts the rest") {
  scene run;
  std::vector<std::string> paths;
  for (int each = 1000; each < 1300; ++each) {
    const std::string address = "many/" + std::to_string(each) + std::string(200, 'n');
    run.project.put(address + ".ts", "");
    run.project.put_article(address, "---\ncapsule: A fact.\n---\n");
    paths.push_back(address + ".ts");
  }
  for (std::size_t each = 0; each < paths.size(); each += 50) {
    run.touch({paths.begin() + static_cast<std::ptrdiff_t>(each),
               paths.begin() + static_cast<std::ptrdiff_t>(each + 50)},
              true, false);
  }
  while (!run.flushed().empty()) {
  }
  CHECK(run.session.needles().size() > 100);
  std::size_t bytes = 0;
  for (const needle& each : run.session.needles()) {
    bytes += each.key.size() + each.id.size() + each.tail.size();
  }
  CHECK(bytes <= 128U * 1024U);
  const auto message = run.session.settle();
  REQUIRE(message);
  CHECK(message->text.size() < 17'000);
  CHECK(holds(message->text, "many/1000n"));
  CHECK(holds(message->text, " more. If what"));
  CHECK(message->reminded.size() == 300);
}

TEST_CASE("a read or write through the tool withdraws what was staged") {
  for (const bool written : {false, true}) {
    CAPTURE(written);
    scene now;
    now.touch({"src/core/config.ts"});
    now.session.used({"src/core/config", "Env beats file.\nThe body.", written});
    CHECK(now.flushed().empty());
    now.touch({"src/core/config.ts"});
    CHECK(now.flushed().empty());
    CHECK(now.session.counts().characters == 0);
    CHECK(now.session.counts().surfaced == 0);
    CHECK(now.session.counts().present == 1);
  }
}

TEST_CASE("an article whose needle is gone comes again at a fresh touch and not before") {
  scene now;
  now.touch({"src/core/config.ts", "src/other.ts"});
  REQUIRE(!now.flushed().empty());
  const auto needles = now.session.needles();
  REQUIRE(needles.size() == 2);
  CHECK(needles[1].key == "src/core/config");
  CHECK(needles[1].tail == "src/core/config (updated 2026-11-30): Env beats file.");
  now.session.departed({"src/core/config", "unknown"});
  CHECK_MESSAGE(now.flushed().empty(), "departure alone sends nothing");
  CHECK(now.session.needles().size() == 1);
  now.touch({"src/core/config.ts", "src/other.ts"});
  CHECK(now.flushed().substr(0) != "");
  CHECK(now.session.counts().surfaced == 3);
  CHECK(now.session.counts().present == 2);
}

TEST_CASE("what was read is looked for by the end of its body") {
  scene now;
  now.session.used({"src", "All sources.\nA body that is long enough to be found again.\n", false});
  now.session.used({"docs", "A capsule that is long enough to be found.\nShort.", false});
  now.session.used({"money", "Short.\nShort.", false});
  const auto needles = now.session.needles();
  REQUIRE(needles.size() == 2);
  CHECK(needles[0].tail == "A capsule that is long enough to be found.");
  CHECK(needles[1].tail == "A body that is long enough to be found again.");
  now.session.departed({"money"});
  CHECK_MESSAGE(now.session.counts().present == 3, "without a needle it is never gone");
}

TEST_CASE("with resurface off nothing departs") {
  options chosen;
  chosen.resurface = false;
  scene now{chosen};
  now.touch({"src/core/config.ts"});
  REQUIRE(!now.flushed().empty());
  CHECK(now.session.needles().empty());
  now.session.departed({"src/core/config"});
  now.touch({"src/core/config.ts"});
  CHECK(now.flushed().empty());
}

TEST_CASE("with surface off nothing happens") {
  options chosen;
  chosen.surface = false;
  chosen.retrieval = retrieval_kind::lexical;
  scene now{chosen};
  now.session.heard({"a question about money"});
  now.touch({"src/core/config.ts"}, true, false);
  CHECK_FALSE(now.session.question());
  CHECK(now.flushed().empty());
  CHECK(now.settled().empty());
  CHECK(now.session.needles().empty());
  CHECK(now.trace_kinds().empty());
}

TEST_CASE("a change that succeeded is reminded of once, when the agent settles") {
  scene now;
  now.touch({"src/core/config.ts"}, true, false);
  now.touch({"src/other.ts"}, true, false);
  const std::string text = now.settled();
  CHECK(holds(text, config_line));
  CHECK(holds(text, "\nTouched but not updated: src, src/core/config."));
  CHECK(now.settled().empty());
  now.touch({"src/other.ts"}, true, false);
  CHECK_MESSAGE(now.settled().rfind("[canon] Touched but not updated: src.", 0) == 0,
                "a later change arms it again");
}

TEST_CASE("nothing is owed by a read, a failed call, or a call that has not ended") {
  scene now;
  now.touch({"src/other.ts"}, false, false);
  now.touch({"src/other.ts"}, true, true);
  now.touch({"src/other.ts"}, true);
  now.session.result(now.where, "unknown", false);
  CHECK(!now.flushed().empty());
  CHECK(now.settled().empty());
}

TEST_CASE("a write through the tool pays what its article owes, and a change after it owes again") {
  scene now;
  now.touch({"src/core/config.ts", "src/other.ts"}, true, false);
  now.session.used({"src", "All sources.", false});
  now.session.used({"src/core/config", "Env beats file.", true});
  CHECK(holds(now.settled(), "Touched but not updated: src."));
  now.touch({"src/core/config.ts"}, true, false);
  CHECK(holds(now.settled(), "Touched but not updated: src/core/config."));
}

TEST_CASE("a message that could not be delivered is as if it had not been made") {
  scene now;
  now.touch({"src/core/config.ts"}, true, false);
  const auto message = now.session.settle();
  REQUIRE(message);
  now.session.undo(*message, "the connection is gone");
  CHECK(now.session.counts().surfaced == 0);
  CHECK(now.session.counts().present == 0);
  CHECK(now.session.needles().empty());
  now.touch({"src/other.ts"});
  const auto again = now.session.settle();
  REQUIRE(again);
  CHECK(again->lines.size() == 2);
  CHECK(holds(again->text, config_line + src_line));
  CHECK(again->reminded == message->reminded);
}

TEST_CASE("a mount's articles surface under their qualified address") {
  canon_project project;
  project.all.put("lake/prices.csv", "");
  project.all.put("lake/.canon/articles/prices.md", "---\ncapsule: Cents.\n---\n");
  const places where = places::open(project.directory, "", {project.all.at("lake")}).value();
  surfacing session{{}};
  const std::string path = project.all.at("lake/prices.csv");
  session.call(where, observe("1", "edit", {{"path", path}}, {&where, "", ""}));
  session.result(where, "1", false);
  const auto message = session.settle();
  REQUIRE(message);
  CHECK(holds(message->text, "\nlake:prices: Cents.\n"));
  CHECK(message->reminded == std::vector<std::string>{"lake:prices"});
}

TEST_CASE("the trace tells what happened, once") {
  scene now;
  now.touch({"src/core/config.ts", "src/other.ts"});
  now.session.used({"src", "All sources.", false});
  CHECK(!now.flushed().empty());
  now.session.departed({"src/core/config"});
  CHECK(now.trace_kinds()
        == std::vector<std::string>{"staged", "staged", "withdrawn", "entered", "surfaced",
                                    "flushed", "departed"});
  CHECK(now.trace_kinds().empty());
}

TEST_CASE("what an earlier process showed counts as there until the next request lacks it") {
  scene run;
  run.session.recall(
      {{{"src/core/config", "src/core/config (updated 2026-11-29): It was so.", false}, true},
       {{"docs", "docs\n\nA body that is long enough to look for.", false}, false},
       {{"src", "src: Short.", false}, true}});
  CHECK(run.session.needles().size() == 2);
  CHECK(run.session.counts().surfaced == 2);
  CHECK(run.session.counts().characters == 48);
  run.touch({"src/core/config.ts"});
  run.touch({"docs/plan.md"});
  CHECK_FALSE(run.session.flush());
  run.session.departed({"docs"});
  run.touch({"docs/plan.md"});
  run.touch({"src/other.ts"});
  const auto message = run.session.flush();
  REQUIRE(message);
  CHECK(holds(message->text, "\ndocs (updated 2026-11-28): "));
  CHECK_MESSAGE(holds(message->text, "\nsrc (updated"), "it was too short to be looked for");
}

TEST_CASE("of much that was shown once the latest is looked for, and there is room for more") {
  scene run;
  std::vector<logged_article> log;
  for (int number = 0; number < 3000; ++number) {
    const std::string key = "much/" + std::to_string(number);
    log.push_back({{key, key + ": " + std::string(200, 'a') + " is what it says.", false}, true});
  }
  run.session.recall(log);
  const std::size_t recalled = run.session.needles().size();
  CHECK(recalled > 200);
  CHECK(recalled < 1000);
  CHECK(run.session.counts().present == recalled);
  const std::vector<needle> marks = run.session.needles();
  CHECK(std::any_of(marks.begin(), marks.end(),
                    [](const needle& each) { return each.key == "much/2999"; }));
  run.touch({"src/core/config.ts"});
  REQUIRE(run.session.flush());
  CHECK(run.session.needles().size() == recalled + 1);
}
