#include "core/goal/declaration.hpp"
#include "core/goal/scheduler.hpp"
#include "core/goal/texts.hpp"
#include "core/support/text.hpp"

#include <fmt/format.h>

namespace resilient::goal {

namespace {

constexpr std::string_view help =
    "/goal TEXT declares a goal and begins it\n"
    "/goal --check 'COMMAND' -- TEXT: it counts as complete when the command exits with 0\n"
    "/goal shows the goal, what it has cost, and the next attempt\n"
    "/goal pause stops continuing; /goal resume goes on at once, also inside a wait\n"
    "/goal edit -- TEXT changes the objective\n"
    "/goal extend grants as much again when a budget is used up\n"
    "/goal complete ends it as done; /goal clear removes it\n"
    "Any other text is a goal.";

/// The text of `edit -- TEXT`, empty when none stands there; nothing when it is another command.
std::optional<std::string_view> edited_text(std::string_view arguments) {
  constexpr std::string_view word = "edit";
  if (!starts_with(arguments, word)) {
    return std::nullopt;
  }
  const std::string_view rest = trim(arguments.substr(word.size()));
  if (arguments.size() == word.size() || (rest == "--" && arguments != "edit--")) {
    return std::string_view{};
  }
  const bool apart = rest.data() != arguments.data() + word.size();
  if (!apart || !starts_with(rest, "--") || trim(rest.substr(2)) == rest.substr(2)) {
    return std::nullopt;
  }
  return trim(rest.substr(2));
}

} // namespace

void scheduler::on(const command& happened, const instant& now) {
  out_.command.emplace();
  command_in_print_ = mode_ == host_mode::print;
  if (happened.name == "resilient-stop") {
    if (goal_.state == phase::active) {
      change_phase(phase::paused, "user");
      announce("paused", "stopped by a person");
      save();
    }
    answer(notice_level::info, goal_.state == phase::paused
                                   ? "pi-resilient stops. The goal stays paused in this session."
                                   : "pi-resilient stops.");
    out_.effects.emplace_back(stop_launcher{});
    return;
  }
  goal_command(std::string{trim(happened.arguments)}, now);
}

void scheduler::goal_command(const std::string& arguments, const instant& now) {
  if (arguments.empty() || arguments == "status") {
    answer(notice_level::info, describe(now));
    return;
  }
  if (arguments == "help") {
    answer(notice_level::info, std::string{help});
    return;
  }
  if (!inert_.empty()) {
    answer(notice_level::error, fmt::format("Goals are inert here: {}", inert_));
    return;
  }
  const auto edited = edited_text(arguments);
  const bool is_command = arguments == "pause" || arguments == "resume" || arguments == "complete"
                          || arguments == "clear" || arguments == "extend" || edited;
  if (!is_command) {
    auto declared = parse_declaration(arguments);
    if (declared) {
      declare(std::move(declared->objective), std::move(declared->check), now);
    } else {
      answer(notice_level::error, declared.error().message);
    }
    return;
  }
  if (goal_.state == phase::none) {
    answer(notice_level::warning, "There is no goal. /goal TEXT declares one.");
    return;
  }
  if (edited && edited->empty()) {
    answer(notice_level::error, "Nothing is changed: the new text is missing. Write /goal edit -- "
                                "TEXT.");
    return;
  }
  if (goal_.state == phase::complete && (arguments == "pause" || arguments == "complete")) {
    answer(notice_level::warning, "The goal is complete already. /goal TEXT declares another one, "
                                  "/goal resume takes this one up again.");
    return;
  }
  if (goal_.state == phase::paused && arguments == "pause") {
    answer(notice_level::info, fmt::format("The goal is paused already ({}). /goal resume goes on.",
                                           goal_.pause_reason));
    return;
  }
  if (arguments == "pause") {
    change_phase(phase::paused, "user");
    announce("paused", "paused by a person");
    answer(notice_level::info, "The goal is paused. /goal resume goes on.");
  } else if (arguments == "resume") {
    resume(now);
  } else if (arguments == "extend") {
    extend_budgets();
  } else if (arguments == "complete") {
    change_phase(phase::complete, "");
    goal_.last_error.clear();
    announce("complete", "marked complete by a person");
    answer(notice_level::info, "The goal is complete.");
  } else if (arguments == "clear") {
    change_phase(phase::none, "");
    answer(notice_level::info, "The goal is cleared.");
  } else {
    goal_.objective = std::string{*edited};
    ++goal_.revision;
    goal_.check_failures = 0;
    goal_.check_report.clear();
    answer(notice_level::info, fmt::format("The goal is now: {}", goal_.objective));
  }
  save();
}

void scheduler::resume(const instant&) {
  const bool waited = goal_.state == phase::active && goal_.wait.has_value();
  const bool was_active = goal_.state == phase::active;
  if (const auto ended = used_up(goal_, guards_); !ended.empty() && !was_active) {
    answer(notice_level::warning,
           fmt::format("The budget is used up ({}). /goal extend grants as much again and goes on.",
                       describe_budgets(goal_, guards_)));
    return;
  }
  change_phase(phase::active, "");
  goal_.failures = 0;
  goal_.overflows = 0;
  goal_.without_tools = 0;
  goal_.blocked = 0;
  goal_.check_failures = 0;
  begin_at_.reset();
  if (!was_active) {
    announce("resumed", "resumed by a person");
  }
  answer(notice_level::info, waited       ? "Trying now."
                             : was_active ? "The goal is active already."
                                          : "The goal is active again.");
}

void scheduler::declare(std::string objective, std::string check, const instant& now) {
  std::string told;
  if (goal_.state == phase::active || goal_.state == phase::paused) {
    told = fmt::format(" It replaces: {}", goal_.objective);
  }
  if (!options_.outlives_pi) {
    told += "\nIt does not survive the death of this Pi's process: only the launcher, pi-resilient "
            "--, starts Pi again.";
  }
  goal_ = {};
  limited_until_.reset();
  goal_.id = fmt::format("{:016x}", random_.next());
  goal_.objective = std::move(objective);
  goal_.check = std::move(check);
  goal_.created_at = now.wall;
  change_phase(phase::active, "");
  first_continuation_ = true;
  begin_at_.reset();
  if (out_.command) {
    answer(notice_level::info, fmt::format("The goal is set.{}", told));
  }
  save();
}

/// Every change of the phase ends whatever would have continued the goal before it.
void scheduler::change_phase(phase state, std::string reason) {
  if (running_ && goal_.state == phase::active && state != phase::active) {
    ended_in_run_ = goal_.id;
  }
  goal_.state = state;
  goal_.pause_reason = std::move(reason);
  ++goal_.revision;
  end_wait();
  pause_at_.reset();
  check_.reset();
  blocked_now_ = false;
  after_wait_.clear();
  if (state != phase::active) {
    in_flight_.clear();
    in_flight_until_.reset();
  }
}

void scheduler::on(const tool_call& happened, const instant& now) {
  const auto text_of = [&](const char* key) -> std::string {
    if (!happened.parameters.is_object()) {
      return {};
    }
    const auto found = happened.parameters.find(key);
    return found != happened.parameters.end() && found->is_string()
               ? std::string{trim(found->get_ref<const std::string&>())}
               : std::string{};
  };
  if (happened.tool == "get_goal") {
    answer_agent(tool_result_shown(goal_), false);
    return;
  }
  if (!inert_.empty()) {
    answer_agent(fmt::format("Goals are inert in this session: {}", inert_), true);
    return;
  }
  if (happened.tool == "create_goal") {
    const std::string objective = text_of("objective");
    if (objective.empty()) {
      answer_agent("\"objective\" must be a text that says what is to be reached.", true);
    } else if (goal_.state == phase::active || goal_.state == phase::paused) {
      answer_agent(fmt::format("There is a goal already ({}): {}. Only the user may replace it, "
                               "with /goal.",
                               to_string(goal_.state), goal_.objective),
                   true);
    } else {
      declare(objective, {}, now);
      first_continuation_ = false;
      answer_agent(tool_result_created(goal_), false);
    }
    return;
  }
  if (happened.tool != "update_goal") {
    answer_agent(fmt::format("There is no tool \"{}\".", happened.tool), true);
    return;
  }
  const std::string status = text_of("status");
  if (goal_.state != phase::active && goal_.state != phase::paused) {
    answer_agent("There is no goal to update.", true);
  } else if (status == "complete") {
    ask_for_completion(now);
  } else if (status == "blocked") {
    blocked_now_ = true;
    blocked_why_ = text_of("reason");
    answer_agent(fmt::format("Noted ({}). The goal is paused when you say so in {} answers in a "
                             "row; until then try another way.",
                             text_of("reason"), options_.limits.blocked),
                 false);
  } else {
    answer_agent("\"status\" must be \"complete\", or \"blocked\" with a \"reason\".", true);
  }
}

void scheduler::answer(notice_level level, std::string text) {
  out_.command->notices.push_back({level, std::move(text)});
}

void scheduler::answer_agent(std::string text, bool is_error) {
  out_.tool = tool_answer{std::move(text), is_error};
}

} // namespace resilient::goal
