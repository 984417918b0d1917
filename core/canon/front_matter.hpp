#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

/// A file cut into its front matter and the rest. The views point into the file.
struct front_matter {
  std::string_view block;    ///< whole lines between the two fences
  std::string_view body;     ///< everything after the second fence's line
  std::string_view line_end; ///< of the first fence: "\n" or "\r\n"
};

/// The front matter of a file that begins (no BOM) with `---`, lines, `---`. Nothing when there is
/// none: text or a blank before a fence, no second fence, nothing between the fences.
[[nodiscard]] std::optional<front_matter> split_front_matter(std::string_view file);

/// The lines of a block with their line ends; only LF ends a line.
[[nodiscard]] std::vector<std::string_view> split_lines(std::string_view block);

/// A line without its LF or CRLF.
[[nodiscard]] std::string_view without_line_end(std::string_view line) noexcept;

/// `key: value` at the beginning of a line; the value is trimmed and may be empty.
struct front_matter_pair {
  std::string_view key;
  std::string_view value;
};
[[nodiscard]] std::optional<front_matter_pair> parse_pair(std::string_view line);

[[nodiscard]] bool is_blank(std::string_view line) noexcept;
/// Begins with a blank or a tab and holds more than blanks.
[[nodiscard]] bool is_indented(std::string_view line) noexcept;

/// How far the value of the pair on line `first` reaches, and what it is: continuation lines of a
/// plain or quoted scalar and block scalars are joined to one line, quotes are removed.
struct scalar_value {
  std::size_t end = 0; ///< the first line that does not belong to it
  std::string value;   ///< on one line, trimmed
};
[[nodiscard]] scalar_value read_scalar(const std::vector<std::string_view>& lines,
                                       std::size_t first);

/// The list of the pair on line `first`: `[a, "b"]`, or `- a` lines below an empty value.
[[nodiscard]] std::vector<std::string> read_list(const std::vector<std::string_view>& lines,
                                                 std::size_t first);

} // namespace resilient::canon
