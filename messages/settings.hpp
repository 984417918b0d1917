#pragma once

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
};

} // namespace resilient::message
