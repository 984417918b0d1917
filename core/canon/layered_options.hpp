#pragma once

#include "core/canon/options.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace resilient::canon {

/// What one file says of canon.
struct options_layer {
  std::string file;
  nlohmann::json value = nlohmann::json::object(); ///< `{}`: nothing
  options_source source = options_source::pi_user;
};

/// The options in force in Pi, and where they stand.
struct layered_options {
  options values;
  std::map<std::string, std::string> decided_by; ///< option to file; absent: the default
  /// A file whose options were not used, and why; in the order of the layers.
  std::vector<std::pair<std::string, std::string>> problems;
};

/// Canon's own file (`own`, with its text; empty when there is none), then Pi's files in their
/// order, each laid over the ones before. A file with a mistake is left out as a whole, but what a
/// user turned off stays off, whatever a project says and whatever else is wrong.
[[nodiscard]] layered_options lay_options(const std::string& own, const result<std::string>& text,
                                          const std::vector<options_layer>& of_pi);

} // namespace resilient::canon
