#include "core/goal/time_zones.hpp"

#include "core/goal/plain_text.hpp"

#include <date/tz.h>

#include <array>
#include <exception>
#include <string>

namespace resilient::goal {

namespace {

using kind = zone_mention::kind;

struct alias {
  std::string_view from;
  std::string_view to;
};

/// Names that JavaScript still reports and that a system may have left out of its database.
constexpr std::array old_names = {
    alias{"Asia/Calcutta", "Asia/Kolkata"},
    alias{"Asia/Saigon", "Asia/Ho_Chi_Minh"},
    alias{"Asia/Katmandu", "Asia/Kathmandu"},
    alias{"Asia/Rangoon", "Asia/Yangon"},
    alias{"Asia/Chongqing", "Asia/Shanghai"},
    alias{"Europe/Kiev", "Europe/Kyiv"},
    alias{"America/Buenos_Aires", "America/Argentina/Buenos_Aires"},
    alias{"America/Indianapolis", "America/Indiana/Indianapolis"},
    alias{"America/Godthab", "America/Nuuk"},
    alias{"Atlantic/Faeroe", "Atlantic/Faroe"},
    alias{"US/Pacific", "America/Los_Angeles"},
    alias{"US/Mountain", "America/Denver"},
    alias{"US/Central", "America/Chicago"},
    alias{"US/Eastern", "America/New_York"},
    alias{"PRC", "Asia/Shanghai"},
};

struct abbreviation {
  std::string_view text;
  int minutes; ///< distance from UTC
};

constexpr std::array offsets = {
    abbreviation{"utc", 0},        abbreviation{"gmt", 0},        abbreviation{"z", 0},
    abbreviation{"pst", -8 * 60},  abbreviation{"pdt", -7 * 60},  abbreviation{"mst", -7 * 60},
    abbreviation{"mdt", -6 * 60},  abbreviation{"cdt", -5 * 60},  abbreviation{"est", -5 * 60},
    abbreviation{"edt", -4 * 60},  abbreviation{"akst", -9 * 60}, abbreviation{"akdt", -8 * 60},
    abbreviation{"hst", -10 * 60}, abbreviation{"brt", -3 * 60},  abbreviation{"wet", 0},
    abbreviation{"west", 60},      abbreviation{"cet", 60},       abbreviation{"cest", 2 * 60},
    abbreviation{"mez", 60},       abbreviation{"mesz", 2 * 60},  abbreviation{"eet", 2 * 60},
    abbreviation{"eest", 3 * 60},  abbreviation{"msk", 3 * 60},   abbreviation{"sgt", 8 * 60},
    abbreviation{"hkt", 8 * 60},   abbreviation{"jst", 9 * 60},   abbreviation{"kst", 9 * 60},
    abbreviation{"aest", 10 * 60}, abbreviation{"aedt", 11 * 60}, abbreviation{"nzst", 12 * 60},
    abbreviation{"nzdt", 13 * 60},
};

/// Words for zones whose distance from UTC changes over the year. Longer ones come first.
constexpr std::array spoken_names = {
    alias{"pacific standard time", "America/Los_Angeles"},
    alias{"pacific daylight time", "America/Los_Angeles"},
    alias{"pacific time", "America/Los_Angeles"},
    alias{"pacific", "America/Los_Angeles"},
    alias{"mountain time", "America/Denver"},
    alias{"central time", "America/Chicago"},
    alias{"eastern standard time", "America/New_York"},
    alias{"eastern daylight time", "America/New_York"},
    alias{"eastern time", "America/New_York"},
    alias{"eastern", "America/New_York"},
    alias{"beijing time", "Asia/Shanghai"},
    alias{"beijing", "Asia/Shanghai"},
    alias{"china standard time", "Asia/Shanghai"},
    alias{"北京时间", "Asia/Shanghai"},
    alias{"japan standard time", "Asia/Tokyo"},
    alias{"central european standard time", "Europe/Berlin"},
    alias{"central european summer time", "Europe/Berlin"},
    alias{"central european time", "Europe/Berlin"},
    alias{"coordinated universal time", "Etc/UTC"},
    alias{"greenwich mean time", "Etc/UTC"},
    alias{"pt", "America/Los_Angeles"},
    alias{"mt", "America/Denver"},
    alias{"ct", "America/Chicago"},
    alias{"et", "America/New_York"},
};

constexpr std::array local_words = {
    std::string_view{"your local time"}, std::string_view{"local time"},
    std::string_view{"your time"},       std::string_view{"heure locale"},
    std::string_view{"ortszeit"},        std::string_view{"hora local"},
};

/// Abbreviations of several zones, and words that name none.
constexpr std::array unusable_words = {
    std::string_view{"cst"},         std::string_view{"ist"}, std::string_view{"bst"},
    std::string_view{"server time"}, std::string_view{"ast"},
};

const date::time_zone* find_zone(std::string_view name) {
  for (const auto& [from, to] : old_names) {
    if (name == from) {
      name = to;
      break;
    }
  }
  // The library opens a file of this name: nothing but a zone's name may reach it.
  if (name.empty() || name.size() > 64 || name.front() == '/' || name.find("..") != name.npos) {
    return nullptr;
  }
  try {
    return date::locate_zone(name);
  } catch (const std::exception&) {
    return nullptr;
  }
}

bool word_ends(std::string_view text, std::size_t at) {
  return at >= text.size() || (!is_word(text[at]) && text[at] != '/');
}

bool is_capital(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] >= 'A' && text[at] <= 'Z';
}

/// `+08:00`, `-0700`, `+8`.
std::optional<zone_mention> signed_offset_at(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size() || (text[at] != '+' && text[at] != '-') || !is_digit(text[at + 1])) {
    return std::nullopt;
  }
  const int sign = text[at] == '-' ? -1 : 1;
  std::string digits;
  std::size_t colon = 0;
  for (++at; at < text.size() && digits.size() < 5; ++at) {
    if (is_digit(text[at])) {
      digits += text[at];
    } else if (text[at] == ':' && colon == 0 && at + 1 < text.size() && is_digit(text[at + 1])) {
      colon = digits.size();
    } else {
      break;
    }
  }
  const auto value = [&](std::size_t from, std::size_t count) {
    int number = 0;
    for (const char c : tail(digits, from).substr(0, count)) {
      number = number * 10 + (c - '0');
    }
    return number;
  };
  const std::size_t hour_digits =
      colon != 0 ? colon : (digits.size() <= 2 ? digits.size() : digits.size() - 2);
  const int hours = value(0, hour_digits);
  const int minutes = digits.size() > hour_digits ? value(hour_digits, 2) : 0;
  if (digits.size() > 4 || hours > 14 || minutes > 59) {
    return std::nullopt;
  }
  return zone_mention{kind::offset, std::chrono::minutes{sign * (hours * 60 + minutes)}, {}, at};
}

/// `Europe/Berlin`, also wrapped after the slash.
std::string area_name_at(std::string_view text, std::size_t at, std::size_t& end) {
  std::string name;
  while (at < text.size() && name.size() < 65) {
    const char c = text[at];
    if (is_word(c) || c == '/' || ((c == '+' || c == '-') && !name.empty())) {
      name += c;
      ++at;
    } else if (c == ' ' && !name.empty() && (name.back() == '/' || name.back() == '_')) {
      ++at;
    } else {
      break;
    }
  }
  end = at;
  return name;
}

zone_mention bare_zone_at(std::string_view text, std::size_t at, bool bracketed) {
  const auto lower = lower_ascii(tail(text, at).substr(0, 48));
  const auto starts = [&](std::string_view word) {
    return starts_at(lower, 0, word)
           && (static_cast<unsigned char>(word.back()) >= 0x80 || word_ends(lower, word.size()));
  };
  if (const auto offset = signed_offset_at(text, at)) {
    return *offset;
  }
  for (const std::string_view base : {"utc", "gmt"}) {
    if (starts_at(lower, 0, base)) {
      if (auto offset = signed_offset_at(text, at + base.size())) {
        return *offset;
      }
    }
  }
  for (const auto word : local_words) {
    if (starts(word)) {
      return {kind::local, {}, {}, at + word.size()};
    }
  }
  // "est", "ist" and "et" are words of other languages: abbreviations count in capitals only.
  const bool capitals = is_capital(text, at) && is_capital(text, at + 1);
  for (const auto& [spoken, name] : spoken_names) {
    if (starts(spoken) && (spoken.size() > 2 || capitals)) {
      return {kind::named, {}, std::string{name}, at + spoken.size()};
    }
  }
  for (const auto& [word, minutes] : offsets) {
    if (starts(word) && (capitals || minutes == 0)) {
      return {kind::offset, std::chrono::minutes{minutes}, {}, at + word.size()};
    }
  }
  for (const auto word : unusable_words) {
    if (starts(word) && (capitals || word.size() > 3)) {
      return {kind::unusable, {}, {}, at + word.size()};
    }
  }
  std::size_t end = at;
  const auto name = area_name_at(text, at, end);
  const bool area = name.find('/') != std::string::npos && is_letter(name.front());
  if (area
      || (bracketed && !name.empty() && is_letter(name.front()) && end < text.size()
          && text[end] == ')')) {
    if (zone_exists(name)) {
      return {kind::named, {}, name, end};
    }
    // A word in brackets that is no zone may still be a remark; an Area/City is meant as a zone.
    bool abbreviated = name.size() >= 2 && name.size() <= 5;
    for (std::size_t index = 0; index < name.size(); ++index) {
      abbreviated = abbreviated && is_capital(name, index);
    }
    if (area || abbreviated) {
      return {kind::unusable, {}, {}, end};
    }
  }
  return {kind::none, {}, {}, at};
}

} // namespace

zone_mention zone_at(std::string_view text, std::size_t at) {
  const auto from = at;
  at = skip_blanks(text, at);
  at = skip_blanks(text, at < text.size() && text[at] == ',' ? at + 1 : at);
  const bool bracketed = at < text.size() && (text[at] == '(' || text[at] == '[');
  auto zone = bare_zone_at(text, bracketed ? at + 1 : at, bracketed);
  if (zone.what == kind::none) {
    zone.end = from;
  } else if (bracketed && zone.end < text.size()
             && (text[zone.end] == ')' || text[zone.end] == ']')) {
    ++zone.end;
  }
  return zone;
}

bool zone_exists(std::string_view name) {
  return find_zone(name) != nullptr;
}

zone_instants instants_in_zone(date::local_time<std::chrono::milliseconds> local,
                               const zone_mention& zone) {
  if (zone.what == kind::offset) {
    return {wall_time{local.time_since_epoch() - zone.offset}, std::nullopt};
  }
  const auto* known = zone.what == kind::named ? find_zone(zone.name) : nullptr;
  if (known == nullptr) {
    return {};
  }
  try {
    const auto info = known->get_info(local);
    const wall_time first{local.time_since_epoch() - info.first.offset};
    if (info.result == date::local_info::ambiguous) {
      return {first, wall_time{local.time_since_epoch() - info.second.offset}};
    }
    return {first, std::nullopt};
  } catch (const std::exception&) {
    // A damaged file of the database is as good as none.
    return {};
  }
}

std::optional<date::local_time<std::chrono::milliseconds>> clock_in_zone(wall_time when,
                                                                         const zone_mention& zone) {
  using local_milliseconds = date::local_time<std::chrono::milliseconds>;
  if (zone.what == kind::offset) {
    return local_milliseconds{when.time_since_epoch() + zone.offset};
  }
  const auto* known = zone.what == kind::named ? find_zone(zone.name) : nullptr;
  if (known == nullptr) {
    return std::nullopt;
  }
  try {
    return local_milliseconds{when.time_since_epoch() + known->get_info(when).offset};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

} // namespace resilient::goal
