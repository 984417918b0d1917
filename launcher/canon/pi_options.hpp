#pragma once

#include "core/canon/layered_options.hpp"

#include <string>
#include <vector>

namespace resilient::canon {

/// The options that are in force in a Pi that is started in `project`, as far as files say them.
struct pi_options {
  layered_options laid;
  std::vector<std::string> problems; ///< sentences about what was not used for a mistake
  /// A sentence when the project's own settings speak of canon and Pi does not (yet) use them.
  std::string unused;
};
[[nodiscard]] pi_options options_in_pi(const std::string& project);

} // namespace resilient::canon
