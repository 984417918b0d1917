#include "launcher/child/leftovers.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <utility>

namespace resilient::launcher {

namespace {

std::set<pid_t> ourselves_and_above() {
  std::set<pid_t> found{::getpid()};
  pid_t above = ::getppid();
  while (above > 0 && found.insert(above).second) {
    const auto entry = find_process(above);
    above = entry ? entry->parent : 0;
  }
  return found;
}

/// One operation of `stop_processes`. Keeps itself alive through its timer.
class stopping : public std::enable_shared_from_this<stopping> {
public:
  stopping(io_loop& loop, std::function<std::vector<process_entry>()> find,
           const leftover_limits& limits, std::function<void(std::vector<std::string>)> done)
      : timer_{loop.context()}, find_{std::move(find)}, limits_{limits}, done_{std::move(done)} {}

  void begin() {
    ask_to_end_until_ = clock::now() + limits_.grace;
    give_up_at_ = ask_to_end_until_ + limits_.after_kill;
    look();
  }

private:
  using clock = std::chrono::steady_clock;

  struct treated {
    std::uint64_t start_time = 0;
    bool killed = false;
  };

  void look() {
    const auto now = clock::now();
    std::vector<process_entry> left = find_();
    add_dying(left);
    if (left.empty() || now >= give_up_at_) {
      done_(std::move(names_));
      return;
    }
    for (const process_entry& each : left) {
      treat(each, now >= ask_to_end_until_);
    }
    timer_.expires_after(limits_.look_every);
    timer_.async_wait([self = shared_from_this()](std::error_code failed) {
      if (!failed) {
        self->look();
      }
    });
  }

  /// A process that is ending has lost its environment, and with it its mark, before it is gone.
  void add_dying(std::vector<process_entry>& left) const {
    for (const auto& [pid, seen] : treated_) {
      const auto entry = find_process(pid);
      if (entry && entry->start_time == seen.start_time && entry->state != 'Z'
          && entry->state != 'X') {
        left.push_back(*entry);
      }
    }
  }

  void treat(const process_entry& process, bool kill) {
    auto [found, fresh] = treated_.try_emplace(process.pid, treated{process.start_time, false});
    if (!fresh && found->second.start_time != process.start_time) {
      found->second = {process.start_time, false};
      fresh = true;
    }
    if (fresh) {
      names_.push_back(leftover_name(process));
      ::kill(process.pid, SIGTERM);
      ::kill(process.pid, SIGCONT);
    }
    if (kill && !std::exchange(found->second.killed, true)) {
      ::kill(process.pid, SIGKILL);
    }
  }

  asio::steady_timer timer_;
  std::function<std::vector<process_entry>()> find_;
  leftover_limits limits_;
  std::function<void(std::vector<std::string>)> done_;
  clock::time_point ask_to_end_until_;
  clock::time_point give_up_at_;
  std::map<pid_t, treated> treated_;
  std::vector<std::string> names_;
};

} // namespace

bool mark_matches(std::string_view mark, std::string_view wanted) {
  if (wanted.empty() || mark.substr(0, wanted.size()) != wanted) {
    return false;
  }
  return mark.size() == wanted.size() || wanted.back() == ':' || mark[wanted.size()] == ':';
}

std::vector<process_entry> find_leftovers(const leftover_query& query) {
  std::map<pid_t, process_entry> found;
  if (query.descendants) {
    for (process_entry& each : list_descendants(::getpid())) {
      found.emplace(each.pid, std::move(each));
    }
  }
  if (query.walk != nullptr) {
    for (process_entry& each : query.walk->left_in(list_processes())) {
      found.emplace(each.pid, std::move(each));
    }
  }
  if (!query.mark.empty()) {
    for (process_entry& each : list_processes()) {
      if (found.count(each.pid) != 0 || each.state == 'Z') {
        continue;
      }
      const auto mark = process_variable(each.pid, mark_variable);
      if (mark && mark_matches(*mark, query.mark)) {
        found.emplace(each.pid, std::move(each));
      }
    }
  }
  for (const pid_t pid : query.spare) {
    found.erase(pid);
    for (const process_entry& below : list_descendants(pid)) {
      found.erase(below.pid);
    }
  }
  if (found.empty()) {
    return {};
  }
  const std::set<pid_t> untouchable = ourselves_and_above();
  std::vector<process_entry> left;
  for (auto& [pid, entry] : found) {
    // A zombie has ended; its parent, which may be us, reaps it.
    if (entry.state != 'Z' && entry.state != 'X' && untouchable.count(pid) == 0) {
      left.push_back(std::move(entry));
    }
  }
  return left;
}

std::string leftover_name(const process_entry& entry) {
  return fmt::format("{} ({})", entry.name, entry.pid);
}

void stop_processes(io_loop& loop, std::function<std::vector<process_entry>()> find,
                    const leftover_limits& limits,
                    std::function<void(std::vector<std::string>)> done) {
  std::make_shared<stopping>(loop, std::move(find), limits, std::move(done))->begin();
}

} // namespace resilient::launcher
