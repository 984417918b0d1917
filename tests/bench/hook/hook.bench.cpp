// What a hook costs: CPU and memory of one process of `canon hook`, beside `node -e 0`, in one run
// on one machine.
//
//   bench_hook PATH_OF_CANON [PATH_OF_NODE]
//
// Ends with 1 when a figure misses its limit. Use a release build.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct cost {
  double milliseconds = 0; ///< of CPU, user and system, the median
  double megabytes = 0;    ///< most memory at once, of all runs
};

struct command {
  std::vector<std::string> words;
  fs::path folder; ///< in which it runs
  fs::path input;  ///< a file
};

/// One process to its end; what the kernel accounts to it.
rusage run(const command& what, const fs::path& home) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int input = ::open(what.input.c_str(), O_RDONLY);
    const int output = ::open("/dev/null", O_WRONLY);
    if (input < 0 || output < 0 || ::dup2(input, 0) < 0 || ::dup2(output, 1) < 0
        || ::chdir(what.folder.c_str()) != 0) {
      ::_exit(126);
    }
    ::setenv("HOME", home.c_str(), 1);
    for (const char* name : {"PLUGIN_DATA", "CLAUDE_PLUGIN_DATA", "CLAUDE_PROJECT_DIR",
                             "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "CANON_ROOT", "CANON_MOUNTS"}) {
      ::unsetenv(name);
    }
    std::vector<char*> arguments;
    for (const std::string& word : what.words) {
      arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    ::execvp(arguments.front(), arguments.data());
    ::_exit(127);
  }
  int status = 0;
  rusage used{};
  if (child < 0 || ::wait4(child, &status, 0, &used) != child || !WIFEXITED(status)
      || WEXITSTATUS(status) != 0) {
    fmt::print(stderr, "{} could not be run.\n", what.words.front());
    std::exit(2);
  }
  return used;
}

double milliseconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

/// `before_each` prepares a run and is not measured.
template <class BeforeEach>
cost measure(const command& what, const fs::path& home, int runs, BeforeEach before_each) {
  std::vector<double> times;
  cost found;
  for (int count = 0; count < runs; ++count) {
    before_each();
    const rusage used = run(what, home);
    times.push_back(milliseconds_of(used.ru_utime) + milliseconds_of(used.ru_stime));
    found.megabytes = std::max(found.megabytes, static_cast<double>(used.ru_maxrss) / 1024.0);
  }
  std::sort(times.begin(), times.end());
  found.milliseconds = times[times.size() / 2];
  return found;
}

void put(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream{path} << text;
}

std::string asset(int number) {
  return fmt::format("area{}/part{}/item{}", number % 23, number % 29, number);
}

void make_project(const fs::path& project, int articles) {
  fs::create_directories(project);
  std::string body;
  for (int line = 0; line < 20; ++line) {
    body += "The order is defaults, then the file, then the environment; this never changes.\n";
  }
  for (int number = 0; number < articles; ++number) {
    put(project / (asset(number) + ".ts"), "export {};\n");
    put(project / ".canon/articles" / (asset(number) + ".md"),
        fmt::format("---\ncapsule: What is true of item {}.\nupdated: 2026-11-30\n---\n{}", number,
                    body));
  }
}

std::string event(const fs::path& project, const std::string& name) {
  return fmt::format(R"({{"session_id":"s","cwd":"{0}","hook_event_name":"{1}","source":"startup",)"
                     R"("tool_name":"Bash","tool_input":{{"command":"cat {2}.ts && sed -i s/a/b/ )"
                     R"({3}.ts | head -20"}},"tool_response":"export {{}};"}})",
                     project.string(), name, asset(3), asset(4));
}

} // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 2) {
    fmt::print(stderr, "Give the path of the program canon (a release build).\n");
    return 64;
  }
  const std::string canon = fs::absolute(arguments[1]);
  const std::string node = argument_count > 2 ? arguments[2] : "node";
  std::array<char, 32> name{"/tmp/bench-hook-XXXXXX"};
  if (::mkdtemp(name.data()) == nullptr) {
    fmt::print(stderr, "No temporary folder could be made.\n");
    return 2;
  }
  const fs::path root{name.data()};
  const fs::path home = root / "home";
  fs::create_directories(home);
  constexpr int runs = 41;
  constexpr double most_milliseconds = 5.0;
  constexpr double most_megabytes = 10.0;
  constexpr double most_ratio = 0.2;

  put(root / "empty", "");
  const auto nothing = [] {};
  const cost base = measure({{node, "-e", "0"}, root, root / "empty"}, home, runs, nothing);
  fmt::print("{:<34}{:>8.2f} ms CPU {:>6.1f} MB\n", "node -e 0", base.milliseconds, base.megabytes);
  bool is_good = true;
  const auto report = [&](const std::string& what, const cost& found) {
    const double ratio = found.milliseconds / base.milliseconds;
    const bool fits = found.milliseconds < most_milliseconds && found.megabytes < most_megabytes
                      && ratio < most_ratio;
    is_good = is_good && fits;
    fmt::print("{:<34}{:>8.2f} ms CPU {:>6.1f} MB  ratio {:.3f}{}\n", what, found.milliseconds,
               found.megabytes, ratio, fits ? "" : "  MISSED");
  };
  for (const int articles : {0, 1, 100, 10000}) {
    const fs::path project = root / fmt::format("project{}", articles);
    make_project(project, articles);
    const fs::path touch = root / fmt::format("touch{}.json", articles);
    const fs::path start = root / fmt::format("start{}.json", articles);
    put(touch, event(project, "PostToolUse"));
    put(start, event(project, "SessionStart"));
    const command hook{{canon, "hook", "codex"}, project, touch};
    const auto fresh = [&] { fs::remove_all(home / ".cache"); };
    if (articles == 0) {
      report("inert, without a store", measure(hook, home, runs, fresh));
      continue;
    }
    const std::string where = fmt::format("{} article{}", articles, articles == 1 ? "" : "s");
    report("a session starts, " + where, measure({hook.words, project, start}, home, runs, fresh));
    report("a first touch, " + where, measure(hook, home, runs, fresh));
    report("a touch of what is known, " + where, measure(hook, home, runs, nothing));
  }
  fs::remove_all(root);
  return is_good ? 0 : 1;
}
