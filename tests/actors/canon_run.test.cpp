#include "tests/actors/virtual_run.hpp"

#include <doctest/doctest.h>

#include <fstream>

using namespace resilient;
using namespace resilient::test;
using nlohmann::json;

namespace {

struct canon_run : virtual_run {
  canon_run() {
    options.canon = {(folder / "config" / "canon" / "settings.json").string(),
                     (folder / "config" / "pi-canon" / "settings.json").string(), "", "", ""};
    start();
    connect({{"trusted", true}});
  }

  json call(const json& parameters) {
    return send(connection,
                {{"type", "tool"}, {"id", ++id}, {"tool", "canon"}, {"params", parameters}})
        .back();
  }
  json ask(const json& body) {
    return send(connection, {{"type", "canon"}, {"id", ++id}, {"body", body}}).back();
  }

  std::int64_t id = 100;
};

} // namespace

TEST_CASE("the agent writes and reads an article of the project that Pi works in") {
  canon_run run;
  const json wrote = run.call({{"action", "write"},
                               {"path", "src/core/config"},
                               {"capsule", "Env beats file."},
                               {"body", "Order: defaults, file, environment."}});
  CHECK(wrote["text"].get<std::string>().find("Wrote src/core/config.") == 0);
  CHECK(wrote["is_error"] == false);
  CHECK(std::filesystem::exists(run.folder / ".canon/articles/src/core/config.md"));
  const json read = run.call({{"action", "read"}, {"path", "src/core/config.ts"}});
  CHECK(read["text"].get<std::string>().find("Env beats file.") != std::string::npos);
  CHECK(run.call({{"action", "fly"}})["is_error"] == true);
}

TEST_CASE("opening a session makes no store") {
  canon_run run;
  run.call({{"action", "map"}});
  CHECK_FALSE(std::filesystem::exists(run.folder / ".canon"));
}

TEST_CASE("an entry of the journal carries the harness and the session") {
  canon_run run;
  run.call({{"action", "journal"}, {"slug", "cap"}, {"body", "The vendor caps at 5."}});
  std::string entry;
  for (const auto& each : std::filesystem::directory_iterator{run.folder / ".canon/journal"}) {
    std::ifstream in{each.path()};
    entry.assign(std::istreambuf_iterator<char>{in}, {});
  }
  CHECK(entry.find("pi") != std::string::npos);
  CHECK(entry.find("session-1") != std::string::npos);
}

TEST_CASE("the model is told about the tool as the options in force have it") {
  canon_run run;
  const auto words = run.directives(run.connection, "set");
  REQUIRE(words.size() == 1);
  CHECK(words[0]["tools"][0]["name"] == "canon");
  CHECK(words[0]["tools"][0]["parameters"]["properties"].contains("action"));
}

TEST_CASE("the settings screen shows and saves, and refuses what is no option") {
  canon_run run;
  CHECK(run.ask({{"action", "get"}})["settings"]["standout"] == 1.4);
  const json saved = run.ask({{"action", "set"}, {"key", "standout"}, {"value", "1.6"}});
  CHECK(saved["ok"] == true);
  CHECK(saved["settings"]["standout"] == 1.6);
  CHECK(run.ask({{"action", "get"}})["settings"]["standout"] == 1.6);
  const json refused = run.ask({{"action", "set"}, {"key", "colour"}, {"value", "red"}});
  CHECK(refused["ok"] == false);
  CHECK(refused["message"].get<std::string>().find("colour") != std::string::npos);
}

TEST_CASE("a trusted project's options count, an untrusted one's do not") {
  for (const bool trusted : {true, false}) {
    CAPTURE(trusted);
    canon_run run;
    std::filesystem::create_directories(run.folder / ".pi");
    std::ofstream{run.folder / ".pi/settings.json"} << R"({"canon":{"surface":false}})";
    run.connect({{"trusted", trusted}, {"reason", "reload"}});
    CHECK(run.ask({{"action", "get"}})["settings"]["surface"] == !trusted);
  }
}

TEST_CASE("an answer that no frame can hold is cut and says so; one that fits is whole") {
  canon_run run;
  struct row {
    const char* what;
    std::string line;
    std::size_t lines;
    bool fits;
  };
  const row rows[] = {
      {"long", std::string(999, 'a') + "\n", 900, true},
      {"too long", std::string(999, 'a') + "\n", 1100, false},
      {"one line that is too long", std::string(1'100'000, 'a'), 1, false},
      {"controls take six bytes each", std::string(999, '\x01') + "\n", 400, false},
      {"letters of three bytes", "\u914d\u7f6e\n", 100'000, true},
      {"too many letters of three bytes", "\u914d\u7f6e\n", 200'000, false},
  };
  for (const row& each : rows) {
    CAPTURE(each.what);
    std::filesystem::create_directories(run.folder / ".canon/articles");
    std::ofstream article{run.folder / ".canon/articles/big.md"};
    for (std::size_t line = 0; line < each.lines; ++line) {
      article << each.line;
    }
    article.close();
    const json answer = run.call({{"action", "read"}, {"path", "big"}});
    CHECK(answer["is_error"] == false);
    CHECK(answer.dump().size() < bridge::longest_line);
    const std::string text = answer["text"];
    CHECK((text.find("[canon] This is the beginning of") == std::string::npos) == each.fits);
  }
}

TEST_CASE("/canon tells what the store holds") {
  canon_run run;
  run.call({{"action", "write"}, {"path", "rules/money"}, {"capsule", "Integer cents."}});
  const auto frames = run.send(run.connection, {{"type", "command"}, {"id", 7}, {"name", "canon"}});
  const std::string text = frames.back()["notices"][0]["text"];
  CHECK(text.find(".canon: 1 article, 0 journal entries\n") != std::string::npos);
  CHECK(text.find("mounts none.") != std::string::npos);
}

TEST_CASE("what Pi's settings say wins over what is saved, and the answer names the file") {
  const json on{{"surface", true}, {"resurface", true}, {"retrieval", "none"}, {"standout", 1.4}};
  canon_run run;
  const std::string user = (run.folder / "agent/settings.json").string();
  const std::string project = (run.folder / ".pi/settings.json").string();
  struct row {
    const char* what;
    std::string user, project;
    const char* key;
    const char* value;
    json in_force;
    json elsewhere;
  };
  const row rows[] = {
      {"neither", "{}", "{}", "standout", "2", 2, json::object()},
      {"the user's", R"({"canon":{"standout":3}})", "{}", "standout", "2", 3, {{"standout", user}}},
      {"the project's",
       R"({"canon":{"standout":3}})",
       R"({"canon":{"standout":4}})",
       "standout",
       "2",
       4,
       {{"standout", project}}},
      {"another key",
       R"({"canon":{"standout":3,"mounts":["x"]}})",
       "{}",
       "resurface",
       "off",
       false,
       {{"standout", user}}},
      {"off by the user",
       R"({"canon":{"surface":false}})",
       R"({"canon":{"surface":true}})",
       "surface",
       "on",
       false,
       {{"surface", user}}},
      {"off here", "{}", R"({"canon":{"surface":true}})", "surface", "off", false, json::object()},
      {"a project with a mistake",
       R"({"canon":{"standout":3}})",
       R"({"canon":{"colour":4}})",
       "standout",
       "2",
       3,
       {{"standout", user}}},
  };
  std::filesystem::create_directories(run.folder / "agent");
  std::filesystem::create_directories(run.folder / ".pi");
  for (const row& each : rows) {
    CAPTURE(each.what);
    std::filesystem::remove_all(run.folder / "config");
    std::ofstream{user} << each.user;
    std::ofstream{project} << each.project;
    const json saved = run.ask({{"action", "set"}, {"key", each.key}, {"value", each.value}});
    CHECK(saved["ok"] == true);
    CHECK(saved["settings"][each.key] == each.in_force);
    CHECK(saved["elsewhere"] == each.elsewhere);
    CHECK(saved["file"] == (run.folder / "config/canon/settings.json").string());
    const json asked = run.ask({{"action", "get"}});
    CHECK(asked["settings"] == saved["settings"]);
    CHECK(asked["elsewhere"] == saved["elsewhere"]);
  }
}

TEST_CASE("a mistake in the settings is told once in a session, with the file") {
  canon_run run;
  const auto put = [&](const std::string& text) {
    std::filesystem::create_directories(run.folder / "config/canon");
    std::ofstream{run.folder / "config/canon/settings.json"} << text;
  };
  const auto told = [&] {
    std::vector<std::string> texts;
    for (const json& each : run.directives(run.connection, "notify")) {
      texts.push_back(each["text"]);
    }
    return texts;
  };
  const auto start = [&](const char* reason, const std::string& id) {
    run.connect({{"trusted", true}, {"reason", reason}, {"session", {{"id", id}}}});
  };
  CHECK(told().empty());
  put(R"({"colour":"red"})");
  run.send(run.connection, {{"type", "agent_start"}});
  REQUIRE(told().size() == 1);
  CHECK(told()[0].find((run.folder / "config/canon/settings.json").string()) != std::string::npos);
  CHECK(told()[0].find("colour") != std::string::npos);
  run.send(run.connection, {{"type", "agent_start"}});
  CHECK(told().size() == 1);
  start("reload", "session-1");
  CHECK(told().empty());
  start("new", "session-2");
  CHECK(told().size() == 1);
  put("{");
  start("reload", "session-2");
  CHECK(told().size() == 1);
  put(R"({"surface":true})");
  start("new", "session-3");
  CHECK(told().empty());
}
