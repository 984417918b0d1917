#include "core/canary/recovery_state.hpp"

namespace resilient::canary {

namespace {

constexpr int record_version = 1;

std::string text_of(const nlohmann::json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

bool has_version(const nlohmann::json& record) {
  const auto found = record.find("v");
  return found != record.end() && found->is_number_integer() && *found == record_version;
}

recovery_state paused(decision why) {
  recovery_state state;
  state.mode_on = true;
  state.where = phase::paused;
  state.paused_by = why;
  return state;
}

bool pauses(decision made) {
  return meaning_of(made).next == phase::paused;
}

bool runs_recovery(phase where) {
  return where == phase::first_handover || where == phase::second_handover
         || where == phase::summarising || where == phase::restarting;
}

} // namespace

nlohmann::json to_json(const recovery_state& state) {
  const phase where = state.where == phase::check_only ? phase::watching : state.where;
  nlohmann::json record = {{"v", record_version},
                           {"mode", state.mode_on ? "on" : "off"},
                           {"phase", std::string{to_string(where)}}};
  if (where == phase::summarising) {
    record["handover"] = state.handover;
  }
  if (where == phase::paused) {
    record["paused_by"] = std::string{meaning_of(state.paused_by).name};
  }
  return record;
}

recovery_state recovery_state_from(const nlohmann::json& record) {
  if (!record.is_object() || text_of(record, "mode") != "on") {
    return {};
  }
  recovery_state state;
  state.mode_on = true;
  state.where = phase::watching;
  if (record.contains("phase")) {
    const auto where = phase_from(text_of(record, "phase"));
    if (!where || (runs_recovery(*where) && !has_version(record))) {
      return paused(decision::pause_reopened);
    }
    state.where = *where == phase::check_only ? phase::watching : *where;
  }
  if (state.where == phase::summarising) {
    state.handover = text_of(record, "handover");
    if (state.handover.empty()) {
      return paused(decision::pause_overtaken);
    }
  }
  if (state.where == phase::paused) {
    const auto why = decision_from(text_of(record, "paused_by"));
    state.paused_by = why && pauses(*why) ? *why : decision::pause_reopened;
  }
  return state;
}

} // namespace resilient::canary
