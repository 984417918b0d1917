#pragma once

#include <optional>
#include <string>

/// To and from `settings`.
namespace resilient::message {

/// Where Pi's settings are.
struct settings_place {
  std::string agent_folder;
  std::string project_folder;
  bool project_trusted = false;
};

struct read_settings {};

/// The values in force as JSON texts: `user` alone, and `merged` with a trusted project's.
struct settings_values {
  std::string user = "{}";
  std::string project = "{}"; ///< empty unless the project is trusted
  std::string merged = "{}";
  std::string problem; ///< why a file could not be read; empty when all went well
  std::string user_file;
  std::string project_file;
};

/// The canary keyword as the settings in force hold it.
struct read_keyword {};
struct keyword_values {
  std::optional<std::string> keyword; ///< nothing when the settings have none
  std::string problem;                ///< why a value is no keyword; empty when all is well
  std::string file;                   ///< where the keyword stands; empty when there is none
};

/// Saves the canary keyword, which must be valid.
struct save_keyword {
  std::string keyword;
};
struct keyword_saved {
  std::string path;    ///< the file that holds it now
  std::string problem; ///< why nothing was saved; empty when it was
};

} // namespace resilient::message
