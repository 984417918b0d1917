#include "launcher/child/process_table.hpp"

#include "core/support/descriptor.hpp"
#include "launcher/child/recorded_walk.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <memory>

namespace resilient::launcher {

namespace {

/// Files below /proc have no size and are read to their end.
std::optional<std::string> read_proc(const std::string& path) {
  const descriptor opened{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!opened) {
    return std::nullopt;
  }
  constexpr std::size_t longest = 4U << 20U;
  std::string text;
  char buffer[4096];
  while (text.size() < longest) {
    const ssize_t count = ::read(opened.get(), buffer, sizeof buffer);
    if (count < 0) {
      // The process ended while its file was read.
      return std::nullopt;
    }
    if (count == 0) {
      break;
    }
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

template <class Number>
std::optional<Number> to_number(std::string_view text) {
  Number value{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size() || text.empty()) {
    return std::nullopt;
  }
  return value;
}

std::vector<std::string_view> split_blanks(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t from = text.find_first_not_of(" \n\t");
    if (from == std::string_view::npos) {
      break;
    }
    text.remove_prefix(from);
    const std::size_t length = std::min(text.find_first_of(" \n\t"), text.size());
    parts.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return parts;
}

#ifdef __linux__
/// The children that the kernel lists for each thread of a process; nothing where it keeps no such
/// lists.
std::optional<std::vector<pid_t>> children_of(pid_t pid) {
  const std::string tasks = fmt::format("/proc/{}/task", pid);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder{::opendir(tasks.c_str()), ::closedir};
  if (!folder) {
    return std::vector<pid_t>{};
  }
  std::vector<pid_t> children;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_name[0] == '.') {
      continue;
    }
    const auto text = read_proc(fmt::format("{}/{}/children", tasks, entry->d_name));
    if (!text) {
      if (::access(fmt::format("/proc/{}/task/{}/children", ::getpid(), ::getpid()).c_str(), R_OK)
          != 0) {
        return std::nullopt;
      }
      continue;
    }
    for (const std::string_view part : split_blanks(*text)) {
      if (const auto child = to_number<pid_t>(part)) {
        children.push_back(*child);
      }
    }
  }
  return children;
}

#else
/// What `ps` says of every process, or of one.
std::vector<process_entry> ask_ps(const std::string& words) {
  const std::string command = "TZ=UTC LC_ALL=C ps " + words;
  const std::unique_ptr<FILE, int (*)(FILE*)> output{::popen(command.c_str(), "r"), ::pclose};
  std::string text;
  char buffer[4096];
  while (output) {
    const std::size_t count = std::fread(buffer, 1, sizeof buffer, output.get());
    if (count == 0) {
      break;
    }
    text.append(buffer, count);
  }
  return parse_process_list(text);
}
#endif

} // namespace

std::optional<process_entry> parse_process_stat(std::string_view text) {
  // The name stands in parentheses and may hold any byte, parentheses and blanks included.
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open
      || open < 2) {
    return std::nullopt;
  }
  const auto pid = to_number<pid_t>(text.substr(0, open - 1));
  const auto fields = split_blanks(text.substr(close + 1));
  // Counted from the state, which is the third field of the line.
  constexpr std::size_t parent_field = 1;
  constexpr std::size_t start_time_field = 19;
  if (!pid || fields.size() <= start_time_field || fields[0].size() != 1) {
    return std::nullopt;
  }
  const auto parent = to_number<pid_t>(fields[parent_field]);
  const auto start_time = to_number<std::uint64_t>(fields[start_time_field]);
  if (!parent || !start_time) {
    return std::nullopt;
  }
  return process_entry{*pid, *parent, fields[0][0],
                       std::string{text.substr(open + 1, close - open - 1)}, *start_time};
}

std::optional<process_entry> find_process(pid_t pid) {
  if (pid <= 0) {
    return std::nullopt;
  }
#ifdef __linux__
  const auto text = read_proc(fmt::format("/proc/{}/stat", pid));
  return text ? parse_process_stat(*text) : std::nullopt;
#else
  auto found = ask_ps(fmt::format("-p {} -o {}", pid, ps_columns));
  return found.empty() ? std::nullopt : std::optional{std::move(found.front())};
#endif
}

std::vector<process_entry> list_processes() {
#ifndef __linux__
  return ask_ps(fmt::format("-axo {}", ps_columns));
#else
  std::vector<process_entry> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder{::opendir("/proc"), ::closedir};
  while (folder) {
    const dirent* entry = ::readdir(folder.get());
    if (entry == nullptr) {
      break;
    }
    if (const auto pid = to_number<pid_t>(entry->d_name)) {
      if (auto each = find_process(*pid)) {
        found.push_back(std::move(*each));
      }
    }
  }
  return found;
#endif
}

std::vector<process_entry> list_descendants(pid_t ancestor) {
#ifndef __linux__
  return descendants_in(list_processes(), ancestor);
#else
  std::vector<process_entry> found;
  std::vector<pid_t> parents{ancestor};
  while (!parents.empty()) {
    const auto children = children_of(parents.back());
    if (!children) {
      return descendants_in(list_processes(), ancestor);
    }
    parents.pop_back();
    for (const pid_t child : *children) {
      if (auto each = find_process(child)) {
        found.push_back(std::move(*each));
        parents.push_back(child);
      }
    }
  }
  return found;
#endif
}

std::optional<std::string> process_variable(pid_t pid, std::string_view name) {
  const auto text = read_proc(fmt::format("/proc/{}/environ", pid));
  if (!text) {
    return std::nullopt;
  }
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::size_t length = std::min(rest.find('\0'), rest.size());
    const std::string_view variable = rest.substr(0, length);
    if (variable.size() > name.size() && variable.substr(0, name.size()) == name
        && variable[name.size()] == '=') {
      return std::string{variable.substr(name.size() + 1)};
    }
    rest.remove_prefix(std::min(length + 1, rest.size()));
  }
  return std::nullopt;
}

pid_t tracer_of(pid_t pid) {
  const auto text = read_proc(fmt::format("/proc/{}/status", pid));
  if (!text) {
    return 0;
  }
  static constexpr std::string_view label = "\nTracerPid:";
  const std::size_t at = text->find(label);
  if (at == std::string::npos) {
    return 0;
  }
  const std::size_t from = at + label.size();
  const auto fields =
      split_blanks(std::string_view{*text}.substr(from, text->find('\n', from) - from));
  return fields.empty() ? 0 : to_number<pid_t>(fields[0]).value_or(0);
}

} // namespace resilient::launcher
