#pragma once

#include "core/goal/scheduler.hpp"

#include <string>

/// To `session`.
namespace resilient::message {

/// The child of this generation ended.
struct generation_ended {
  std::string generation;
  std::string cause; ///< "killed by SIGKILL"; empty for a normal end
};

/// What the dead generation had left running.
struct leftovers_known {
  std::vector<std::string> names;
};

/// One notice in Pi.
struct show_notice {
  goal::notice_level level = goal::notice_level::info;
  std::string text;
};

} // namespace resilient::message
