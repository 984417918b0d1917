#pragma once

#include "launcher/child/leftovers.hpp"
#include "launcher/io/loop.hpp"
#include "launcher/terminal/output.hpp"
#include "launcher/terminal/saved_terminal.hpp"
#include "launcher/terminal/waiting_line.hpp"
#include "messages/ports.hpp"
#include "messages/process.hpp"

#include <asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <variant>

namespace resilient::launcher {

/// What the I/O thread tells `child_process_manager`.
using child_event =
    std::variant<message::child_started, message::child_failed, message::child_ended,
                 message::child_paused, message::signal_received, message::enter_pressed,
                 message::leftovers_stopped>;

struct child_port_options {
  /// The mark of this run: what it started cannot escape us while we live, so it is found without
  /// looking at every process of the machine.
  std::string own_mark;
  leftover_limits leftovers;
#ifdef __linux__
  /// How often what is below a child is written down. Zero: never, since orphans come to us.
  std::chrono::milliseconds walk_every{0};
#else
  std::chrono::milliseconds walk_every{5000};
#endif
  int input = 0;
  int screen = 1;
  int errors = 2;
};

/// The child, its signals and its terminal, on the I/O thread.
class system_child_port final : public child_port {
public:
  system_child_port(io_loop& loop, child_port_options options,
                    std::function<void(child_event)> tell);

  void spawn(spawn_request request) override;
  void signal(pid_t pid, int signal_number) override;
  void restore_terminal() override;
  void write_newline() override;
  void show_waiting_line(std::string line, bool keys) override;
  void say(std::string line) override;
  void show_end_of(std::string path, std::size_t bytes) override;
  [[nodiscard]] bool is_traced(pid_t pid) const override;
  void stop_leftovers(std::string mark, pid_t spare) override;
  void stop_process(pid_t pid, std::uint64_t start_time) override;
  void finish(int exit_code) override;

  /// Called before each start of the child, which fails with its error. On the I/O thread.
  void before_each_start(std::function<result<void>()> prepare) { prepare_ = std::move(prepare); }

  /// A signal was caught. On the I/O thread.
  void on_signal(int signal_number);

  /// Before the program ends: what a child that is still alive has left of the terminal is undone,
  /// and lines that were kept are written. On the I/O thread.
  void leave_terminal();

  /// Processes that we started for ourselves are no leftovers. On the I/O thread.
  void add_helper(pid_t pid) { helpers_.insert(pid); }
  /// Who hears of the end of processes that are not the child. On the I/O thread.
  void on_other_end(std::function<void(pid_t, const process::exit_status&)> hear) {
    other_ended_ = std::move(hear);
  }

private:
  void reap();
  void walk();
  void note_error_file(const std::string& path);

  io_loop& loop_;
  child_port_options options_;
  std::function<void(child_event)> tell_;
  output screen_;
  output errors_;
  saved_terminal terminal_;
  waiting_line line_;
  std::set<pid_t> children_;
  recorded_walk walk_;
  asio::steady_timer next_walk_;
  std::string error_file_;        ///< of the child that was started last; empty: its stderr is ours
  std::size_t errors_before_ = 0; ///< how much was in it before
  bool terminal_in_use_ = false;  ///< a child had it and it was not put back since
  std::set<pid_t> helpers_;
  std::function<void(pid_t, const process::exit_status&)> other_ended_;
  std::function<result<void>()> prepare_ = [] { return result<void>{}; };
};

} // namespace resilient::launcher
