#pragma once

#include "core/canon/shell_script.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace resilient::canon {

/// A word as the command gets it.
struct expanded_word {
  std::string text;    ///< what is not known stands as a control byte
  std::string pattern; ///< the same with `\` before what is literal, when it has wildcards
  bool is_unknown = false;
  /// For an unquoted `name=`: the length of the name.
  std::size_t assigned_name_size = 0;

  [[nodiscard]] static expanded_word literal(std::string text);
};

/// Values of variables by name; a loop's variable has several.
using variable_table = std::unordered_map<std::string, std::vector<expanded_word>>;

/// Replaces variables by their values, `$(pwd)` by `folder` and `$(git rev-parse --show-toplevel)`
/// by `project`, and takes braces apart: several words for `{a,b}` and for the variable of a loop.
/// At most a few dozen, then the first of each.
[[nodiscard]] std::vector<expanded_word> expand_word(const shell_word& word,
                                                     const variable_table& variables,
                                                     const std::string& folder,
                                                     const std::string& project);

} // namespace resilient::canon
