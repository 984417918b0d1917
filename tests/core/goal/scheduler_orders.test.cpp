#include "tests/core/goal/goal_host.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

// Whatever happens in whatever order: nothing is sent where nothing may be, an alarm that has rung
// rings no more, and what is stored reads back as what is in force.

using namespace resilient;
using namespace resilient::goal;
using namespace resilient::goal::test;

namespace {

struct storm {
  explicit storm(std::uint32_t seed) : random{seed} {
    guards limits;
    if (chance(2)) {
      limits.max_turns = 5;
      limits.max_hours = 3;
    }
    if (chance(3)) {
      limits.check = "make test";
    }
    pi.mode = chance(3) ? host_mode::print : host_mode::rpc;
    pi.send(guards_known{limits, {}});
  }

  std::size_t below(std::size_t limit) { return random() % limit; }
  bool chance(std::size_t one_in) { return below(one_in) == 0; }

  template <class... Texts>
  std::string one_of(Texts... texts) {
    const std::vector<std::string> all{texts...};
    return all[below(all.size())];
  }

  boundary any_boundary() {
    boundary settled;
    settled.settled = !chance(5);
    settled.stop = one_of("stop", "error", "aborted", "length", "");
    settled.error =
        settled.stop == "error"
            ? one_of("503: overloaded", "429: insufficient_quota", "terminated",
                     "401: invalid_api_key", "400: Unsupported parameter: 'x'",
                     "429: Usage limit reached. Try again in 2 h.", "prompt is too long",
                     "429: {\"type\":\"usage_limit_reached\",\"resets_at\":1796050000}")
            : "";
    settled.aborted = chance(12);
    settled.escape = chance(12);
    settled.idle = !chance(5);
    settled.pending = chance(6);
    settled.tool_calls = static_cast<int>(below(3));
    settled.turns = static_cast<int>(below(3));
    settled.input_tokens = static_cast<std::int64_t>(below(100));
    return settled;
  }

  event any_event() {
    switch (below(18)) {
    case 0: {
      attached opened;
      opened.reason = one_of("startup", "reload", "new", "resume", "fork", "resync");
      opened.mode = pi.mode;
      opened.session_id = one_of("session-1", "session-2");
      opened.idle = !chance(4);
      opened.entry = stored();
      opened.restarted = chance(2);
      return opened;
    }
    case 1:
      return detached{};
    case 2:
      return branch_changed{stored()};
    case 3:
    case 4:
      return command{"goal", one_of("", "pause", "resume", "complete", "clear", "extend", "edit",
                                    "edit -- other", "build it", "--check 'x' -- y", "--check",
                                    "status", "help")};
    case 5:
      return tool_call{one_of("create_goal", "update_goal", "get_goal", "none"),
                       {{"objective", one_of("a", "")},
                        {"status", one_of("complete", "blocked", "done")},
                        {"reason", "r"}}};
    case 6:
    case 7:
      return any_boundary();
    case 8:
    case 9:
      return run_started{};
    case 10:
      return input_seen{chance(2)};
    case 11:
      return response_seen{chance(2) ? 429 : 200, {{"retry-after", "70"}}};
    case 12:
      return presence{!chance(3), chance(5)};
    case 13:
      return send_finished{pi.continuations.empty() ? "x" : pi.continuations.back().token,
                           chance(2)};
    case 14:
      return chance(2) ? event{recovery_changed{chance(2)}} : event{recovery_paused{"drift"}};
    case 15:
      return inert_changed{chance(3) ? "held by pid 7" : ""};
    case 16:
      return probe_now{};
    default:
      return check_finished{pi.checks.empty() ? 1 : pi.checks.back().number, chance(2), "exit 1",
                            "output"};
    }
  }

  /// What the session log holds, now and then of an earlier time.
  std::optional<nlohmann::json> stored() {
    if (log.empty() || chance(6)) {
      return std::nullopt;
    }
    return chance(3) ? log[below(log.size())] : log.back();
  }

  void check_laws(const outcome& out, const event& happened) {
    const record& goal = pi.machine.goal();
    const bool sends =
        std::holds_alternative<continue_with>(out.at_boundary)
        || std::any_of(out.effects.begin(), out.effects.end(),
                       [](const effect& each) { return std::holds_alternative<goal::send>(each); });
    bool appended = false;
    for (const effect& each : out.effects) {
      if (const auto* saved = std::get_if<append_record>(&each)) {
        appended = true;
        log.push_back(saved->data);
        const auto read = record_from_json(saved->data);
        REQUIRE(read.has_value());
        REQUIRE(*read == goal);
      }
    }
    if (const auto* opened = std::get_if<attached>(&happened)) {
      is_attached = true;
      runs = !opened->idle;
    } else if (std::holds_alternative<detached>(happened)) {
      is_attached = runs = false;
    } else if (std::holds_alternative<run_started>(happened)) {
      runs = true;
    } else if (const auto* ended = std::get_if<boundary>(&happened)) {
      runs = !ended->idle && !ended->settled;
    } else if (const auto* inert = std::get_if<inert_changed>(&happened)) {
      is_inert = !inert->why.empty();
    } else if (const auto* recovery = std::get_if<recovery_changed>(&happened)) {
      is_held = recovery->held;
    } else if (std::holds_alternative<recovery_paused>(happened)) {
      is_held = false;
    }
    if (sends) {
      REQUIRE(is_attached);
      REQUIRE(goal.state == phase::active);
      REQUIRE_FALSE(is_inert);
      REQUIRE_FALSE(is_held);
      REQUIRE_FALSE(goal.wait.has_value());
      // Only two idle beats in a row may say that a run is over whose end was lost.
      REQUIRE((!runs || std::holds_alternative<presence>(happened)));
      // A continuation is counted before it is sent.
      REQUIRE(appended);
      REQUIRE(tokens.insert(pi.continuations.back().token).second);
    }
    if (std::holds_alternative<presence>(happened) && sends) {
      runs = false;
    }
    REQUIRE(out.command.has_value() == std::holds_alternative<command>(happened));
    REQUIRE(out.tool.has_value() == std::holds_alternative<tool_call>(happened));
  }

  void step() {
    const event happened = any_event();
    check_laws(pi.send(happened), happened);
    if (chance(3)) {
      // The clock jumps now and then.
      pi.now = pi.now.after(std::chrono::seconds{below(chance(4) ? 20'000 : 30)});
      if (chance(40)) {
        pi.now.wall += std::chrono::hours{static_cast<int>(below(49)) - 24};
      }
    }
    for (int rings = 0; pi.next_ring() && *pi.next_ring() <= pi.now.boot; ++rings) {
      REQUIRE(rings < 4);
      const event ring = alarm_rang{};
      check_laws(pi.send(ring), ring);
    }
    REQUIRE_FALSE(pi.machine.describe(pi.now).empty());
  }

  host pi;
  std::mt19937 random;
  std::vector<nlohmann::json> log;
  std::set<std::string> tokens;
  bool is_attached = false;
  bool runs = false;
  bool is_inert = false;
  bool is_held = false;
};

} // namespace

TEST_CASE("no order of events sends where nothing may be sent, or rings without an end") {
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    storm all{seed};
    for (int step = 0; step < 250; ++step) {
      all.step();
    }
  }
}
