#pragma once

#include "core/goal/scheduler.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace resilient::goal::test {

// 2026-11-30T12:00:00Z
inline const instant origin{monotonic_time{1000h}, boot_time{1001h}, wall_time{1796040000000ms}};

/// Pi with the goal scheduler beside it: keeps the session's last goal entry, the clock, and what
/// was said, and rings the alarm when time passes.
struct host {
  explicit host(host_mode how = host_mode::rpc) : mode{how} {}

  outcome send(const event& happened) {
    outcome out = machine.handle(happened, now);
    for (const effect& each : out.effects) {
      if (const auto* saved = std::get_if<append_record>(&each)) {
        entry = saved->data;
      } else if (const auto* status = std::get_if<show_status>(&each)) {
        footer = status->text;
      } else if (const auto* notice = std::get_if<notify>(&each)) {
        notices += notice->text + "\n";
      } else if (const auto* sent = std::get_if<goal::send>(&each)) {
        continuations.push_back(sent->what);
      } else if (const auto* alarm = std::get_if<set_alarm>(&each)) {
        armed = *alarm;
      } else if (const auto* told = std::get_if<publish>(&each)) {
        published = *told;
      } else if (std::holds_alternative<release_host>(each)) {
        ++releases;
      } else if (std::holds_alternative<stop_launcher>(each)) {
        stopped = true;
      } else if (const auto* check = std::get_if<run_check>(&each)) {
        checks.push_back(*check);
      } else if (const auto* event = std::get_if<tell_person>(&each)) {
        events.push_back(nlohmann::json::parse(event->line));
      }
    }
    if (const auto* next = std::get_if<continue_with>(&out.at_boundary)) {
      continuations.push_back(*next);
    }
    return out;
  }

  void open(const std::string& reason = "startup") {
    attached opened;
    opened.reason = reason;
    opened.mode = mode;
    opened.session_id = "session-1";
    opened.working_folder = "/project";
    opened.settles_in_print = settles_in_print;
    opened.entry = entry;
    opened.previous_death = previous_death;
    opened.restarted = restarted;
    send(opened);
  }

  std::string type(const std::string& arguments) {
    const outcome out = send(command{"goal", arguments});
    REQUIRE(out.command.has_value());
    std::string text;
    for (const notify& each : out.command->notices) {
      text += each.text;
    }
    return text;
  }

  std::string tool(const std::string& name, const nlohmann::json& parameters) {
    const outcome out = send(tool_call{name, parameters});
    REQUIRE(out.tool.has_value());
    return (out.tool->is_error ? "error: " : "") + out.tool->text;
  }

  /// The run that the last continuation began ends with an answer.
  outcome answer(int tool_calls = 1) {
    send(run_started{});
    boundary settled;
    settled.stop = "stop";
    settled.tool_calls = tool_calls;
    settled.turns = 1;
    return send(settled);
  }

  outcome fail_with(const std::string& error) {
    send(run_started{});
    boundary settled;
    settled.stop = "error";
    settled.error = error;
    settled.turns = 1;
    return send(settled);
  }

  void finish_check(bool accepted, const std::string& how = "exit 1",
                    const std::string& output = {}) {
    REQUIRE_FALSE(checks.empty());
    send(check_finished{checks.back().number, accepted, how, output});
  }

  /// What people were told, by name.
  [[nodiscard]] std::string told() const {
    std::string names;
    for (const auto& each : events) {
      names += (names.empty() ? "" : " ") + each["event"].get<std::string>();
    }
    return names;
  }

  /// Time passes on an awake machine; the alarm rings whenever it is due.
  void pass(std::chrono::nanoseconds length) {
    const boot_time end = now.boot + length;
    while (const auto next = next_ring()) {
      if (*next > end) {
        break;
      }
      now = now.after(std::max<std::chrono::nanoseconds>(*next - now.boot, 0ns));
      const set_alarm before = armed;
      const auto sent_before = sent();
      send(alarm_rang{});
      if (begins && sent() > sent_before) {
        send(run_started{});
      }
      if (armed == before) {
        break;
      }
    }
    now = now.after(end - now.boot);
  }

  [[nodiscard]] std::optional<boot_time> next_ring() const {
    std::optional<boot_time> next = armed.boot;
    if (armed.wall) {
      const boot_time wall = now.boot + (*armed.wall - now.wall);
      next = next ? std::min(*next, wall) : wall;
    }
    return next;
  }

  [[nodiscard]] std::size_t sent() const { return continuations.size(); }

  scheduler machine{{}, 7};
  host_mode mode;
  bool settles_in_print = true;
  bool begins = true; ///< a continuation that an alarm sent begins a run
  instant now = origin;
  std::optional<nlohmann::json> entry;
  std::string previous_death;
  bool restarted = false;
  std::string footer;
  std::string notices;
  std::vector<continue_with> continuations;
  set_alarm armed;
  publish published;
  int releases = 0;
  bool stopped = false;
  std::vector<run_check> checks;
  std::vector<nlohmann::json> events; ///< what people were told
};

struct active_host : host {
  explicit active_host(host_mode how = host_mode::rpc) : host{how} {
    open();
    pass(2s);
    type("build the thing");
    REQUIRE(sent() == 1);
  }
};

} // namespace resilient::goal::test
