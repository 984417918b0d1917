#pragma once

#include "core/canon/touch.hpp"
#include "core/support/files.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace resilient::canon {

/// What is at a path, links followed.
enum class presence : std::uint8_t { absent, file, folder };

/// Traces paths that a call names to the project and its mounts, with a bounded number of questions
/// to the file system. Every answer is kept, so that a path is asked for once.
class asset_finder {
public:
  asset_finder(const touch_place& from, std::size_t budget);

  /// Absolute, without dots and double slashes, taken from `folder`, with `~` as the home folder.
  /// Empty when it names no path: it is empty, longer than a path can be, or holds a NUL byte or a
  /// line end.
  [[nodiscard]] std::string absolute(std::string_view written, const std::string& folder) const;

  /// Where a call works that names this folder; the working folder when it names none.
  [[nodiscard]] std::string folder_of_call(const std::string& named) const;

  /// What is at an absolute path; `absent` too when the budget is used up.
  [[nodiscard]] presence at(const std::string& path);

  /// Whether the folder that would hold the path is there.
  [[nodiscard]] bool has_parent(const std::string& path) {
    return at(parent_path(path)) == presence::folder;
  }

  /// The place of an absolute path that exists or whose folder does; nothing outside of them all.
  [[nodiscard]] std::optional<touched> locate(std::string_view asset, const std::string& path);

  /// The existing paths that match an absolute pattern (`*`, `?`, `[…]`, `\` before what is
  /// literal; `**` as a whole name: any depth), sorted. More than `most_matches`: the folder above
  /// the first wildcard alone. None, when that folder is not in a place.
  [[nodiscard]] std::vector<std::string> matches(const std::string& pattern);

  [[nodiscard]] const std::string& working_folder() const noexcept { return working_folder_; }
  [[nodiscard]] const std::string& project() const { return from_.where->project().directory; }
  [[nodiscard]] const std::string& home() const noexcept { return from_.home; }
  /// How often the file system may still be asked.
  [[nodiscard]] std::size_t budget() const noexcept { return budget_; }
  /// Allows that many questions from now on.
  void set_budget(std::size_t budget) noexcept { budget_ = budget; }

private:
  [[nodiscard]] std::optional<located> place_of(const std::string& path);
  void match_below(const std::string& folder, const std::vector<std::string>& segments,
                   std::size_t at, std::vector<std::string>& found);

  touch_place from_;
  std::string working_folder_;
  std::size_t budget_;
  posix_files disk_;
  std::unordered_map<std::string, presence> known_;
  /// Real paths of folders outside every place by their names; empty when they have none.
  std::unordered_map<std::string, std::string> real_;
};

/// Whether a name matches one segment of a pattern.
[[nodiscard]] bool matches_name(std::string_view pattern, std::string_view name) noexcept;

} // namespace resilient::canon
