#include "launcher/child/recorded_walk.hpp"

#include "core/support/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <iterator>
#include <optional>
#include <set>
#include <string>

namespace resilient::launcher {

namespace {

/// Takes the next word off a line.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::size_t length = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view word = line.substr(0, length);
  line.remove_prefix(length);
  return word;
}

template <class Number>
std::optional<Number> number_in(std::string_view word) {
  Number value{};
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed != std::errc{} || end != word.data() + word.size()) {
    return std::nullopt;
  }
  return value;
}

/// "Mon Nov 30 22:15:00 2026", as seconds.
std::optional<std::uint64_t> start_time_in(std::string_view& line) {
  static constexpr std::array<std::string_view, 12> months{
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  next_word(line);
  const auto* const month = std::find(months.begin(), months.end(), next_word(line));
  const auto day = number_in<int>(next_word(line));
  const std::string_view clock = next_word(line);
  const auto year = number_in<int>(next_word(line));
  if (month == months.end() || !day || !year || clock.size() != 8) {
    return std::nullopt;
  }
  const auto hour = number_in<int>(clock.substr(0, 2));
  const auto minute = number_in<int>(clock.substr(3, 2));
  const auto second = number_in<int>(clock.substr(6, 2));
  if (!hour || !minute || !second) {
    return std::nullopt;
  }
  std::tm calendar{};
  calendar.tm_year = *year - 1900;
  calendar.tm_mon = static_cast<int>(std::distance(months.begin(), month));
  calendar.tm_mday = *day;
  calendar.tm_hour = *hour;
  calendar.tm_min = *minute;
  calendar.tm_sec = *second;
  return static_cast<std::uint64_t>(::timegm(&calendar));
}

} // namespace

std::vector<process_entry> parse_process_list(std::string_view text) {
  std::vector<process_entry> found;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    const auto pid = number_in<pid_t>(next_word(line));
    const auto parent = number_in<pid_t>(next_word(line));
    const std::string_view state = next_word(line);
    const auto start_time = start_time_in(line);
    if (!pid || !parent || state.empty() || !start_time) {
      continue;
    }
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    // Some systems show the path of the program.
    const std::string_view name = line.substr(line.rfind('/') + 1);
    found.push_back({*pid, *parent, state.front(), std::string{name}, *start_time});
  }
  return found;
}

std::vector<process_entry> descendants_in(const std::vector<process_entry>& all, pid_t ancestor) {
  std::multimap<pid_t, const process_entry*> by_parent;
  for (const process_entry& each : all) {
    by_parent.emplace(each.parent, &each);
  }
  std::vector<process_entry> found;
  std::vector<pid_t> parents{ancestor};
  while (!parents.empty()) {
    const auto [from, to] = by_parent.equal_range(parents.back());
    parents.pop_back();
    for (auto each = from; each != to; ++each) {
      parents.push_back(each->second->pid);
      found.push_back(*each->second);
    }
    by_parent.erase(from, to);
  }
  return found;
}

void recorded_walk::look(const std::vector<process_entry>& all, pid_t ancestor) {
  const std::vector<process_entry> before = left_in(all);
  seen_.clear();
  for (const process_entry& each : before) {
    seen_.emplace(each.pid, each.start_time);
  }
  for (const process_entry& each : descendants_in(all, ancestor)) {
    seen_.emplace(each.pid, each.start_time);
  }
}

std::vector<process_entry> recorded_walk::left_in(const std::vector<process_entry>& all) const {
  std::map<pid_t, process_entry> found;
  for (const process_entry& each : all) {
    const auto seen = seen_.find(each.pid);
    if (seen == seen_.end() || seen->second != each.start_time) {
      continue;
    }
    found.emplace(each.pid, each);
    for (const process_entry& below : descendants_in(all, each.pid)) {
      found.emplace(below.pid, below);
    }
  }
  std::vector<process_entry> left;
  left.reserve(found.size());
  for (auto& [pid, entry] : found) {
    left.push_back(std::move(entry));
  }
  return left;
}

} // namespace resilient::launcher
