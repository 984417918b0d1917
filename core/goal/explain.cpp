#include "core/goal/explain.hpp"

#include "core/support/json_text.hpp"

#include <date/date.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace resilient::goal {

namespace {

using json = nlohmann::ordered_json;

std::string_view what_happened(error_class kind) {
  switch (kind) {
  case error_class::transient:
    return "The provider or the network failed for the moment";
  case error_class::rate_limit:
    return "The provider throttles the requests";
  case error_class::usage_exhausted:
    return "The usage limit or the balance of the account is used up";
  case error_class::overflow:
    return "The conversation is too long for the model";
  case error_class::auth:
    return "The provider refuses the credentials";
  case error_class::config:
    return "The provider refuses the request as it is";
  case error_class::abort:
    return "The request was stopped by the user";
  case error_class::unknown:
    break;
  }
  return "The kind of error cannot be told from its text";
}

/// "3 h 51 min", "45 s", "0.5 s": two units are enough for a person.
std::string length_text(std::chrono::milliseconds length) {
  const auto seconds = length.count() / 1000;
  if (length.count() < 10'000 && length.count() % 1000 != 0) {
    return fmt::format("{:.1f} s", static_cast<double>(length.count()) / 1000.0);
  }
  if (seconds < 120) {
    return fmt::format("{} s", seconds);
  }
  if (seconds < 7200) {
    return fmt::format("{} min", seconds / 60);
  }
  if (seconds < 172'800) {
    return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
  }
  return fmt::format("{} d {} h", seconds / 86400, seconds / 3600 % 24);
}

std::string what_is_done(const failure& seen, const verdict& decided) {
  switch (decided.what) {
  case action::retry:
    return decided.retry_after ? fmt::format("it is tried again with growing pauses, not before {}",
                                             length_text(*decided.retry_after))
                               : std::string{"it is tried again with growing pauses"};
  case action::wait:
    if (decided.reset_at) {
      const auto distance = *decided.reset_at - seen.observed_at;
      return distance.count() > 0
                 ? fmt::format("the run waits until {}, {} from then",
                               format_instant(*decided.reset_at), length_text(distance))
                 : fmt::format("the limit ended at {}, so it is tried again",
                               format_instant(*decided.reset_at));
    }
    break;
  case action::probe:
    if (decided.reset_at) {
      return fmt::format("the provider names {}, which is too far away to rely on, so it is probed "
                         "slowly",
                         format_instant(*decided.reset_at));
    }
    if (decided.kind == error_class::usage_exhausted) {
      return "the provider gave no reset time, so it is probed every 15 minutes";
    }
    if (decided.kind == error_class::auth) {
      return "log in again or mend the key; it is probed every 30 minutes";
    }
    return "it is probed slowly";
  case action::compact:
    return "the host shortens the conversation first";
  case action::pause:
    return decided.kind == error_class::config
               ? "the run pauses until a person changes the model, the request or the settings"
               : "the run pauses";
  }
  return "it is probed slowly";
}

} // namespace

std::string format_instant(wall_time when) {
  const auto day = date::floor<date::days>(when);
  const date::year_month_day ymd{day};
  const date::hh_mm_ss<std::chrono::milliseconds> clock{when - day};
  const auto fraction = clock.subseconds().count();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}Z", static_cast<int>(ymd.year()),
                     static_cast<unsigned>(ymd.month()), static_cast<unsigned>(ymd.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     fraction != 0 ? fmt::format(".{:03}", fraction) : std::string{});
}

std::string explain_json(const verdict& decided) {
  json out;
  out["class"] = to_string(decided.kind);
  out["reset_at"] = decided.reset_at ? json(format_instant(*decided.reset_at)) : json(nullptr);
  if (!decided.retry_after) {
    out["retry_after_s"] = nullptr;
  } else if (decided.retry_after->count() % 1000 == 0) {
    out["retry_after_s"] = decided.retry_after->count() / 1000;
  } else {
    out["retry_after_s"] = static_cast<double>(decided.retry_after->count()) / 1000.0;
  }
  out["action"] = to_string(decided.what);
  out["rule"] = decided.rule;
  return json_line(out);
}

std::string explain_sentence(const failure& seen, const verdict& decided) {
  return fmt::format("{}: {} (rule {}).", what_happened(decided.kind), what_is_done(seen, decided),
                     decided.rule);
}

} // namespace resilient::goal
