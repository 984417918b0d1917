#include "core/goal/clock_words.hpp"

#include "core/goal/plain_text.hpp"

#include <array>

namespace resilient::goal {

namespace {

struct named_value {
  std::string_view name;
  int value;
};

// Longer names come before their own beginnings.
constexpr std::array month_names = {
    named_value{"january", 1},    named_value{"janvier", 1},    named_value{"januar", 1},
    named_value{"enero", 1},      named_value{"jan", 1},        named_value{"february", 2},
    named_value{"février", 2},    named_value{"februar", 2},    named_value{"febrero", 2},
    named_value{"feb", 2},        named_value{"march", 3},      named_value{"mars", 3},
    named_value{"märz", 3},       named_value{"marzo", 3},      named_value{"mar", 3},
    named_value{"april", 4},      named_value{"avril", 4},      named_value{"abril", 4},
    named_value{"apr", 4},        named_value{"mai", 5},        named_value{"mayo", 5},
    named_value{"may", 5},        named_value{"june", 6},       named_value{"juni", 6},
    named_value{"juin", 6},       named_value{"junio", 6},      named_value{"jun", 6},
    named_value{"july", 7},       named_value{"juli", 7},       named_value{"juillet", 7},
    named_value{"julio", 7},      named_value{"jul", 7},        named_value{"august", 8},
    named_value{"août", 8},       named_value{"agosto", 8},     named_value{"aug", 8},
    named_value{"september", 9},  named_value{"septembre", 9},  named_value{"septiembre", 9},
    named_value{"sept", 9},       named_value{"sep", 9},        named_value{"october", 10},
    named_value{"octobre", 10},   named_value{"oktober", 10},   named_value{"octubre", 10},
    named_value{"oct", 10},       named_value{"okt", 10},       named_value{"november", 11},
    named_value{"novembre", 11},  named_value{"noviembre", 11}, named_value{"nov", 11},
    named_value{"december", 12},  named_value{"décembre", 12},  named_value{"dezember", 12},
    named_value{"diciembre", 12}, named_value{"dec", 12},       named_value{"dez", 12},
};

constexpr std::array weekday_names = {
    named_value{"sunday", 0},   named_value{"dimanche", 0},   named_value{"sonntag", 0},
    named_value{"sun", 0},      named_value{"monday", 1},     named_value{"lundi", 1},
    named_value{"montag", 1},   named_value{"mon", 1},        named_value{"tuesday", 2},
    named_value{"mardi", 2},    named_value{"dienstag", 2},   named_value{"tues", 2},
    named_value{"tue", 2},      named_value{"wednesday", 3},  named_value{"mercredi", 3},
    named_value{"mittwoch", 3}, named_value{"wed", 3},        named_value{"thursday", 4},
    named_value{"jeudi", 4},    named_value{"donnerstag", 4}, named_value{"thurs", 4},
    named_value{"thu", 4},      named_value{"friday", 5},     named_value{"vendredi", 5},
    named_value{"freitag", 5},  named_value{"fri", 5},        named_value{"saturday", 6},
    named_value{"samedi", 6},   named_value{"samstag", 6},    named_value{"sat", 6},
    named_value{"周日", 0},     named_value{"周一", 1},       named_value{"周二", 2},
    named_value{"周三", 3},     named_value{"周四", 4},       named_value{"周五", 5},
    named_value{"周六", 6},
};

constexpr std::array day_words = {
    named_value{"today", 0},  named_value{"tomorrow", 1}, named_value{"heute", 0},
    named_value{"morgen", 1}, named_value{"demain", 1},   named_value{"aujourd'hui", 0},
    named_value{"mañana", 1}, named_value{"hoy", 0},      named_value{"今天", 0},
    named_value{"明天", 1},   named_value{"今日", 0},     named_value{"明日", 1},
};

template <class Value, std::size_t Count>
std::optional<calendar_word<Value>> word_at(const std::array<named_value, Count>& names,
                                            std::string_view lower, std::size_t at) {
  for (const auto& [name, value] : names) {
    if (starts_at(lower, at, name)) {
      const auto end = at + name.size();
      const bool plain = is_letter(name.back());
      if (!plain || end >= lower.size() || !is_word(lower[end])) {
        return calendar_word<Value>{static_cast<Value>(value), end};
      }
    }
  }
  return std::nullopt;
}

/// Which half of the day a word before or after the hour names.
enum class half : std::uint8_t { unsaid, morning, afternoon };

half chinese_half_at(std::string_view lower, std::size_t& at) {
  for (const auto& [word, value] : {std::pair{std::string_view{"上午"}, half::morning},
                                    {std::string_view{"早上"}, half::morning},
                                    {std::string_view{"凌晨"}, half::morning},
                                    {std::string_view{"下午"}, half::afternoon},
                                    {std::string_view{"晚上"}, half::afternoon},
                                    {std::string_view{"中午"}, half::afternoon},
                                    {std::string_view{"午後"}, half::afternoon},
                                    {std::string_view{"午前"}, half::morning},
                                    {std::string_view{"오전"}, half::morning},
                                    {std::string_view{"오후"}, half::afternoon}}) {
    if (starts_at(lower, at, word)) {
      at = skip_blanks(lower, at + word.size());
      return value;
    }
  }
  return half::unsaid;
}

half english_half_at(std::string_view lower, std::size_t& at) {
  const auto from = skip_blanks(lower, at);
  for (const auto& [word, value] : {std::pair{std::string_view{"a.m."}, half::morning},
                                    {std::string_view{"p.m."}, half::afternoon},
                                    {std::string_view{"am"}, half::morning},
                                    {std::string_view{"pm"}, half::afternoon}}) {
    const auto end = from + word.size();
    if (starts_at(lower, from, word) && (end >= lower.size() || !is_word(lower[end]))) {
      at = end;
      return value;
    }
  }
  return half::unsaid;
}

struct two_digits {
  int value = 0;
  std::size_t width = 0;
  std::size_t end = 0;
};

two_digits digits_at(std::string_view lower, std::size_t at) {
  two_digits found{0, 0, at};
  while (found.end < lower.size() && is_digit(lower[found.end]) && found.width < 3) {
    found.value = found.value * 10 + (lower[found.end++] - '0');
    ++found.width;
  }
  return found;
}

std::optional<clock_mention> word_clock_at(std::string_view lower, std::size_t at) {
  for (const auto& [word, hour] : {std::pair{std::string_view{"midnight"}, 24},
                                   {std::string_view{"noon"}, 12},
                                   {std::string_view{"mitternacht"}, 24},
                                   {std::string_view{"minuit"}, 24},
                                   {std::string_view{"midi"}, 12}}) {
    const auto end = at + word.size();
    if (starts_at(lower, at, word) && (end >= lower.size() || !is_word(lower[end]))) {
      // The next midnight is the one that ends the day.
      return clock_mention{std::chrono::hours{hour == 24 ? 0 : hour}, false, end};
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<calendar_word<unsigned>> month_at(std::string_view lower, std::size_t at) {
  return word_at<unsigned>(month_names, lower, at);
}

std::optional<calendar_word<unsigned>> weekday_at(std::string_view lower, std::size_t at) {
  return word_at<unsigned>(weekday_names, lower, at);
}

std::optional<calendar_word<int>> relative_day_at(std::string_view lower, std::size_t at) {
  return word_at<int>(day_words, lower, at);
}

std::optional<clock_mention> clock_at(std::string_view lower, std::size_t at, bool after_date) {
  if (at >= lower.size()) {
    return std::nullopt;
  }
  if (is_letter(lower[at])) {
    return word_clock_at(lower, at);
  }
  auto part = chinese_half_at(lower, at);
  bool sure = part != half::unsaid;
  const auto hour = digits_at(lower, at);
  if (hour.width == 0 || hour.width > 2) {
    return std::nullopt;
  }
  at = hour.end;
  int minutes = 0;
  int seconds = 0;
  int milliseconds = 0;
  const auto take_two = [&](std::size_t from, int& value) {
    const auto digits = digits_at(lower, from);
    if (digits.width != 2 || digits.value > 59) {
      return false;
    }
    value = digits.value;
    at = digits.end;
    return true;
  };
  if (starts_at(lower, at, ":")) {
    if (!take_two(at + 1, minutes)) {
      return std::nullopt;
    }
    sure = true;
    if (starts_at(lower, at, ":") && take_two(at + 1, seconds) && starts_at(lower, at, ".")
        && at + 1 < lower.size() && is_digit(lower[at + 1])) {
      int place = 100;
      for (++at; at < lower.size() && is_digit(lower[at]); ++at) {
        milliseconds += place * (lower[at] - '0');
        place /= 10;
      }
    }
  } else if (starts_at(lower, at, "点") || starts_at(lower, at, "时")
             || starts_at(lower, at, "時")) {
    at += 3;
    sure = true;
    if (take_two(at, minutes) && starts_at(lower, at, "分")) {
      at += 3;
    }
  } else if (after_date
             && (starts_at(lower, at, "h") || starts_at(lower, skip_blanks(lower, at), "h"))) {
    at = skip_blanks(lower, at) + 1;
    sure = take_two(skip_blanks(lower, at), minutes) || at >= lower.size() || !is_word(lower[at]);
  } else if (starts_at(lower, at, ".") && starts_at(lower, at + 3, " uhr")) {
    sure = take_two(at + 1, minutes);
  }
  bool twelve_hours = false;
  if (part == half::unsaid) {
    part = english_half_at(lower, at);
    twelve_hours = part != half::unsaid;
    sure = sure || twelve_hours;
  }
  const auto after = skip_blanks(lower, at);
  if (starts_at(lower, after, "uhr")) {
    at = after + 3;
    sure = true;
  }
  int hours = hour.value;
  const bool end_of_day = hours == 24 && minutes == 0 && seconds == 0;
  if (!sure || (hours > 23 && !end_of_day) || (at < lower.size() && is_digit(lower[at]))) {
    return std::nullopt;
  }
  if (part == half::morning && hours == 12) {
    hours = 0;
  } else if (part == half::afternoon && hours < 12) {
    hours += 12;
  }
  return clock_mention{std::chrono::hours{hours} + std::chrono::minutes{minutes}
                           + std::chrono::seconds{seconds}
                           + std::chrono::milliseconds{milliseconds},
                       twelve_hours, at};
}

} // namespace resilient::goal
