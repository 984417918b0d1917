#pragma once

#include "core/canon/shell_operands.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

/// A word of a script that may be a path.
struct shell_path {
  std::string text;
  /// The same as a pattern, when it has wildcards that the shell would expand; `\` stands before
  /// what is literal.
  std::string pattern;
  /// The folder that relative paths are taken from; empty when that is not known.
  std::string folder;
  operand_role role = operand_role::mention;
  bool must_exist = false; ///< see `operand`
  /// It says what to change in files that are not named, such as the file of a patch.
  bool is_input = false;
};

/// What a script touches.
struct shell_reading {
  std::vector<shell_path> paths; ///< in the order of the script
  /// It changes files that it does not name.
  bool changes_unnamed = false;
};

/// What a script knows when it starts.
struct shell_start {
  std::string folder;
  std::string home;    ///< may be empty
  std::string project; ///< for `$CLAUDE_PROJECT_DIR` and `$(git rev-parse --show-toplevel)`
  /// Whether a folder is at an absolute path: decides where `mv` puts a file.
  std::function<bool(const std::string&)> is_folder;
};

/// Reads a script as a shell would run it: `cd` changes the folder, subshells undo that, variables
/// and loops over words are followed, here-documents that feed a shell or `patch` are read.
[[nodiscard]] shell_reading read_script(std::string_view script, const shell_start& start);

/// The same for a command whose words are given apart.
[[nodiscard]] shell_reading read_words(const std::vector<std::string>& words,
                                       const shell_start& start);

} // namespace resilient::canon
