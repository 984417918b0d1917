#include "tests/core/canon/hook_scene.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace resilient::canon;
using resilient::canon::tests::holds;
using resilient::canon::tests::hook_scene;

namespace {

/// What a batch is told that touches so many assets, each with a capsule of so many bytes.
std::string packet_for(hook_scene& now, int assets, std::size_t capsule_bytes,
                       std::size_t name_bytes = 3) {
  nlohmann::json paths = nlohmann::json::array();
  for (int number = 0; number < assets; ++number) {
    const std::string name = fmt::format("wide/{:03}{}", number, std::string(name_bytes - 3, 'n'));
    now.project.put(name + ".ts", "");
    hook_scene::put_article(now.project, name, std::string(capsule_bytes, 'x'));
    paths.push_back(now.project.directory + "/" + name + ".ts");
  }
  const auto answer = now.call("mcp__files__read_many", {{"paths", paths}});
  return answer.at("hookSpecificOutput").at("additionalContext").get<std::string>();
}

} // namespace

TEST_CASE("a packet that fits is whole") {
  hook_scene now;
  const std::string packet = packet_for(now, 8, 1000);
  CHECK(packet.size() <= longest_packet);
  CHECK(std::count(packet.begin(), packet.end(), 'x') == 8000);
  CHECK_FALSE(holds(packet, "only name the article"));
}

TEST_CASE("a packet that is too long keeps the newest whole and points at the others") {
  hook_scene now;
  const std::string packet = packet_for(now, 12, 1000);
  CHECK(packet.size() <= longest_packet);
  CHECK(holds(packet, "\nwide/011 (updated 2026-11-30): xxx"));
  CHECK(holds(packet, "\nwide/000 (updated 2026-11-30): an article is here"));
  CHECK(holds(packet, " of 12 only name the article"));
  CHECK(std::count(packet.begin(), packet.end(), '\n') == 12);
  const auto whole = std::count(packet.begin(), packet.end(), 'x') / 1000;
  CHECK(whole >= 7);
  CHECK_MESSAGE(now.call("Read", {{"file_path", now.project.directory + "/wide/000.ts"}})
                    == nlohmann::json::object(),
                "a pointer counts as seen");
}

TEST_CASE("a single capsule that is too long is pointed at") {
  hook_scene now;
  const std::string packet = packet_for(now, 1, 20000);
  CHECK(packet.size() <= longest_packet);
  CHECK(holds(packet, "\nwide/000 (updated 2026-11-30): an article is here"));
  CHECK(holds(packet, " 1 of 1 only name the article"));
}

TEST_CASE("one capsule that is too long takes no other's place") {
  hook_scene now;
  hook_scene::put_article(now.project, "src/core/other", std::string(20000, 'x'));
  const std::string packet = now.send(now.recorded("claude-2.1.332-PostToolBatch-4calls"))
                                 .at("hookSpecificOutput")
                                 .at("additionalContext")
                                 .get<std::string>();
  CHECK(holds(packet, "\nsrc/core/config (updated 2026-11-30): Env beats file."));
  CHECK(holds(packet, "\nsrc/core/other (updated 2026-11-30): an article is here"));
}

TEST_CASE("a packet in which not even pointers fit says how many are missing") {
  hook_scene now;
  const std::string packet = packet_for(now, 120, 10, 150);
  CHECK(packet.size() <= longest_packet);
  CHECK(holds(packet, "\nwide/119"));
  CHECK(holds(packet, " more are not named here"));
  const auto again = [&](const std::string& number) {
    return now.call("Read", {{"file_path", now.project.directory + "/wide/" + number
                                               + std::string(147, 'n') + ".ts"}});
  };
  CHECK(again("119") == nlohmann::json::object());
  CHECK_MESSAGE(again("000") != nlohmann::json::object(), "what was not named comes with a touch");
}

TEST_CASE("a line that is no longer than its pointer is not replaced by it") {
  hook_scene now;
  const std::string packet = packet_for(now, 200, 5);
  CHECK(packet.size() <= longest_packet);
  CHECK(std::count(packet.begin(), packet.end(), '\n') == 200);
  CHECK_FALSE(holds(packet, "an article is here"));
  CHECK_FALSE(holds(packet, "only name"));
}
