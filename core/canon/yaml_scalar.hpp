#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

/// Whether a plain value would be read as something else than this very string: by the older
/// release's rule (any of its special characters, white space at an end) or by YAML 1.1 or 1.2
/// (booleans, null, numbers, dates, list and key marks, characters that YAML does not allow).
[[nodiscard]] bool needs_quotes(std::string_view value);

/// The value as it is written: plain, or a JSON string, which is YAML too.
[[nodiscard]] std::string quote_if_needed(std::string_view value);

/// A value as it was written: a JSON string or a single-quoted YAML string without its quotes,
/// anything else as it is.
[[nodiscard]] std::string unquote(std::string_view written);

/// The items of `[a, "b,c", 'd']`, unquoted and trimmed; empty ones are dropped.
[[nodiscard]] std::vector<std::string> read_flow_list(std::string_view written);

} // namespace resilient::canon
