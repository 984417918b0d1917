#include "core/canon/asset_finder.hpp"
#include "core/canon/mutation.hpp"
#include "core/canon/text_paths.hpp"
#include "core/canon/touch.hpp"
#include "tests/core/canon/touch_project.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <random>
#include <string>
#include <vector>

using namespace resilient::canon;
using namespace resilient::canon::tests;
using nlohmann::json;

namespace {

constexpr std::size_t plenty = 1 << 17;

std::string repeated(const std::string& part) {
  std::string text;
  while (text.size() < plenty) {
    text += part;
  }
  return text;
}

} // namespace

TEST_CASE("a long text of anything is read in time that grows with its size") {
  const touch_project project;
  std::string numbered;
  for (int index = 0; numbered.size() < plenty; ++index) {
    numbered += "src/core/" + std::to_string(index) + ".ts ";
  }
  const std::vector<std::string> texts{
      repeated("a"),
      repeated("/"),
      repeated("src/"),
      repeated("src/:"),
      repeated("src/a.ts)"),
      repeated("src/core/config.ts\n"),
      repeated("(((["),
      repeated("))).."),
      repeated("\"'`"),
      repeated("$(`"),
      repeated("{a,"),
      repeated("{a,b}"),
      repeated("$x"),
      repeated("ls|xargs rm|"),
      repeated("src/*"),
      repeated("src/**/"),
      repeated("cd src;"),
      repeated("(cd src;"),
      repeated("x=$x$x;"),
      repeated("<<E "),
      repeated("\xF0\x9F/"),
      repeated("file:///%2"),
      repeated("a=b/c;rm $a;"),
      repeated("open('src/x','w')"),
      repeated("*** Update File: src/x\n"),
      repeated("--- a/src/x\n+++ b/src/x\n"),
      repeated("for x in src/*;do rm $x;done;"),
      repeated("bash -c '"),
      numbered,
  };
  for (const std::string& text : texts) {
    CAPTURE(text.substr(0, 24));
    const auto begin = std::chrono::steady_clock::now();
    (void)touches_in({{"command", text}}, project.from());
    (void)touches_in({{"content", "*** Begin Patch\n" + text}}, project.from());
    (void)changes_in("bash", {{"command", text}}, project.from());
    (void)changes_in("bash", {{"command", "python3 - <<'E'\n" + text}}, project.from());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    // Generous: quadratic work on that much takes a minute.
    CHECK(taken.count() < 10.0);
  }
}

TEST_CASE("the file system is asked a bounded number of times, and declared paths come first") {
  const touch_project project;
  std::string many;
  for (int index = 0; index < 20000; ++index) {
    many += "top" + std::to_string(index) + "/x.ts ";
  }
  const auto found = touches_in(
      {{"content", many + " docs/guide.md"}, {"file_path", "src/core/config.ts"}}, project.from());
  CHECK(project.names_of(found) == std::vector<std::string>{"src/core/config.ts"});

  asset_finder finder(project.from(), 10);
  touch_list list(finder);
  add_paths_in_text(list, many, {project.directory});
  CHECK(finder.budget() == 0);
}

TEST_CASE("no bytes make the readers crash or answer with a path outside") {
  const touch_project project;
  std::mt19937 random(7);
  std::string alphabet = "src/core/config.ts \n\"'`$(){}[]<>|;&*?\\=:,#@~!%+\x01\xC3\xB6\xFF";
  alphabet += '\0';
  for (int times = 0; times < 1500; ++times) {
    std::string text;
    for (std::size_t size = random() % 80; size > 0; --size) {
      text += random() % 4 == 0 ? std::string("src/core/config.ts ").substr(random() % 19)
                                : std::string(1, alphabet[random() % alphabet.size()]);
    }
    for (const std::vector<touched>& found :
         {touches_in({{"command", text}, {"path", text}}, project.from()),
          changes_in("bash", {{"command", text}}, project.from())}) {
      for (const touched& each : found) {
        const place& where = project.where.at(each.place);
        const std::string expected =
            each.below.empty() ? where.directory : where.directory + "/" + each.below;
        CHECK(each.path == expected);
        CHECK(("/" + each.below + "/").find("/../") == std::string::npos);
      }
    }
  }
}
