#pragma once

#include "actors/run.hpp"

#include <caf/scheduler/test_coordinator.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// A whole run under CAF's deterministic scheduler: virtual time, no processes, no sockets. The
/// disk is a temporary folder.
namespace resilient::test {

/// The clocks of the test. All three move together unless a test moves one alone.
class virtual_clocks final : public clocks {
public:
  [[nodiscard]] instant now() const override { return now_; }
  instant now_{monotonic_time{std::chrono::hours{1000}}, boot_time{std::chrono::hours{1001}},
               wall_time{std::chrono::milliseconds{1796040000000}}};
};

class virtual_alarms final : public alarms {
public:
  explicit virtual_alarms(std::shared_ptr<virtual_clocks> time) : time_{std::move(time)} {}

  alarm_id arm(boot_time at, std::function<void()> ring) override {
    boot_[++last_] = {at, std::move(ring)};
    return last_;
  }
  alarm_id arm(wall_time at, std::function<void()> ring) override {
    wall_[++last_] = {at, std::move(ring)};
    return last_;
  }
  void cancel(alarm_id id) override {
    boot_.erase(id);
    wall_.erase(id);
  }

  /// How long until the next alarm is due.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> next() const;
  /// Rings what is due.
  void ring();
  [[nodiscard]] std::size_t armed() const { return boot_.size() + wall_.size(); }

private:
  template <class Time>
  struct armed_alarm {
    Time at;
    std::function<void()> ring;
  };
  std::shared_ptr<virtual_clocks> time_;
  std::map<alarm_id, armed_alarm<boot_time>> boot_;
  std::map<alarm_id, armed_alarm<wall_time>> wall_;
  alarm_id last_ = 0;
};

/// Writes down what the child process manager asks for.
class recording_child_port final : public child_port {
public:
  void spawn(spawn_request request) override {
    started_too_early = started_too_early || stopped < stopped_marks.size() + stopped_pids.size();
    spawns.push_back(std::move(request));
  }
  void signal(pid_t pid, int number) override { signals.emplace_back(pid, number); }
  void restore_terminal() override { ++terminal_restored; }
  void write_newline() override { ++newlines; }
  void show_waiting_line(std::string line, bool) override { waiting_line = std::move(line); }
  void say(std::string line) override { said += line + "\n"; }
  void show_end_of(std::string path, std::size_t) override { shown_files.push_back(path); }
  [[nodiscard]] bool is_traced(pid_t) const override { return traced; }
  void stop_leftovers(std::string mark, pid_t spare) override {
    (spare > 0 ? marks_beside_child : stopped_marks).push_back(mark);
  }
  void stop_process(pid_t pid, std::uint64_t) override { stopped_pids.push_back(pid); }
  void finish(int code) override { exit_codes.push_back(code); }

  std::vector<spawn_request> spawns;
  std::vector<std::pair<pid_t, int>> signals;
  int terminal_restored = 0;
  int newlines = 0;
  std::string waiting_line;
  std::string said;
  std::vector<std::string> shown_files;
  std::vector<std::string> stopped_marks;
  std::vector<std::string> marks_beside_child;
  std::vector<pid_t> stopped_pids;
  std::size_t stopped = 0; ///< how many of both were reported as stopped
  bool started_too_early = false;
  std::vector<int> exit_codes;
  bool traced = false;
};

/// Writes down which commands are to be run; tests say how they ended.
class recording_command_port final : public command_port {
public:
  void run(command_request request, std::function<void(command_result)> done) override {
    runs.push_back({std::move(request), std::move(done)});
  }

  struct asked {
    command_request request;
    std::function<void(command_result)> done;
  };
  std::vector<asked> runs;
};

/// Counts what keeps the machine awake; tests let it end.
class recording_sleep_port final : public sleep_port {
public:
  void keep_awake(std::function<void(std::string)> ended) override {
    ++taken;
    held = std::move(ended);
  }
  void let_sleep() override {
    ++let_go;
    held = nullptr;
  }

  int taken = 0;
  int let_go = 0;
  std::function<void(std::string)> held;
};

/// Writes down what is asked of a program; tests answer.
class recording_line_program_port final : public line_program_port {
public:
  void ask(line_question question, std::function<void(line_answer)> done) override {
    asked.push_back({std::move(question), std::move(done)});
  }
  void end() override { ++ended; }

  struct open {
    line_question question;
    std::function<void(line_answer)> done;
  };
  std::vector<open> asked;
  int ended = 0;
};

class recording_bridge_port final : public bridge_port {
public:
  void write(connection_id connection, std::string line) override {
    written[connection].push_back(nlohmann::json::parse(line, nullptr, false));
  }
  void close(connection_id connection) override { closed.push_back(connection); }

  std::map<connection_id, std::vector<nlohmann::json>> written;
  std::vector<connection_id> closed;
};

class counting_entropy final : public entropy {
public:
  std::uint64_t number() override { return ++count_; }
  std::string hex(std::size_t bytes) override {
    std::string digits(bytes * 2, '0');
    digits.back() = static_cast<char>('a' + (++count_ % 6));
    digits.front() = static_cast<char>('0' + (count_ % 10));
    return digits;
  }

private:
  std::uint64_t count_ = 0;
};

class virtual_run {
public:
  explicit virtual_run(process::run_mode mode = process::run_mode::terminal,
                       bool supervised = true);
  virtual_run(const virtual_run&) = delete;
  virtual_run& operator=(const virtual_run&) = delete;
  ~virtual_run();

  /// Runs until no message is in flight. The clock stands still. What the child port was asked to
  /// stop is reported as stopped.
  void settle();
  /// Lets time pass on an awake machine, timer by timer.
  void advance(std::chrono::nanoseconds length);

  /// The machine sleeps for a while and wakes up.
  void sleep(std::chrono::nanoseconds length);

  /// Begins the run; whether a first child was asked for.
  bool begin();
  /// Begins the run and executes the first child.
  void start();
  /// Executes the child that was asked for last.
  void execute(int pid);
  /// The child ends.
  void end(const process::exit_status& status, const std::string& last_words = {});

  /// Connects an extension, which says hello with the secret of the current child.
  connection_id connect(const nlohmann::json& changes = nlohmann::json::object());
  /// Sends one frame; returns the frames that came back.
  std::vector<nlohmann::json> send(connection_id connection, nlohmann::json frame);
  void send_line(connection_id connection, std::string line);
  void beat();
  /// Lets time pass with a beat every five seconds.
  void live(std::chrono::nanoseconds length);

  [[nodiscard]] std::string environment(const std::string& name) const;
  [[nodiscard]] const std::vector<nlohmann::json>& written(connection_id connection) const;
  /// The reply to the last hello.
  [[nodiscard]] nlohmann::json welcome() const;
  /// The directives of a type that a connection was given.
  [[nodiscard]] std::vector<nlohmann::json> directives(connection_id connection,
                                                       const std::string& type) const;
  /// Texts of all continuations, sent by reply or by directive.
  [[nodiscard]] std::vector<std::string> continuations() const;
  [[nodiscard]] nlohmann::json file(const std::string& name) const;
  [[nodiscard]] std::string events() const;
  /// How many timers the actors have running.
  [[nodiscard]] std::size_t timers() const;
  [[nodiscard]] bool ended() const { return !child->exit_codes.empty(); }

  std::filesystem::path folder;
  std::shared_ptr<virtual_clocks> time = std::make_shared<virtual_clocks>();
  std::size_t wakeups = 0; ///< how often a timer of any kind has ended a sleep
  std::shared_ptr<virtual_alarms> alarms = std::make_shared<virtual_alarms>(time);
  std::shared_ptr<recording_child_port> child = std::make_shared<recording_child_port>();
  std::shared_ptr<recording_bridge_port> bridge = std::make_shared<recording_bridge_port>();
  std::shared_ptr<recording_command_port> commands = std::make_shared<recording_command_port>();
  std::shared_ptr<recording_sleep_port> sleep_port = std::make_shared<recording_sleep_port>();
  std::shared_ptr<recording_line_program_port> retriever =
      std::make_shared<recording_line_program_port>();
  std::shared_ptr<counting_entropy> random = std::make_shared<counting_entropy>();
  /// Set before `start` to let handlers throw.
  std::function<void(const char* actor, const std::type_info& message)> before_message;
  run_options options;
  std::shared_ptr<const peer_handles> peers;
  int pid = 0;
  connection_id connection = 0;

private:
  void spawn();

  caf::actor_system_config config_;
  std::unique_ptr<caf::actor_system> system_;
  caf::scheduler::test_coordinator* scheduler_ = nullptr;
  bool supervised_;
  std::size_t stopped_marks_ = 0;
  std::size_t stopped_pids_ = 0;
  connection_id last_connection_ = 0;
  std::int64_t last_id_ = 0;
};

} // namespace resilient::test
