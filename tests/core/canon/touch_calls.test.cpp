#include "core/canon/mutation.hpp"
#include "core/canon/touch.hpp"
#include "tests/core/canon/touch_project.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

// Grades touch detection and the evidence of changes on touch_calls.jsonl: tool calls with what a
// person expects of them. `{proj}` and its kin stand for folders of the test.

using namespace resilient::canon;
using namespace resilient::canon::tests;
using nlohmann::json;

namespace {

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), by);
    at += by.size();
  }
}

struct score {
  int right = 0;
  int wrong = 0;
  int missed = 0;

  void count(const std::set<std::string>& expected, const std::vector<std::string>& found,
             const std::string& call) {
    CHECK(std::set<std::string>(found.begin(), found.end()).size() == found.size());
    for (const std::string& name : found) {
      const bool is_right = expected.count(name) > 0;
      ++(is_right ? right : wrong);
      if (!is_right) {
        fmt::print("  wrong  {}: {}\n", name, call);
      }
    }
    for (const std::string& name : expected) {
      if (std::find(found.begin(), found.end(), name) == found.end()) {
        ++missed;
        fmt::print("  missed {}: {}\n", name, call);
      }
    }
  }
  [[nodiscard]] double precision() const { return right / static_cast<double>(right + wrong); }
  [[nodiscard]] double recall() const { return right / static_cast<double>(right + missed); }
};

} // namespace

TEST_CASE("touches and changes of real and hand-made calls are what a person expects") {
  const touch_project project;
  std::ifstream file("tests/core/canon/touch_calls.jsonl");
  REQUIRE(file);
  score touches;
  score changes;
  int calls = 0;
  for (std::string line; std::getline(file, line); ++calls) {
    replace_all(line, "{proj}", project.directory);
    replace_all(line, "{lake}", project.all.at("lake"));
    replace_all(line, "{link}", project.all.at("link"));
    replace_all(line, "{outer}", project.all.path());
    const json row = json::parse(line, nullptr, false);
    REQUIRE(row.is_object());
    const touch_place from = project.from(row.value("cwd", ""));
    const std::string tool = row.at("tool");
    const std::string call = tool + " " + row.at("input").dump();
    touches.count(row.at("touches").get<std::set<std::string>>(),
                  project.names_of(touches_in(row.at("input"), from)), call);
    changes.count(row.at("changes").get<std::set<std::string>>(),
                  project.names_of(changes_in(tool, row.at("input"), from)), "CHANGE " + call);
  }
  fmt::print("{} calls; touches: precision {:.3f}, recall {:.3f}; changes: precision {:.3f}, "
             "recall {:.3f}\n",
             calls, touches.precision(), touches.recall(), changes.precision(), changes.recall());
  CHECK(calls >= 300);
  CHECK(touches.precision() >= 0.98);
  CHECK(touches.recall() >= 0.98);
  CHECK(changes.precision() >= 0.98);
  CHECK(changes.recall() >= 0.98);
}
