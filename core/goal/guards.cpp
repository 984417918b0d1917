#include "core/goal/guards.hpp"

#include "core/goal/money.hpp"

#include <fmt/format.h>

namespace resilient::goal {

namespace {

constexpr budget budgets[] = {budget::turns, budget::hours, budget::tokens, budget::cost};

std::optional<double> limit_of(budget which, const guards& limits) {
  const auto real = [](const std::optional<std::int64_t>& number) {
    return number ? std::optional{static_cast<double>(*number)} : std::nullopt;
  };
  switch (which) {
  case budget::turns:
    return real(limits.max_turns);
  case budget::hours:
    return limits.max_hours;
  case budget::tokens:
    return real(limits.max_tokens);
  case budget::cost:
    return limits.max_cost;
  }
  return std::nullopt;
}

double used_of(budget which, const record& goal) {
  switch (which) {
  case budget::turns:
    return static_cast<double>(goal.turns);
  case budget::hours:
    return std::chrono::duration<double, std::ratio<3600>>{goal.active}.count();
  case budget::tokens:
    return static_cast<double>(goal.input_tokens + goal.output_tokens);
  case budget::cost:
    return goal.cost;
  }
  return 0;
}

double& extra_of(budget which, record& goal) {
  return goal.extra[static_cast<std::size_t>(which)];
}

double extra_of(budget which, const record& goal) {
  return goal.extra[static_cast<std::size_t>(which)];
}

bool is_used_up(budget which, const record& goal, const guards& limits) {
  const auto limit = limit_of(which, limits);
  return limit && used_of(which, goal) >= *limit + extra_of(which, goal);
}

} // namespace

guards laid_over(const guards& first, const guards& second) {
  guards both = first;
  const auto fill = [](auto& into, const auto& from) {
    if (!into) {
      into = from;
    }
  };
  fill(both.max_turns, second.max_turns);
  fill(both.max_hours, second.max_hours);
  fill(both.max_tokens, second.max_tokens);
  fill(both.max_cost, second.max_cost);
  if (both.check.empty()) {
    both.check = second.check;
  }
  if (both.on_event.empty()) {
    both.on_event = second.on_event;
  }
  return both;
}

const char* pause_reason_of(budget which) noexcept {
  switch (which) {
  case budget::turns:
    return "budget_turns";
  case budget::hours:
    return "budget_hours";
  case budget::tokens:
    return "budget_tokens";
  case budget::cost:
    return "budget_cost";
  }
  return "budget";
}

const char* to_string(budget which) noexcept {
  switch (which) {
  case budget::turns:
    return "turns";
  case budget::hours:
    return "hours";
  case budget::tokens:
    return "tokens";
  case budget::cost:
    return "cost";
  }
  return "unknown";
}

std::vector<budget> used_up(const record& goal, const guards& limits) {
  std::vector<budget> found;
  for (const budget each : budgets) {
    if (is_used_up(each, goal, limits)) {
      found.push_back(each);
    }
  }
  return found;
}

std::optional<std::chrono::milliseconds> time_left(const record& goal, const guards& limits) {
  if (!limits.max_hours) {
    return std::nullopt;
  }
  // More than any run lasts, and far from what milliseconds can hold.
  constexpr double longest_hours = 1e6;
  const double hours = std::min(longest_hours, *limits.max_hours + extra_of(budget::hours, goal));
  const auto length = std::chrono::ceil<std::chrono::milliseconds>(
      std::chrono::duration<double, std::ratio<3600>>{hours});
  return std::max(std::chrono::milliseconds{0}, length - goal.active);
}

std::vector<budget> extend(record& goal, const guards& limits) {
  std::vector<budget> grown = used_up(goal, limits);
  for (const budget each : grown) {
    extra_of(each, goal) = used_of(each, goal);
  }
  if (grown.empty()) {
    for (const budget each : budgets) {
      if (const auto limit = limit_of(each, limits)) {
        extra_of(each, goal) += *limit;
        grown.push_back(each);
      }
    }
  }
  return grown;
}

std::string describe_budgets(const record& goal, const guards& limits) {
  std::string text;
  for (const budget each : budgets) {
    const auto limit = limit_of(each, limits);
    if (!limit) {
      continue;
    }
    const double whole = *limit + extra_of(each, goal);
    text += text.empty() ? "" : ", ";
    switch (each) {
    case budget::turns:
    case budget::tokens:
      text += fmt::format("{:.0f} of {:.0f} {}", used_of(each, goal), whole, to_string(each));
      break;
    case budget::hours:
      text += fmt::format("{:.2f} of {:.2f} hours", used_of(each, goal), whole);
      break;
    case budget::cost:
      text += fmt::format("cost {} of {}", money_for_people(used_of(each, goal)),
                          money_for_people(whole));
      break;
    }
  }
  return text;
}

} // namespace resilient::goal
