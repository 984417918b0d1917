#pragma once

#include "core/support/error.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace resilient::canary {

/// `/canary on`
struct turn_on {
  [[nodiscard]] bool operator==(const turn_on&) const = default;
};
/// `/canary off`
struct turn_off {
  [[nodiscard]] bool operator==(const turn_off&) const = default;
};
/// `/canary KEYWORD`: save the keyword, then turn the mode on.
struct use_keyword {
  std::string keyword; ///< trimmed and valid

  [[nodiscard]] bool operator==(const use_keyword&) const = default;
};

/// `/canary` alone: say how things are and change nothing.
struct show_state {
  [[nodiscard]] bool operator==(const show_state&) const = default;
};

/// What a person asked for with `/canary ARGUMENT`.
using command = std::variant<turn_on, turn_off, use_keyword, show_state>;

/// Only `on` and `off` are reserved, in any case; everything else is the keyword, its case and
/// inner spaces kept. Without an argument the state is asked for. Fails with `usage` when the
/// keyword is not valid.
[[nodiscard]] result<command> parse_command(std::string_view argument);

/// The trimmed keyword, when it is usable: not empty, one line, no control characters (C0, DEL, C1,
/// U+2028, U+2029), valid UTF-8. Fails with `usage` and a sentence that names what is wrong.
[[nodiscard]] result<std::string> check_keyword(std::string_view raw);

} // namespace resilient::canary
