#pragma once

#include "core/settings/settings_lock.hpp"
#include "core/support/error.hpp"
#include "core/support/files.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace resilient::settings {

/// Where Pi keeps its settings, by absolute paths.
struct settings_place {
  std::string user_file;
  std::string project_file;
  bool project_trusted = false;
};

/// Pi's agent folder: the value of PI_CODING_AGENT_DIR when it is set and not empty, a leading `~`
/// or `~/` standing for `home`; else `home`/.pi/agent.
[[nodiscard]] std::string agent_folder(const std::optional<std::string>& variable,
                                       const std::string& home);

/// The two files of an agent folder and a project folder.
[[nodiscard]] settings_place place_in(const std::string& agent_folder,
                                      const std::string& project_folder, bool project_trusted);

/// Longer files are refused.
inline constexpr std::size_t longest_settings_file = 16U << 20U;

/// The text of a settings file; nothing when there is no file.
[[nodiscard]] result<std::optional<std::string>> read_text(const files& disk,
                                                           const std::string& path);

/// Pi writes in place, so that a reader without the lock may see a file that is empty or cut off.
/// Such a file is to be looked at again under the lock.
[[nodiscard]] bool may_be_half_written(const result<std::optional<std::string>>& text,
                                       const std::string& path);

/// One file as Pi reads it: a missing or empty file is `{}`, a leading BOM is skipped, whitespace
/// alone is malformed. Fails with `data` when it holds no JSON object.
[[nodiscard]] result<nlohmann::json> read_file(const files& disk, const std::string& path);

/// The settings in force. Always objects.
struct settings_values {
  nlohmann::json user = nlohmann::json::object();
  nlohmann::json project = nlohmann::json::object(); ///< `{}` unless the project is trusted
  nlohmann::json merged = nlohmann::json::object();  ///< the project's laid on the user's
  /// Files that could not be read; like Pi we go on without them.
  std::vector<error> problems;
};

/// Reads without a lock, unless a file looks as if it was being written at that moment.
[[nodiscard]] settings_values read_settings(files& disk, const settings_place& place,
                                            const lock_tools& tools);

} // namespace resilient::settings
