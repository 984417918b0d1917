#pragma once

#include "launcher/child/process_table.hpp"

#include <sys/types.h>

#include <map>
#include <string_view>
#include <vector>

/// Finding what a dead child left running where orphans go to init at once and nothing tells whose
/// they were: the processes below us are written down while their parents live.
namespace resilient::launcher {

/// The columns of a listing by `ps -o`, the same on every system. Its times are local and its words
/// a language's, so it runs with `TZ=UTC LC_ALL=C`.
inline constexpr const char* ps_columns = "pid=,ppid=,stat=,lstart=,comm=";

/// What such a listing says. Lines that are none are left out. The start time is in seconds.
[[nodiscard]] std::vector<process_entry> parse_process_list(std::string_view text);

/// Those in `all` that descend from `ancestor`, itself not included.
[[nodiscard]] std::vector<process_entry> descendants_in(const std::vector<process_entry>& all,
                                                        pid_t ancestor);

/// The processes that were seen below an ancestor.
class recorded_walk {
public:
  /// Writes down who descends from `ancestor` now, or from somebody written down before.
  void look(const std::vector<process_entry>& all, pid_t ancestor);
  /// Those written down that still run, and what descends from them now.
  [[nodiscard]] std::vector<process_entry> left_in(const std::vector<process_entry>& all) const;
  /// How many are written down.
  [[nodiscard]] std::size_t size() const { return seen_.size(); }

private:
  std::map<pid_t, std::uint64_t> seen_; ///< with their start times, since pids are used again
};

} // namespace resilient::launcher
