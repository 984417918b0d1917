#include "core/canary/recovery_state.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

namespace resilient::canary {

TEST_CASE("every state that can be reached comes back from its record") {
  for (const phase where : all_phases()) {
    if (where == phase::off) {
      continue;
    }
    recovery_state state;
    state.mode_on = true;
    state.where = where;
    if (where == phase::summarising) {
      state.handover = "chirp: # Canary handover\n\"quoted\" \u2028 text";
    }
    if (where == phase::paused) {
      state.paused_by = decision::pause_summary_empty;
    }
    const nlohmann::json written = nlohmann::json::parse(to_json(state).dump());
    recovery_state expected = state;
    if (where == phase::check_only) {
      expected.where = phase::watching;
    }
    CAPTURE(to_string(where));
    CHECK(recovery_state_from(written) == expected);
  }
  CHECK(recovery_state_from(to_json(recovery_state{})) == recovery_state{});
}

TEST_CASE("a record that is damaged or of another version never starts anything") {
  struct row {
    std::string record;
    bool mode_on;
    phase where;
  };
  const std::vector<row> table = {
      {R"(null)", false, phase::off},
      {R"([])", false, phase::off},
      {R"("on")", false, phase::off},
      {R"({})", false, phase::off},
      {R"({"v":1})", false, phase::off},
      {R"({"v":1,"mode":true,"phase":"watching"})", false, phase::off},
      {R"({"v":1,"mode":"ON","phase":"watching"})", false, phase::off},
      {R"({"v":1,"mode":"off","phase":"first_handover"})", false, phase::off},
      {R"({"v":1,"mode":"on"})", true, phase::watching},
      {R"({"v":1,"mode":"on","phase":"watching","more":[1]})", true, phase::watching},
      {R"({"v":1,"mode":"on","phase":"check_only"})", true, phase::watching},
      {R"({"v":1,"mode":"on","phase":"off"})", true, phase::off},
      {R"({"v":2,"mode":"on","phase":"watching"})", true, phase::watching},
      {R"({"v":2,"mode":"on","phase":"restarted"})", true, phase::restarted},
      {R"({"v":2,"mode":"on","phase":"first_handover"})", true, phase::paused},
      {R"({"v":"1","mode":"on","phase":"restarting"})", true, phase::paused},
      {R"({"v":1,"mode":"on","phase":7})", true, phase::paused},
      {R"({"v":1,"mode":"on","phase":"singing"})", true, phase::paused},
      {R"({"v":1,"mode":"on","phase":"summarising"})", true, phase::paused},
      {R"({"v":1,"mode":"on","phase":"summarising","handover":5})", true, phase::paused},
      {R"({"v":1,"mode":"on","phase":"paused","paused_by":"start"})", true, phase::paused},
      {R"({"v":1,"mode":"on","phase":"paused","paused_by":{}})", true, phase::paused},
  };
  for (const row& one : table) {
    CAPTURE(one.record);
    const recovery_state state = recovery_state_from(nlohmann::json::parse(one.record));
    CHECK(state.mode_on == one.mode_on);
    CHECK(to_string(state.where) == to_string(one.where));
    if (state.where == phase::paused) {
      CHECK(meaning_of(state.paused_by).next == phase::paused);
    }
  }
}

TEST_CASE("random JSON is read without harm and reading is stable") {
  std::mt19937 random{20261130};
  const std::vector<std::string> keys = {"v", "mode", "phase", "handover", "paused_by", "x"};
  const std::vector<nlohmann::json> values = {1,
                                              2,
                                              -1,
                                              1.0,
                                              true,
                                              nullptr,
                                              "on",
                                              "off",
                                              "paused",
                                              "summarising",
                                              "restarting",
                                              "",
                                              "pause_aborted",
                                              "watching",
                                              nlohmann::json::array(),
                                              nlohmann::json::object()};
  for (int round = 0; round < 5000; ++round) {
    nlohmann::json record = nlohmann::json::object();
    for (const std::string& key : keys) {
      if (random() % 3 != 0) {
        record[key] = values.at(random() % values.size());
      }
    }
    const recovery_state once = recovery_state_from(record);
    CHECK(recovery_state_from(to_json(once)) == once);
  }
}

} // namespace resilient::canary
