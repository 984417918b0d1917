#include "launcher/child/port.hpp"

#include "launcher/child/reaper.hpp"
#include "launcher/child/spawner.hpp"
#include "launcher/terminal/last_lines.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <utility>

namespace resilient::launcher {

system_child_port::system_child_port(io_loop& loop, child_port_options options,
                                     std::function<void(child_event)> tell)
    : loop_{loop}, options_{std::move(options)}, tell_{std::move(tell)}, screen_{options_.screen},
      errors_{options_.errors}, terminal_{options_.input, screen_},
      line_{loop, options_.input, errors_, [this] { tell_(message::enter_pressed{}); }},
      next_walk_{loop.context()} {}

void system_child_port::spawn(spawn_request request) {
  loop_.post([this, request = std::move(request)] {
    line_.show({}, false);
    terminal_.restore_line_modes();
    note_error_file(request.error_file);
    const auto child = prepare_().and_then([&] { return spawn_child(request); });
    if (!child) {
      tell_(message::child_failed{request.generation, child.error().message,
                                  child.error().kind == error_kind::no_input});
      return;
    }
    children_.insert(child->pid);
    walk();
    terminal_in_use_ = true;
    if (!request.error_file.empty()) {
      // Its stderr is elsewhere because it draws on the terminal.
      line_.terminal_is_taken();
    }
    tell_(message::child_started{request.generation, child->pid, child->start_time});
  });
}

void system_child_port::signal(pid_t pid, int signal_number) {
  loop_.post([this, pid, signal_number] {
    // A child of ours keeps its pid until we have reaped it, here.
    // Zero and negative numbers would mean groups.
    if (pid > 0 && children_.count(pid) != 0) {
      ::kill(pid, signal_number);
    }
  });
}

void system_child_port::restore_terminal() {
  loop_.post([this] { leave_terminal(); });
}

void system_child_port::write_newline() {
  loop_.post([this] { screen_.write("\n"); });
}

void system_child_port::show_waiting_line(std::string line, bool keys) {
  loop_.post([this, line = std::move(line), keys]() mutable {
    if (children_.empty()) {
      line_.show(std::move(line), keys);
    }
  });
}

void system_child_port::say(std::string line) {
  loop_.post([this, line = std::move(line)]() mutable { line_.say(std::move(line)); });
}

void system_child_port::show_end_of(std::string path, std::size_t bytes) {
  loop_.post([this, path = std::move(path), bytes] {
    for (std::string& line : last_lines(path, bytes)) {
      line_.say(std::move(line));
    }
  });
}

bool system_child_port::is_traced(pid_t pid) const {
  return tracer_of(pid) != 0;
}

void system_child_port::stop_leftovers(std::string mark, pid_t spare) {
  loop_.post([this, mark = std::move(mark), spare] {
    leftover_query query;
    query.mark = mark == options_.own_mark ? std::string{} : mark;
    query.spare = helpers_;
    query.walk = options_.walk_every.count() > 0 ? &walk_ : nullptr;
    if (spare > 0) {
      query.spare.insert(spare);
      query.descendants = false;
    }
    stop_processes(
        loop_, [query] { return find_leftovers(query); }, options_.leftovers,
        [this, spare](std::vector<std::string> names) {
          tell_(message::leftovers_stopped{std::move(names), spare > 0});
        });
  });
}

void system_child_port::stop_process(pid_t pid, std::uint64_t start_time) {
  loop_.post([this, pid, start_time] {
    const auto find = [pid, start_time] {
      std::vector<process_entry> found;
      auto entry = find_process(pid);
      if (entry && entry->start_time == start_time && entry->state != 'Z') {
        found.push_back(std::move(*entry));
      }
      return found;
    };
    stop_processes(loop_, find, options_.leftovers, [this](std::vector<std::string> names) {
      tell_(message::leftovers_stopped{std::move(names), false});
    });
  });
}

void system_child_port::finish(int exit_code) {
  loop_.finish(exit_code);
}

void system_child_port::on_signal(int signal_number) {
  if (signal_number == SIGCHLD) {
    reap();
    return;
  }
  if (signal_number == SIGCONT) {
    line_.redraw();
  }
  tell_(message::signal_received{signal_number});
}

void system_child_port::leave_terminal() {
  if (std::exchange(terminal_in_use_, false)) {
    terminal_.restore();
  }
  line_.terminal_is_free();
}

/// What earlier children wrote is not this one's. A file that is full is put aside for its start.
void system_child_port::note_error_file(const std::string& path) {
  struct stat status {};
  error_file_ = path;
  errors_before_ = !path.empty() && ::stat(path.c_str(), &status) == 0
                       ? static_cast<std::size_t>(status.st_size)
                       : 0;
}

/// While a child lives; what was seen then is looked for after its end.
void system_child_port::walk() {
  if (options_.walk_every.count() == 0 || children_.empty()) {
    return;
  }
  walk_.look(list_processes(), ::getpid());
  next_walk_.expires_after(options_.walk_every);
  next_walk_.async_wait([this](std::error_code cancelled) {
    if (!cancelled) {
      walk();
    }
  });
}

void system_child_port::reap() {
  for (const reaped& each : reap_children()) {
    if (const auto* end = std::get_if<reaped_end>(&each)) {
      helpers_.erase(end->pid);
      // Others are commands that we ran, or orphans that were adopted.
      if (children_.erase(end->pid) != 0) {
        tell_(message::child_ended{end->pid, end->status,
                                   error_file_.empty() ? std::string{}
                                                       : last_words(error_file_, errors_before_)});
      } else if (other_ended_) {
        other_ended_(end->pid, end->status);
      }
    } else if (const auto* pause = std::get_if<reaped_pause>(&each)) {
      if (children_.count(pause->pid) != 0) {
        tell_(message::child_paused{pause->pid, pause->stopped});
      }
    }
  }
}

} // namespace resilient::launcher
