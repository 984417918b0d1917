#include "core/goal/clock_times.hpp"

#include <array>

namespace resilient::goal {

namespace {

using std::chrono::milliseconds;
using kind = zone_mention::kind;

/// A clock time that has passed by less than this was shown while its reset was due: it is not the
/// one of the next day.
constexpr std::chrono::minutes due{15};

bool is_past(wall_time when, wall_time observed) {
  return when + just_passed < observed;
}

/// The instants of one day's clock time, those first that come first.
std::array<std::optional<wall_time>, 2> instants_of(date::local_days day, milliseconds time_of_day,
                                                    const zone_mention& zone) {
  const auto both = instants_in_zone(day + time_of_day, zone);
  return {both.first, both.second};
}

std::optional<wall_time> on_date(date::year_month_day date, const calendar_mention& mention,
                                 wall_time observed, const zone_mention& zone) {
  if (!date.ok()) {
    return std::nullopt;
  }
  for (const auto& when : instants_of(date::local_days{date}, mention.time_of_day, zone)) {
    if (when && !is_past(*when, observed)) {
      return when;
    }
  }
  return std::nullopt;
}

/// The first day from today on, `step` days apart, on which the clock time lies ahead.
std::optional<wall_time> next_occurrence(date::local_days from, int step,
                                         const calendar_mention& mention, wall_time observed,
                                         const zone_mention& zone) {
  for (int round = 0; round < 3; ++round) {
    for (const auto& when :
         instants_of(from + date::days{round * step}, mention.time_of_day, zone)) {
      if (!when) {
        continue;
      }
      if (!is_past(*when, observed)) {
        return when;
      }
      if (observed - *when < due) {
        return std::nullopt;
      }
    }
  }
  return std::nullopt;
}

/// The zone in which a mention is to be read, or one that is `unusable`.
zone_mention zone_of(const calendar_mention& mention, const zone_mention& assumed) {
  if (mention.zone.what == kind::none || mention.zone.what == kind::local) {
    return assumed;
  }
  return mention.zone;
}

} // namespace

std::optional<wall_time> resolve(const calendar_mention& mention, wall_time observed,
                                 const zone_mention& assumed) {
  const auto zone = zone_of(mention, assumed);
  const auto now = clock_in_zone(observed, zone);
  if (!now) {
    return std::nullopt;
  }
  const auto today = date::floor<date::days>(*now);
  if (mention.month && mention.day) {
    const auto on = [&](date::year year) {
      return date::year_month_day{year, date::month{*mention.month}, date::day{*mention.day}};
    };
    if (mention.year) {
      return on_date(on(date::year{*mention.year}), mention, observed, zone);
    }
    // A date without a year lies near: this year's, or next year's around the new year.
    const auto year = date::year_month_day{today}.year();
    if (const auto when = on_date(on(year), mention, observed, zone)) {
      return when;
    }
    const auto when = on_date(on(year + date::years{1}), mention, observed, zone);
    return when && *when - observed < std::chrono::hours{24 * 183} ? when : std::nullopt;
  }
  if (mention.days_ahead) {
    const auto day = today + date::days{*mention.days_ahead};
    return on_date(date::year_month_day{day}, mention, observed, zone);
  }
  if (mention.weekday) {
    const auto ahead = date::weekday{*mention.weekday} - date::weekday{today};
    return next_occurrence(today + ahead, 7, mention, observed, zone);
  }
  return next_occurrence(today, 1, mention, observed, zone);
}

} // namespace resilient::goal
