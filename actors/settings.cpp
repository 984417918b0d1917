#include "actors/settings.hpp"

#include "core/settings/options.hpp"
#include "core/settings/settings_save.hpp"
#include "messages/directives.hpp"

#include <thread>

namespace resilient {

settings_service::settings_service(caf::actor_config& config, resilient::context context,
                                   std::shared_ptr<files> disk)
    : guarded_actor{config, std::move(context), "settings"}, disk_{std::move(disk)} {}

settings_service::behavior_type settings_service::make_behavior() {
  return {
      handle<message::settings_place>([this](const auto& place) {
        place_ =
            settings::place_in(place.agent_folder, place.project_folder, place.project_trusted);
      }),
      answer<message::settings_values, message::read_settings>(
          [this](const auto&) { return read(); }),
      answer<message::keyword_values, message::read_keyword>(
          [this](const auto&) { return keyword(); }),
      answer<message::keyword_saved, message::save_keyword>(
          [this](const auto& wanted) { return save(wanted.keyword); }),
      handle_introduction(),
      answer<message::status_part, message::describe>([this](const auto&) {
        return message::status_part{"settings",
                                    bridge::encode({{"user_file", place_.user_file},
                                                    {"project_file", place_.project_file},
                                                    {"project_trusted", place_.project_trusted}})};
      }),
      handle_stop(),
  };
}

void settings_service::rebuild() {
  // Nothing is kept but the place, and that stays true.
}

message::settings_values settings_service::read() {
  message::settings_values answer;
  if (place_.user_file.empty()) {
    return answer;
  }
  const settings::settings_values values = settings::read_settings(*disk_, place_, tools());
  answer.user = bridge::encode(values.user);
  answer.project = bridge::encode(values.project);
  answer.merged = bridge::encode(values.merged);
  answer.user_file = place_.user_file;
  answer.project_file = place_.project_file;
  for (const error& problem : values.problems) {
    answer.problem += (answer.problem.empty() ? "" : " ") + problem.message;
  }
  return answer;
}

message::keyword_values settings_service::keyword() {
  if (place_.user_file.empty()) {
    return {};
  }
  const settings::settings_values values = settings::read_settings(*disk_, place_, tools());
  auto found = settings::canary_keyword(values);
  if (!found) {
    return {std::nullopt, found.error().message, {}};
  }
  if (!*found && !values.problems.empty()) {
    return {std::nullopt, values.problems.front().message, {}};
  }
  const bool is_of_project = values.project.contains("canary");
  const std::string file = is_of_project ? place_.project_file : place_.user_file;
  return {*found, {}, *found ? file : std::string{}};
}

message::keyword_saved settings_service::save(const std::string& keyword) {
  if (place_.user_file.empty()) {
    return {{}, "Where Pi keeps its settings is not known yet. Try again."};
  }
  auto saved = settings::save_string(*disk_, place_, "canary", keyword, tools());
  if (!saved) {
    return {{}, saved.error().message};
  }
  return {std::move(saved->path), {}};
}

settings::lock_tools settings_service::tools() const {
  return {[this] { return now().wall; },
          [](std::chrono::milliseconds pause) { std::this_thread::sleep_for(pause); }};
}

} // namespace resilient
