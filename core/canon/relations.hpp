#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

/// A part of a text, in bytes.
struct byte_range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// What Markdown takes for code: fenced by any fence, indented, or inline. Sorted.
[[nodiscard]] std::vector<byte_range> code_ranges(std::string_view markdown);

/// The targets of `[[target]]`, `[[target|alias]]` and `[[target#heading]]` outside code, in the
/// order of the text, each once: trimmed, without a final `.md`.
[[nodiscard]] std::vector<std::string> wikilinks(std::string_view markdown);

/// The same in lower case: two spellings of one target are one citation.
[[nodiscard]] std::set<std::string> citations(std::string_view markdown);

} // namespace resilient::canon
