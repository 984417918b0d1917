#include "core/goal/clock_times.hpp"

#include "core/goal/clock_words.hpp"
#include "core/goal/durations.hpp"
#include "core/goal/plain_text.hpp"

#include <cmath>

namespace resilient::goal {

namespace {

struct date_mention {
  std::optional<int> year;
  std::optional<unsigned> month;
  std::optional<unsigned> day;
  std::optional<unsigned> weekday;
  std::optional<int> days_ahead;
  /// Which of day and month comes first in `3/4/2026` shows only at the clock (12 h is American).
  bool month_or_day_first = false;
  std::size_t end = 0;
};

struct digits_mention {
  int value = 0;
  std::size_t width = 0;
  std::size_t end = 0;
};

digits_mention digits_at(std::string_view lower, std::size_t at) {
  digits_mention found{0, 0, at};
  while (found.end < lower.size() && is_digit(lower[found.end]) && found.width < 9) {
    found.value = found.value * 10 + (lower[found.end++] - '0');
    ++found.width;
  }
  return found;
}

/// Skips the ending of an ordinal: "2nd", "1er", "3.".
std::size_t skip_ordinal(std::string_view lower, std::size_t at) {
  for (const std::string_view ending : {"st", "nd", "rd", "th", "er", "."}) {
    if (starts_at(lower, at, ending)) {
      return at + ending.size();
    }
  }
  return at;
}

/// `2026-08-25`, `2026/08/25`, `2026.08.25`, `2026年8月25日`, `8月25日`.
std::optional<date_mention> numeric_date_at(std::string_view lower, std::size_t at) {
  const auto first = digits_at(lower, at);
  if (first.width == 4 && first.end < lower.size()) {
    const bool chinese = starts_at(lower, first.end, "年");
    const char separator = lower[first.end];
    if (!chinese && separator != '-' && separator != '/' && separator != '.') {
      return std::nullopt;
    }
    const auto month = digits_at(lower, skip_blanks(lower, first.end + (chinese ? 3U : 1U)));
    const std::size_t gap = chinese ? 3 : 1;
    const bool joined = chinese ? starts_at(lower, month.end, "月")
                                : month.end < lower.size() && lower[month.end] == separator;
    const auto day = digits_at(lower, joined ? skip_blanks(lower, month.end + gap) : lower.size());
    if (month.width == 0 || month.width > 2 || day.width == 0 || day.width > 2) {
      return std::nullopt;
    }
    auto end = day.end;
    end += starts_at(lower, end, "日") ? 3U : 0U;
    return date_mention{first.value,
                        static_cast<unsigned>(month.value),
                        static_cast<unsigned>(day.value),
                        {},
                        {},
                        false,
                        end};
  }
  if (first.width >= 1 && first.width <= 2 && starts_at(lower, first.end, "月")) {
    const auto day = digits_at(lower, first.end + 3);
    if (day.width == 0 || day.width > 2) {
      return std::nullopt;
    }
    const auto end =
        day.end + (starts_at(lower, day.end, "日") || starts_at(lower, day.end, "号") ? 3U : 0U);
    return date_mention{
        {}, static_cast<unsigned>(first.value), static_cast<unsigned>(day.value), {}, {}, false,
        end};
  }
  return std::nullopt;
}

/// `25/08/2026`, `8/25/2026`, `25.08.2026`.
std::optional<date_mention> short_date_at(std::string_view lower, std::size_t at) {
  const auto first = digits_at(lower, at);
  if (first.width == 0 || first.width > 2 || first.end >= lower.size()
      || (lower[first.end] != '/' && lower[first.end] != '.')) {
    return std::nullopt;
  }
  const char separator = lower[first.end];
  const auto second = digits_at(lower, first.end + 1);
  if (second.width == 0 || second.width > 2 || second.end >= lower.size()
      || lower[second.end] != separator) {
    return std::nullopt;
  }
  const auto year = digits_at(lower, second.end + 1);
  if (year.width != 4) {
    return std::nullopt;
  }
  date_mention found{year.value,
                     static_cast<unsigned>(second.value),
                     static_cast<unsigned>(first.value),
                     {},
                     {},
                     false,
                     year.end};
  if (separator == '/' && second.value > 12) {
    std::swap(found.month, found.day);
  } else if (separator == '/' && first.value <= 12 && first.value != second.value) {
    found.month_or_day_first = true;
  }
  return found;
}

/// ", 2026" or " 2026" after a month and a day. A clock time such as " 2026" is not expected there.
void take_year(std::string_view lower, date_mention& found) {
  auto at = found.end;
  at += starts_at(lower, at, ",") ? 1U : 0U;
  at = skip_blanks(lower, at);
  for (const std::string_view word : {"de ", "del "}) {
    at += starts_at(lower, at, word) ? word.size() : 0U;
  }
  const auto year = digits_at(lower, at);
  if (year.width == 4 && year.value >= 2000 && year.value < 2200
      && (year.end >= lower.size() || (lower[year.end] != ':' && !is_word(lower[year.end])))) {
    found.year = year.value;
    found.end = year.end;
  }
}

/// `Mar 29th, 2026`, `September 6`, `21 Oct 2026`, `10. März`.
std::optional<date_mention> worded_date_at(std::string_view lower, std::size_t at) {
  if (const auto month = month_at(lower, at)) {
    const auto day = digits_at(lower, skip_blanks(lower, skip_full_stop(lower, month->end)));
    if (day.width == 0 || day.width > 2 || starts_at(lower, day.end, ":")) {
      return std::nullopt;
    }
    date_mention found{{}, month->value, static_cast<unsigned>(day.value), {},
                       {}, false,        skip_ordinal(lower, day.end)};
    take_year(lower, found);
    return found;
  }
  const auto day = digits_at(lower, at);
  if (day.width == 0 || day.width > 2) {
    return std::nullopt;
  }
  auto month_from = skip_blanks(lower, skip_ordinal(lower, day.end));
  for (const std::string_view word : {"of ", "de ", "-"}) {
    month_from += starts_at(lower, month_from, word) ? word.size() : 0U;
  }
  const auto month = month_at(lower, month_from);
  if (!month) {
    return std::nullopt;
  }
  date_mention found{{}, month->value, static_cast<unsigned>(day.value), {},
                     {}, false,        skip_full_stop(lower, month->end)};
  take_year(lower, found);
  return found;
}

std::optional<date_mention> date_at(std::string_view lower, std::size_t at) {
  if (at >= lower.size()) {
    return std::nullopt;
  }
  auto found = numeric_date_at(lower, at);
  if (!found) {
    found = short_date_at(lower, at);
  }
  if (!found) {
    found = worded_date_at(lower, at);
  }
  if (!found) {
    if (const auto ahead = relative_day_at(lower, at)) {
      found = date_mention{{}, {}, {}, {}, ahead->value, false, ahead->end};
    } else if (const auto weekday = weekday_at(lower, at)) {
      // "Wed, 21 Oct 2026": the date tells more than the day of the week.
      auto next = skip_full_stop(lower, weekday->end);
      next = skip_blanks(lower, next + (starts_at(lower, next, ",") ? 1U : 0U));
      found = worded_date_at(lower, next);
      if (!found) {
        found = numeric_date_at(lower, next);
      }
      if (!found) {
        found = date_mention{{}, {}, {}, weekday->value, {}, false, weekday->end};
      }
    }
  }
  if (found
      && ((found->month && (*found->month < 1 || *found->month > 12))
          || (found->day && (*found->day < 1 || *found->day > 31)))) {
    return std::nullopt;
  }
  return found;
}

/// Skips what may stand between a date and its clock time.
std::size_t skip_to_clock(std::string_view lower, std::size_t at) {
  at = skip_blanks(lower, at);
  at += starts_at(lower, at, ",") ? 1U : 0U;
  at = skip_blanks(lower, at);
  for (const std::string_view word :
       {"at ", "um ", "à ", "a las ", "às ", "alle ", "@ ", "t", "- ", "kl. ", "om "}) {
    if (starts_at(lower, at, word)
        && (word != "t" || (at + 1 < lower.size() && is_digit(lower[at + 1])))) {
      return skip_blanks(lower, at + word.size());
    }
  }
  return at;
}

/// A date after a clock time: "3:00 AM on April 20", "12:00 UTC, 2026-03-05", "7pm tomorrow".
std::optional<date_mention> trailing_date_at(std::string_view lower, std::size_t at) {
  at = skip_blanks(lower, at);
  at += starts_at(lower, at, ",") ? 1U : 0U;
  at = skip_blanks(lower, at);
  for (const std::string_view word : {"on ", "am ", "le ", "el ", "of "}) {
    if (starts_at(lower, at, word)) {
      at = skip_blanks(lower, at + word.size());
      break;
    }
  }
  return date_at(lower, at);
}

void adopt(const date_mention& date, bool twelve_hours, calendar_mention& out) {
  out.year = date.year;
  out.month = date.month;
  out.day = date.day;
  out.weekday = date.weekday;
  out.days_ahead = date.days_ahead;
  if (date.month_or_day_first && twelve_hours) {
    std::swap(out.month, out.day);
  } else if (date.month_or_day_first) {
    // Nobody can tell the month from the day.
    out.zone.what = zone_mention::kind::unusable;
  }
}

} // namespace

std::optional<calendar_mention> calendar_at(std::string_view text, std::string_view lower,
                                            std::size_t at) {
  calendar_mention out;
  if (const auto date = date_at(lower, at)) {
    const auto clock = clock_at(lower, skip_to_clock(lower, date->end), true);
    if (!clock) {
      return std::nullopt;
    }
    out.time_of_day = clock->time_of_day;
    out.zone = zone_at(text, clock->end);
    out.end = std::max(clock->end, out.zone.end);
    adopt(*date, clock->twelve_hours, out);
    return out;
  }
  const auto before = lower.substr(0, at);
  const bool said_at = before.ends_with("à ") || before.ends_with("a las ");
  const auto clock = clock_at(lower, at, said_at);
  if (!clock) {
    return std::nullopt;
  }
  out.time_of_day = clock->time_of_day;
  out.zone = zone_at(text, clock->end);
  out.end = std::max(clock->end, out.zone.end);
  if (const auto date = trailing_date_at(lower, out.end)) {
    adopt(*date, clock->twelve_hours, out);
    out.end = date->end;
    if (out.zone.what == zone_mention::kind::none) {
      out.zone = zone_at(text, out.end);
      out.end = std::max(out.end, out.zone.end);
    }
  }
  return out;
}

std::optional<wall_time> instant_value(std::string_view text, wall_time observed) {
  const auto trimmed = tail(text, skip_blanks(text, 0));
  const auto lower = lower_ascii(trimmed);
  const auto mention = calendar_at(trimmed, lower, 0);
  if (!mention || !mention->day || !mention->year
      || skip_blanks(lower, mention->end) != lower.size()) {
    return std::nullopt;
  }
  return resolve(*mention, observed, zone_mention{});
}

std::optional<wall_time> epoch_value(double number, wall_time observed) {
  double milliseconds = number * 1000;
  if (number >= 1e14) {
    milliseconds = number / 1000;
  } else if (number >= 1e11) {
    milliseconds = number;
  }
  const auto now = static_cast<double>(observed.time_since_epoch().count());
  const auto most = static_cast<double>(std::chrono::milliseconds{longest_length}.count());
  if (!(std::abs(milliseconds - now) <= most) || milliseconds < 1e12) {
    return std::nullopt;
  }
  return wall_time{std::chrono::milliseconds{std::llround(milliseconds)}};
}

} // namespace resilient::goal
