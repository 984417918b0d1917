#pragma once

#include "core/support/error.hpp"

#include <string>
#include <string_view>

namespace resilient::goal {

/// A goal as a person typed it.
struct declaration {
  std::string objective;
  std::string check; ///< shell command; empty: none was typed
};

/// Reads `TEXT`, `-- TEXT` or `--check COMMAND -- TEXT`. The command stands in single quotes (taken
/// as it is) or double quotes (where a backslash protects the next character); without quotes it
/// reaches to the first ` -- `. Any other word that begins with `--` is refused, since it is
/// rather a mistyped option than a goal.
[[nodiscard]] result<declaration> parse_declaration(std::string_view arguments);

} // namespace resilient::goal
