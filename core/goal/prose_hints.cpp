#include "core/goal/clock_times.hpp"
#include "core/goal/durations.hpp"
#include "core/goal/time_hints.hpp"

#include <algorithm>
#include <array>

namespace resilient::goal {

namespace {

using role = time_hint::role;

/// How far a time may stand from the word that it belongs to.
constexpr std::size_t reach = 72;

struct anchor {
  std::string_view word;
  role what;
};

constexpr std::array anchors_before = {
    anchor{"reset", role::reset},         anchor{"renew", role::reset},
    anchor{"refresh", role::reset},       anchor{"replenish", role::reset},
    anchor{"refill", role::reset},        anchor{"regain", role::reset},
    anchor{"available", role::reset},     anchor{"restor", role::reset},
    anchor{"resum", role::reset},         anchor{"lifted", role::reset},
    anchor{"unlock", role::reset},        anchor{"unblock", role::reset},
    anchor{"expires", role::reset},       anchor{"opens", role::reset},
    anchor{"window starts", role::reset}, anchor{"cycle starts", role::reset},
    anchor{"period starts", role::reset}, anchor{"window begins", role::reset},
    anchor{"cycle begins", role::reset},  anchor{"period begins", role::reset},
    anchor{"until", role::reset},         anchor{"réinitialis", role::reset},
    anchor{"disponible", role::reset},    anchor{"renouvel", role::reset},
    anchor{"zurück", role::reset},        anchor{"verfügbar", role::reset},
    anchor{"wieder", role::reset},        anchor{"restablec", role::reset},
    anchor{"reinici", role::reset},       anchor{"重置", role::reset},
    anchor{"恢复", role::reset},          anchor{"刷新", role::reset},
    anchor{"将在", role::reset},          anchor{"リセット", role::reset},
    anchor{"초기화", role::reset},        anchor{"retrying", role::client},
    anchor{"reconnecting", role::client}, anchor{"try again", role::retry},
    anchor{"trying again", role::retry},  anchor{"try your request", role::retry},
    anchor{"retry", role::retry},         anchor{"retries", role::retry},
    anchor{"wait", role::retry},          anchor{"come back", role::retry},
    anchor{"back off", role::retry},      anchor{"another request", role::retry},
    anchor{"next request", role::retry},  anchor{"next attempt", role::retry},
    anchor{"you can ", role::retry},      anchor{"check back", role::retry},
    anchor{"back in", role::retry},       anchor{"again in", role::retry},
    anchor{"again at", role::retry},      anchor{"again after", role::retry},
    anchor{"cooldown", role::retry},      anchor{"cooling down", role::retry},
    anchor{"cool down", role::retry},     anchor{"réessay", role::retry},
    anchor{"attendre", role::retry},      anchor{"patient", role::retry},
    anchor{"versuch", role::retry},       anchor{"warten", role::retry},
    anchor{"inténtal", role::retry},      anchor{"intenta", role::retry},
    anchor{"intente", role::retry},       anchor{"espera", role::retry},
    anchor{"novamente", role::retry},     anchor{"aguarde", role::retry},
    anchor{"riprova", role::retry},       anchor{"opnieuw", role::retry},
    anchor{"повтор", role::retry},        anchor{"через", role::retry},
    anchor{"请在", role::retry},          anchor{"请于", role::retry},
    anchor{"等待", role::retry},          anchor{"重试", role::retry},
};

constexpr std::array anchors_after = {
    anchor{"before try", role::retry},     anchor{"before retry", role::retry},
    anchor{"before send", role::retry},    anchor{"before mak", role::retry},
    anchor{"retry delay", role::retry},    anchor{"until reset", role::reset},
    anchor{"until it reset", role::reset}, anchor{"until your", role::reset},
    anchor{"until the", role::reset},      anchor{"to reset", role::reset},
    anchor{"cooldown", role::retry},       anchor{"erneut", role::retry},
    anchor{"wieder", role::retry},         anchor{"zurück", role::reset},
    anchor{"重试", role::retry},           anchor{"再试", role::retry},
    anchor{"重置", role::reset},           anchor{"恢复", role::reset},
    anchor{"刷新", role::reset},           anchor{"再度", role::retry},
    anchor{"リセット", role::reset},       anchor{"再試行", role::retry},
    anchor{"다시", role::retry},           anchor{"초기화", role::reset},
};

/// Words right before a length that make it a window, a frequency or a figure.
constexpr std::array denials_before = {
    std::string_view{"every"},      std::string_view{"each"},     std::string_view{"per"},
    std::string_view{"last"},       std::string_view{"past"},     std::string_view{"rolling"},
    std::string_view{"limit"},      std::string_view{"used"},     std::string_view{"max"},
    std::string_view{"than"},       std::string_view{"previous"}, std::string_view{"within"},
    std::string_view{"jede"},       std::string_view{"alle"},     std::string_view{"chaque"},
    std::string_view{"toutes les"}, std::string_view{"每"},       std::string_view{"the"},
    std::string_view{"cada"},       std::string_view{"limit of"}, std::string_view{"window of"},
    std::string_view{"maximum"},    std::string_view{"attempt"},
};

constexpr std::array denials_after = {
    std::string_view{"-"},      std::string_view{" window"},  std::string_view{" limit"},
    std::string_view{" ago"},   std::string_view{" rolling"}, std::string_view{" period"},
    std::string_view{" usage"}, std::string_view{" rate"},    std::string_view{"/"},
    std::string_view{"的"},     std::string_view{" quota"},   std::string_view{" session"},
    std::string_view{" 的"},    std::string_view{"使用"},     std::string_view{"窗口"},
};

/// What stands before `at` in the same sentence.
std::string_view sentence_before(std::string_view lower, std::size_t at) {
  const auto from = at > reach ? at - reach : 0;
  auto before = lower.substr(from, at - from);
  if (const auto line = before.rfind('\n'); line != std::string_view::npos) {
    before.remove_prefix(line + 1);
  }
  for (const std::string_view stop : {". ", "! ", "? "}) {
    if (const auto end = before.rfind(stop); end != std::string_view::npos) {
      before.remove_prefix(end + stop.size());
    }
  }
  return before;
}

std::string_view sentence_after(std::string_view lower, std::size_t at) {
  auto after = tail(lower, at).substr(0, 40);
  for (const std::string_view stop : {"\n", ". ", "! "}) {
    after = after.substr(0, after.find(stop));
  }
  return after;
}

std::optional<role> role_of(std::string_view lower, std::size_t from, std::size_t end) {
  const auto before = sentence_before(lower, from);
  std::optional<role> found;
  std::size_t nearest = 0;
  for (const auto& [word, what] : anchors_before) {
    const auto at = before.rfind(word);
    // "retrying" also holds "retry": the longer word at the same place wins.
    if (at != std::string_view::npos && (!found || at > nearest)) {
      found = what;
      nearest = at;
    }
  }
  if (found) {
    return found;
  }
  const auto after = sentence_after(lower, end);
  for (const auto& [word, what] : anchors_after) {
    if (after.find(word) != std::string_view::npos) {
      return what;
    }
  }
  return std::nullopt;
}

bool denied(std::string_view lower, std::size_t from, std::size_t end) {
  auto before = sentence_before(lower, from);
  while (!before.empty()
         && std::string_view{" :=~("}.find(before.back()) != std::string_view::npos) {
    before.remove_suffix(1);
  }
  for (const auto word : denials_before) {
    if (before.ends_with(word)
        && (before.size() == word.size() || !is_word(before[before.size() - word.size() - 1]))) {
      return true;
    }
  }
  const auto after = tail(lower, end);
  return std::any_of(denials_after.begin(), denials_after.end(),
                     [&](std::string_view word) { return after.starts_with(word); });
}

/// Whether "retry after" or the like stands right before a bare number.
bool counts_seconds(std::string_view lower, std::size_t at) {
  auto before = sentence_before(lower, at);
  while (!before.empty()
         && std::string_view{" :=\"'"}.find(before.back()) != std::string_view::npos) {
    before.remove_suffix(1);
  }
  return before.ends_with("retry after") || before.ends_with("retry-after")
         || before.ends_with("retry_after") || before.ends_with("retryafter");
}

bool follows_length_word(std::string_view lower, std::size_t at) {
  const auto before = sentence_before(lower, at);
  return before.ends_with(" in ") || before.ends_with(" after ") || before.ends_with("wait ")
         || before.ends_with(" dans ") || before.ends_with(" for ");
}

/// A number of 10, 13 or 16 digits: an epoch.
std::optional<std::pair<wall_time, std::size_t>> epoch_at(std::string_view lower, std::size_t at,
                                                          wall_time observed) {
  const auto number = number_at(lower, at);
  if (!number || (number->end < lower.size() && is_word(lower[number->end]))
      || number->value < 1e9) {
    return std::nullopt;
  }
  const auto when = epoch_value(number->value, observed);
  return when ? std::optional{std::pair{*when, number->end}} : std::nullopt;
}

bool may_begin(std::string_view lower, std::size_t at) {
  if (at > 0 && (is_word(lower[at - 1]) || (lower[at - 1] == '.' && is_digit(lower[at])))) {
    return false;
  }
  const auto c = static_cast<unsigned char>(lower[at]);
  return is_digit(lower[at]) || is_letter(lower[at]) || c >= 0x80;
}

} // namespace

std::vector<time_hint> hints_in_prose(const provider_message& message, wall_time observed,
                                      const assumed_zones& zones) {
  const std::string_view lower = message.lower;
  std::vector<time_hint> out;
  for (std::size_t at = 0; at < lower.size();) {
    if (!may_begin(lower, at)) {
      ++at;
      continue;
    }
    // Most words are no beginning of a time: only digits, months, days and the like are.
    if (const auto length =
            follows_length_word(lower, at) ? stopwatch_at(lower, at) : std::nullopt) {
      out.push_back({role::retry, observed + length->length, true});
      at = length->end;
      continue;
    }
    if (const auto epoch = epoch_at(lower, at, observed)) {
      const bool bar = at > 0 && lower[at - 1] == '|';
      const auto what = bar ? std::optional{role::reset} : role_of(lower, at, epoch->second);
      if (what && epoch->first + just_passed >= observed) {
        out.push_back({*what, epoch->first, false});
      }
      at = epoch->second;
      continue;
    }
    if (const auto mention = calendar_at(message.prose, lower, at)) {
      const auto what = role_of(lower, at, mention->end);
      const bool local = mention->zone.what == zone_mention::kind::local;
      if (const auto when = what ? resolve(*mention, observed, local ? zones.local : zones.naive)
                                 : std::nullopt) {
        out.push_back({*what, *when, false});
      }
      at = mention->end;
      continue;
    }
    if (const auto length = duration_at(lower, at)) {
      const auto what = role_of(lower, at, length->end);
      if (what && !denied(lower, at, length->end)) {
        out.push_back({*what, observed + length->length, true});
      }
      at = length->end;
      continue;
    }
    if (is_digit(lower[at])) {
      const auto number = number_at(lower, at);
      const bool seconds = number && counts_seconds(lower, at);
      if (const auto length = seconds ? length_of(number->value, 1000) : std::nullopt) {
        out.push_back({role::retry, observed + *length, true});
      }
    }
    ++at;
    while (at < lower.size() && is_word(lower[at]) && is_word(lower[at - 1])) {
      ++at;
    }
  }
  return out;
}

} // namespace resilient::goal
