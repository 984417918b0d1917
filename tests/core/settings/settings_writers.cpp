// Many processes that save into one settings file until a time is over, for the end-to-end test in
// which the real Pi starts and saves among them.
//
//   settings_writers SETTINGS_FILE COUNT SECONDS
//
// Each process saves a member of its own, again and again. Prints, as JSON, what each saved last.
// Ends with 1 when a save failed for any other reason than a file that is in use.

#include "core/settings/settings_save.hpp"
#include "tests/core/settings/tools.hpp"

#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace resilient;
using namespace resilient::settings;

namespace {

struct writer {
  std::string member;
  pid_t process = 0;
  int output = -1; ///< what it saved last comes from here
};

/// In the child: saves until the end, and returns what was saved last.
std::optional<std::string> save_until(wall_time end, const std::string& file,
                                      const std::string& member) {
  posix_files disk;
  const settings_place place{file, {}, false};
  std::string last;
  for (int round = 1; wall_now() < end; ++round) {
    const std::string value = "round " + std::to_string(round);
    const auto done = save_string(disk, place, member, value, real_tools());
    if (done) {
      last = value;
    } else if (done.error().kind != error_kind::busy) {
      std::cerr << member << ": " << done.error().message << '\n';
      return std::nullopt;
    }
  }
  return last;
}

writer start(int number, wall_time end, const std::string& file) {
  writer started{"writer" + std::to_string(number), 0, -1};
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) {
    std::perror("pipe");
    std::exit(1); // NOLINT(concurrency-mt-unsafe)
  }
  started.process = ::fork();
  if (started.process == 0) {
    const auto last = save_until(end, file, started.member);
    const bool told = last && ::write(ends[1], last->data(), last->size()) >= 0;
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  started.output = ends[0];
  return started;
}

std::string output_of(const writer& ended) {
  std::string text;
  std::array<char, 64> buffer{};
  for (ssize_t count = 1; count > 0;) {
    count = ::read(ended.output, buffer.data(), buffer.size());
    text.append(buffer.data(), static_cast<std::size_t>(count > 0 ? count : 0));
  }
  return text;
}

int number_from(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

} // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> given(arguments, arguments + count);
  if (given.size() != 4 || number_from(given[2]) < 1 || number_from(given[3]) < 1) {
    std::cerr << "usage: settings_writers SETTINGS_FILE COUNT SECONDS\n";
    return 64;
  }
  const wall_time end = wall_now() + std::chrono::seconds{number_from(given[3])};
  const int writer_count = number_from(given[2]);
  std::vector<writer> writers;
  writers.reserve(static_cast<std::size_t>(writer_count));
  for (int number = 0; number < writer_count; ++number) {
    writers.push_back(start(number, end, given[1]));
  }
  nlohmann::json saved = nlohmann::json::object();
  bool good = true;
  for (const writer& each : writers) {
    saved[each.member] = output_of(each);
    int status = 0;
    good = ::waitpid(each.process, &status, 0) == each.process && status == 0 && good;
  }
  std::cout << saved.dump() << '\n';
  return good ? 0 : 1;
}
