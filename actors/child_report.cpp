// What people and supervisor.json are told about the child.

#include "actors/child_process_manager.hpp"
#include "core/support/calendar.hpp"
#include "messages/directives.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace resilient {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr std::size_t kept_deaths = 100;
constexpr std::size_t shown_error_bytes = 2000;
/// The beginning of an ISO time: the date, and up to its minute.
constexpr std::size_t date_size = 10;
constexpr std::size_t minutes_size = 16;

} // namespace

std::string child_process_manager::cause_text(const std::string& cause) {
  return cause.empty() ? "ended" : cause;
}

// -- for the person -------------------------------------------------------------------------------

void child_process_manager::perform(const process::show_waiting& effect) {
  if (effect.why.empty()) {
    world().child->show_waiting_line({}, false);
    return;
  }
  const instant here = now();
  const std::chrono::nanoseconds left =
      std::holds_alternative<wall_time>(*effect.until)
          ? std::chrono::nanoseconds{std::get<wall_time>(*effect.until) - here.wall}
          : std::get<boot_time>(*effect.until) - here.boot;
  const std::string at =
      to_iso(here.wall + std::chrono::duration_cast<std::chrono::milliseconds>(left));
  log("waiting", bridge::encode({{"why", effect.why}, {"until", at}}));
  if (left < 3s) {
    return;
  }
  // Without seconds, and without a date on the same day, it fits into most terminals.
  const bool same_day = at.compare(0, date_size, to_iso(here.wall), 0, date_size) == 0;
  std::string moment = at.substr(0, minutes_size);
  moment = same_day ? moment.substr(date_size + 1) : moment.replace(date_size, 1, " ");
  world().child->show_waiting_line(
      fmt::format("pi-resilient waits until {}Z ({}): {}. Enter: now. Ctrl+C: end.", moment,
                  to_words(left < 1min ? left : std::chrono::round<std::chrono::minutes>(left)),
                  effect.why),
      true);
}

void child_process_manager::perform(const process::say& effect) {
  log("said", bridge::encode({{"line", effect.line}}));
  world().child->say("pi-resilient: " + effect.line);
}

void child_process_manager::perform(const process::show_child_errors&) {
  if (!description_.error_file.empty()) {
    world().child->show_end_of(description_.error_file, shown_error_bytes);
  }
}

void child_process_manager::perform(const process::record_death& effect) {
  cafx::tell(peers()->session, message::generation_ended{child_.id, effect.cause});
  deaths_.push_back({child_.id, effect.cause, effect.healthy, effect.expected, now().wall});
  if (deaths_.size() > kept_deaths) {
    deaths_.pop_front();
  }
  log("child.ended", bridge::encode({{"generation", child_.id},
                                     {"cause", cause_text(effect.cause)},
                                     {"healthy", effect.healthy},
                                     {"expected", effect.expected}}));
}

// -- supervisor.json ------------------------------------------------------------------------------

void child_process_manager::record() {
  if (peers() != nullptr) {
    cafx::tell(peers()->recorder, message::record_supervisor{report()});
  }
}

std::string child_process_manager::report() const {
  json deaths = json::array();
  for (const death& each : deaths_) {
    deaths.push_back({{"generation", each.generation},
                      {"cause", each.cause},
                      {"healthy", each.healthy},
                      {"expected", each.expected},
                      {"at", to_iso(each.at)}});
  }
  json data{
      {"version", 1},
      {"run_id", description_.run_id},
      {"launcher_pid", ::getpid()},
      {"started_at", to_iso(started_at_)},
      {"state", to_string(machine_.state())},
      {"reason", machine_.reason()},
      {"generation", child_.id},
      {"generation_number", machine_.generation()},
      {"child_pid", child_.pid},
      {"child_start_time", child_.start_time},
      {"failures", machine_.failures()},
      {"goal_active", machine_.goal_active()},
      {"sleep", sleep_.describe()},
      {"session_file", description_.session_file},
      {"lease", description_.session_file.empty() ? "" : description_.session_file + ".lease"},
      {"working_folder", description_.working_folder},
      {"program", description_.program},
      {"arguments", description_.arguments.masked},
      {"deaths", deaths}};
  if (const auto& until = machine_.until()) {
    if (const auto* wall = std::get_if<wall_time>(&*until)) {
      data["waiting_until"] = to_iso(*wall);
    } else {
      const auto left = std::get<boot_time>(*until) - now().boot;
      data["waiting_until"] =
          to_iso(now().wall + std::chrono::duration_cast<std::chrono::milliseconds>(left));
    }
  }
  if (exit_code_) {
    data["exit_code"] = *exit_code_;
  }
  return bridge::encode(data);
}

} // namespace resilient
