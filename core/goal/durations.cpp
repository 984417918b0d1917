#include "core/goal/durations.hpp"

#include "core/goal/plain_text.hpp"

#include <array>
#include <cmath>

namespace resilient::goal {

namespace {

constexpr double second = 1000;
constexpr double minute = 60 * second;
constexpr double hour = 60 * minute;
constexpr double day = 24 * hour;
constexpr double week = 7 * day;

struct unit_name {
  std::string_view name;
  double milliseconds;
};

// Longer names come before their own beginnings.
constexpr std::array unit_names = {
    unit_name{"milliseconds", 1},
    unit_name{"millisecond", 1},
    unit_name{"millisekunden", 1},
    unit_name{"millisecondes", 1},
    unit_name{"msecs", 1},
    unit_name{"msec", 1},
    unit_name{"ms", 1},
    unit_name{"seconds", second},
    unit_name{"secondes", second},
    unit_name{"seconde", second},
    unit_name{"seconden", second},
    unit_name{"secondi", second},
    unit_name{"second", second},
    unit_name{"segundos", second},
    unit_name{"segundo", second},
    unit_name{"sekunden", second},
    unit_name{"sekunde", second},
    unit_name{"secs", second},
    unit_name{"sec", second},
    unit_name{"sek", second},
    unit_name{"minutes", minute},
    unit_name{"minuten", minute},
    unit_name{"minutos", minute},
    unit_name{"minuto", minute},
    unit_name{"minuti", minute},
    unit_name{"minute", minute},
    unit_name{"mins", minute},
    unit_name{"min", minute},
    unit_name{"hours", hour},
    unit_name{"hour", hour},
    unit_name{"heures", hour},
    unit_name{"heure", hour},
    unit_name{"horas", hour},
    unit_name{"hora", hour},
    unit_name{"stunden", hour},
    unit_name{"stunde", hour},
    unit_name{"std", hour},
    unit_name{"uren", hour},
    unit_name{"uur", hour},
    unit_name{"ore", hour},
    unit_name{"hrs", hour},
    unit_name{"hr", hour},
    unit_name{"weeks", week},
    unit_name{"week", week},
    unit_name{"wochen", week},
    unit_name{"woche", week},
    unit_name{"semaines", week},
    unit_name{"semaine", week},
    unit_name{"semanas", week},
    unit_name{"semana", week},
    unit_name{"days", day},
    unit_name{"day", day},
    unit_name{"tagen", day},
    unit_name{"tage", day},
    unit_name{"tag", day},
    unit_name{"jours", day},
    unit_name{"jour", day},
    unit_name{"días", day},
    unit_name{"día", day},
    unit_name{"dias", day},
    unit_name{"dia", day},
    unit_name{"giorni", day},
    unit_name{"giorno", day},
    unit_name{"dagen", day},
    unit_name{"dag", day},
    unit_name{"wks", week},
    unit_name{"wk", week},
    unit_name{"секунд", second},
    unit_name{"минут", minute},
    unit_name{"час", hour},
    unit_name{"дней", day},
    unit_name{"дня", day},
    unit_name{"день", day},
    unit_name{"毫秒", 1},
    unit_name{"秒钟", second},
    unit_name{"秒", second},
    unit_name{"分钟", minute},
    unit_name{"分間", minute},
    unit_name{"分", minute},
    unit_name{"个小时", hour},
    unit_name{"小时", hour},
    unit_name{"小時", hour},
    unit_name{"時間", hour},
    unit_name{"天", day},
    unit_name{"日間", day},
    unit_name{"周", week},
    unit_name{"초", second},
    unit_name{"분", minute},
    unit_name{"시간", hour},
    unit_name{"일", day},
    unit_name{"s", second},
    unit_name{"m", minute},
    unit_name{"h", hour},
    unit_name{"d", day},
    unit_name{"w", week},
};

struct unit_mention {
  double milliseconds = 0;
  std::size_t end = 0;
};

/// The unit at `at`. A letter may not follow, a digit may: "3h47m".
std::optional<unit_mention> unit_at(std::string_view lower, std::size_t at) {
  for (const auto& [name, milliseconds] : unit_names) {
    if (!starts_at(lower, at, name)) {
      continue;
    }
    const auto end = at + name.size();
    const bool plain = is_letter(name.front()) && is_letter(name.back());
    if (!plain || end >= lower.size() || (!is_letter(lower[end]) && lower[end] != '_')) {
      return unit_mention{milliseconds, end};
    }
  }
  return std::nullopt;
}

/// Skips what may stand between two parts of a length: ", ", " and ", " und ", " et ".
std::size_t skip_joint(std::string_view lower, std::size_t at) {
  at = skip_blanks(lower, at);
  if (at < lower.size() && lower[at] == ',') {
    at = skip_blanks(lower, at + 1);
  }
  for (const std::string_view word : {"and ", "und ", "et ", "y ", "e ", "en "}) {
    if (starts_at(lower, at, word)) {
      return skip_blanks(lower, at + word.size());
    }
  }
  return at;
}

/// `PT1H30M`, `P1DT2H`.
std::optional<duration_mention> iso_duration_at(std::string_view lower, std::size_t at) {
  if (at + 2 >= lower.size() || lower[at] != 'p'
      || (lower[at + 1] != 't' && !is_digit(lower[at + 1]))) {
    return std::nullopt;
  }
  ++at;
  bool clock = false;
  double total = 0;
  bool any = false;
  while (at < lower.size()) {
    if (lower[at] == 't' && !clock) {
      clock = true;
      ++at;
      continue;
    }
    const auto number = number_at(lower, at);
    if (!number || number->end >= lower.size()) {
      break;
    }
    const char letter = lower[number->end];
    double unit = 0;
    if (!clock && (letter == 'd' || letter == 'w')) {
      unit = letter == 'd' ? day : week;
    } else if (clock && (letter == 'h' || letter == 'm' || letter == 's')) {
      unit = letter == 'h' ? hour : letter == 'm' ? minute : second;
    } else {
      return std::nullopt;
    }
    total += number->value * unit;
    any = true;
    at = number->end + 1;
  }
  const auto length = length_of(total, 1);
  if (!any || !length || (at < lower.size() && is_word(lower[at]))) {
    return std::nullopt;
  }
  return duration_mention{*length, at};
}

} // namespace

std::optional<number_mention> number_at(std::string_view lower, std::size_t at) {
  const auto from = at;
  number_mention found;
  while (at < lower.size() && is_digit(lower[at])) {
    if (at - from > 15) {
      return std::nullopt;
    }
    found.value = found.value * 10 + (lower[at++] - '0');
  }
  if (at == from) {
    return std::nullopt;
  }
  const auto digits_after = [&](std::size_t position) {
    std::size_t count = 0;
    while (position + count < lower.size() && is_digit(lower[position + count])) {
      ++count;
    }
    return count;
  };
  while (at < lower.size() && lower[at] == ',' && digits_after(at + 1) == 3 && at - from <= 3) {
    for (++at; at < lower.size() && is_digit(lower[at]); ++at) {
      found.value = found.value * 10 + (lower[at] - '0');
    }
  }
  if (at < lower.size() && (lower[at] == '.' || lower[at] == ',') && digits_after(at + 1) > 0) {
    found.fraction = true;
    double place = 0.1;
    for (++at; at < lower.size() && is_digit(lower[at]); ++at) {
      found.value += place * (lower[at] - '0');
      place /= 10;
    }
  }
  found.end = at;
  return found;
}

std::optional<std::chrono::milliseconds> length_of(double count, double unit) {
  const double total = count * unit;
  const auto most = static_cast<double>(std::chrono::milliseconds{longest_length}.count());
  if (!(total >= 0) || total > most) {
    return std::nullopt;
  }
  return std::chrono::milliseconds{std::llround(total)};
}

std::optional<duration_mention> duration_at(std::string_view lower, std::size_t at) {
  if (at >= lower.size()) {
    return std::nullopt;
  }
  if (lower[at] == 'p') {
    return iso_duration_at(lower, at);
  }
  double total = 0;
  double last_unit = 0;
  std::size_t end = 0;
  while (at < lower.size()) {
    const auto number = number_at(lower, at);
    if (!number) {
      break;
    }
    const auto unit = unit_at(lower, skip_blanks(lower, number->end));
    if (!unit || (last_unit > 0 && unit->milliseconds >= last_unit)) {
      break;
    }
    total += number->value * unit->milliseconds;
    last_unit = unit->milliseconds;
    end = unit->end;
    // "2 min. 5 s": the full stop of an abbreviation.
    at = end < lower.size() && lower[end] == '.' && skip_blanks(lower, end + 1) > end + 1 ? end + 1
                                                                                          : end;
    at = skip_joint(lower, at);
  }
  const auto length = length_of(total, 1);
  if (end == 0 || !length) {
    return std::nullopt;
  }
  return duration_mention{*length, end};
}

std::optional<duration_mention> stopwatch_at(std::string_view lower, std::size_t at) {
  // "2.03:14:22": days before the clock, as .NET prints them.
  int days = 0;
  const auto point = lower.find_first_not_of("0123456789", at);
  if (point != std::string_view::npos && point > at && point - at <= 3 && lower[point] == '.'
      && starts_at(lower, point + 3, ":") && starts_at(lower, point + 6, ":")) {
    for (; at < point; ++at) {
      days = days * 10 + (lower[at] - '0');
    }
    ++at;
  }
  std::array<int, 3> parts{};
  std::array<std::size_t, 3> widths{};
  for (std::size_t index = 0; index < parts.size(); ++index) {
    if (index > 0) {
      if (at >= lower.size() || lower[at] != ':') {
        break;
      }
      ++at;
    }
    while (at < lower.size() && is_digit(lower[at]) && widths[index] < 4) {
      parts[index] = parts[index] * 10 + (lower[at++] - '0');
      ++widths[index];
    }
  }
  if (widths[0] > 0 && widths[0] <= 3 && widths[1] == 2 && widths[2] == 0 && parts[1] <= 59) {
    // "2:30 minutes", "1:30 h": the unit is that of the first part.
    const auto unit = unit_at(lower, skip_blanks(lower, at));
    if (!unit || (unit->milliseconds != minute && unit->milliseconds != hour)) {
      return std::nullopt;
    }
    const auto length = length_of(parts[0] + parts[1] / 60.0, unit->milliseconds);
    return length ? std::optional{duration_mention{*length, unit->end}} : std::nullopt;
  }
  if (widths[0] == 0 || widths[0] > 3 || widths[1] != 2 || widths[2] != 2 || parts[1] > 59
      || parts[2] > 59) {
    return std::nullopt;
  }
  double fraction = 0;
  if (at + 1 < lower.size() && lower[at] == '.' && is_digit(lower[at + 1])) {
    double place = 0.1;
    for (++at; at < lower.size() && is_digit(lower[at]); ++at, place /= 10) {
      fraction += place * (lower[at] - '0');
    }
  }
  const auto length = length_of(
      days * day + parts[0] * hour + parts[1] * minute + (parts[2] + fraction) * second, 1);
  if (!length) {
    return std::nullopt;
  }
  return duration_mention{*length, at};
}

std::optional<std::chrono::milliseconds> length_value(std::string_view lower) {
  while (!lower.empty() && lower.back() == ' ') {
    lower.remove_suffix(1);
  }
  lower = tail(lower, skip_blanks(lower, 0));
  if (const auto length = duration_at(lower, 0); length && length->end == lower.size()) {
    return length->length;
  }
  if (const auto length = stopwatch_at(lower, 0); length && length->end == lower.size()) {
    return length->length;
  }
  const auto number = number_at(lower, 0);
  if (number && number->end == lower.size()) {
    return length_of(number->value, second);
  }
  return std::nullopt;
}

} // namespace resilient::goal
