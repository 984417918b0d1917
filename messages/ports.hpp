#pragma once

#include "core/support/time.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What actors may ask of the outside world. The launcher implements these on its I/O thread;
/// tests replace them. Every call may come from any thread and returns at once; answers come as
/// messages.
namespace resilient {

/// Reads the clocks.
class clocks {
public:
  virtual ~clocks() = default;
  [[nodiscard]] virtual instant now() const = 0;
};

/// Wakes an actor at a moment that may lie behind a suspend of the machine or a step of the
/// calendar clock.
class alarms {
public:
  virtual ~alarms() = default;

  using alarm_id = std::uint64_t;

  /// Calls `ring` once, from any thread, when the boot clock reaches `at`.
  [[nodiscard]] virtual alarm_id arm(boot_time at, std::function<void()> ring) = 0;
  /// Calls `ring` once, from any thread, when the wall clock reaches `at`, also after the clock
  /// was set.
  [[nodiscard]] virtual alarm_id arm(wall_time at, std::function<void()> ring) = 0;
  /// An alarm that has rung, or is about to, may still call `ring`.
  virtual void cancel(alarm_id id) = 0;
};

/// What a child is started with.
struct spawn_request {
  std::string generation;
  std::string program;                                          ///< absolute path
  std::vector<std::string> arguments;                           ///< without argv[0]
  std::string folder;                                           ///< working directory
  std::vector<std::pair<std::string, std::string>> environment; ///< added to our own
  std::string error_file; ///< the child's stderr is appended here; empty: inherited
};

/// Starts and signals the child and owns the terminal. Answers go to `child_process_manager`.
class child_port {
public:
  virtual ~child_port() = default;

  virtual void spawn(spawn_request request) = 0;
  /// Nothing happens when `pid` is no longer a child of ours.
  virtual void signal(pid_t pid, int signal_number) = 0;
  /// Puts the terminal back as it was before the first start, after a child's end.
  virtual void restore_terminal() = 0;
  /// One newline on stdout, so that a record that a dead child left torn swallows nothing of the
  /// next.
  virtual void write_newline() = 0;
  /// Shows `line` on stderr and replaces the one shown before, while no child has the terminal.
  /// With `keys`, Enter is reported as `enter_pressed`. An empty line removes it.
  virtual void show_waiting_line(std::string line, bool keys) = 0;
  /// Writes one line for a person to stderr.
  virtual void say(std::string line) = 0;
  /// Copies the last `bytes` of a file to stderr.
  virtual void show_end_of(std::string path, std::size_t bytes) = 0;
  /// Whether a debugger holds the process.
  [[nodiscard]] virtual bool is_traced(pid_t pid) const = 0;
  /// Stops what dead generations left running: processes that carry `mark` in their environment
  /// or descend from us. With a `spare`, the child that lives: those with the mark only, but for it
  /// and what is below it. Answered by `leftovers_stopped`.
  virtual void stop_leftovers(std::string mark, pid_t spare) = 0;
  /// Stops one process that a dead launcher left behind, when it still is the process that began
  /// at `start_time` (clock ticks after boot). Answered by `leftovers_stopped`.
  virtual void stop_process(pid_t pid, std::uint64_t start_time) = 0;
  /// The I/O loop ends and the program exits with `exit_code`.
  virtual void finish(int exit_code) = 0;
};

/// A command of a person's, for `/bin/sh -c`.
struct command_request {
  std::string command;
  std::string folder;                    ///< working directory; empty: ours
  std::string input;                     ///< its whole stdin
  std::chrono::milliseconds deadline{0}; ///< then it is killed, with all of its process group
  std::size_t kept_output = 0;           ///< so many last bytes of stdout and stderr are kept
  bool ends_with_us = false;             ///< nobody wants its answer once the launcher has ended
};
struct command_result {
  bool succeeded = false; ///< it ended with 0 within the deadline
  std::string how;        ///< "exit 1", "killed by SIGKILL", "no end within 10 s"
  std::string output;
};

/// Runs commands beside the child. They see our environment without what proves us to Pi.
class command_port {
public:
  virtual ~command_port() = default;

  /// Calls `done` once, from any thread.
  virtual void run(command_request request, std::function<void(command_result)> done) = 0;
};

/// Keeps the machine from falling asleep, by a process of the system's that ends with us however we
/// end.
class sleep_port {
public:
  virtual ~sleep_port() = default;

  /// Takes an inhibitor, in place of the one that is held. Calls `ended` once, from any thread,
  /// when it could not be taken or ends without having been let go, with a phrase that says why.
  virtual void keep_awake(std::function<void(std::string)> ended) = 0;
  virtual void let_sleep() = 0;
};

/// One line for a program that answers each line with a line.
struct line_question {
  std::vector<std::string> command; ///< program and arguments, never empty
  std::string folder;               ///< working directory; empty: ours
  std::string line;                 ///< without its newline
  std::chrono::milliseconds deadline{0};
};
struct line_answer {
  bool answered = false;
  std::string text; ///< the line without its newline, or why there is none
};

/// Keeps one program running and asks it. It sees our environment without what proves us to Pi.
class line_program_port {
public:
  virtual ~line_program_port() = default;

  /// Starts the program unless this command runs already; one of another command is ended. An
  /// answer that comes after the deadline is thrown away, and until it has come no other question
  /// is asked. Calls `done` once, from any thread.
  virtual void ask(line_question question, std::function<void(line_answer)> done) = 0;
  /// Ends the program; the next question starts it anew.
  virtual void end() = 0;
};

using connection_id = std::uint64_t;

/// Writes to connected extensions.
class bridge_port {
public:
  virtual ~bridge_port() = default;

  /// Queues one line (without its newline).
  virtual void write(connection_id connection, std::string line) = 0;
  /// Closes after what is queued has been written.
  virtual void close(connection_id connection) = 0;
};

/// Randomness for identities and jitter.
class entropy {
public:
  virtual ~entropy() = default;
  [[nodiscard]] virtual std::uint64_t number() = 0;
  /// `bytes` random bytes as lower-case hex.
  [[nodiscard]] virtual std::string hex(std::size_t bytes) = 0;
};

} // namespace resilient
