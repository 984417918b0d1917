#pragma once

#include "core/goal/scheduler.hpp"

#include <cstdint>
#include <string>
#include <vector>

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

/// A run was aborted and Pi lives on: a person did it.
struct abort_confirmed {
  std::uint64_t number = 0; ///< older ones are ignored
};

} // namespace resilient::message
