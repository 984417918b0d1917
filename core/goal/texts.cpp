#include "core/goal/texts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace resilient::goal {

std::string continuation_text(const record& goal, const continuation_context& context) {
  std::string text;
  if (context.first) {
    text = "Work on this goal until it is reached and verified:\n\n";
  } else {
    text = "The goal is not marked complete yet. Go on with it:\n\n";
  }
  text += goal.objective;
  text += "\n\n";
  if (!context.previous_death.empty()) {
    text += fmt::format("Pi ended unexpectedly ({}) and was started again in the same session. The "
                        "last tool call may have taken effect although its result is missing. ",
                        context.previous_death);
  }
  if (!context.leftovers.empty()) {
    text += fmt::format("These processes of the earlier Pi were still running and were stopped: "
                        "{}. ",
                        fmt::join(context.leftovers, ", "));
  }
  if (!context.after_wait.empty()) {
    text += fmt::format("There was a pause before this message ({}). ", context.after_wait);
  }
  if (!context.check_report.empty()) {
    text += context.check_report + "\n\n";
  }
  text += "Inspect the current state (files, running processes, outside systems) before you repeat "
          "any work: a step may already be done, or half done.\n\n"
          "A final answer does not end the goal. When everything is done and you have verified it, "
          "call update_goal with {\"status\":\"complete\"}. If you cannot go on without a person, "
          "call update_goal with {\"status\":\"blocked\",\"reason\":\"…\"}.";
  return text;
}

std::string tool_result_created(const record& goal) {
  return fmt::format("The goal is set: {}\nYou will be continued until you call update_goal with "
                     "{{\"status\":\"complete\"}}.",
                     goal.objective);
}

std::string tool_result_complete(const record& goal) {
  return fmt::format("The goal is complete and you will not be continued: {}", goal.objective);
}

std::string tool_result_checking(const std::string& command, bool runs_already) {
  return fmt::format("{}: {}\nThe goal is complete when it exits with 0. You will be told what it "
                     "found; end your turn now.",
                     runs_already ? "The check of the goal still runs"
                                  : "The check of the goal runs now",
                     command);
}

std::string check_report(const std::string& command, const std::string& how,
                         const std::string& output) {
  std::string text = fmt::format("You marked the goal complete, but its check did not accept that "
                                 "({}): {}",
                                 how, command);
  if (!output.empty()) {
    text += fmt::format("\nThe end of what it wrote:\n{}", output);
  }
  return text;
}

std::string tool_result_shown(const record& goal) {
  if (goal.state == phase::none) {
    return "There is no goal.";
  }
  return fmt::format("Goal ({}{}{}): {}", to_string(goal.state),
                     goal.pause_reason.empty() ? "" : ": ", goal.pause_reason, goal.objective);
}

} // namespace resilient::goal
