#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace resilient::launcher {

/// The lines in the last `bytes` of a file, for a person: a first line that was cut is left out,
/// and bytes that would move the cursor are blanks. Empty when the file cannot be read.
[[nodiscard]] std::vector<std::string> last_lines(const std::string& path, std::size_t bytes);

/// The line that tells best why a program ended, of those that it has written to a file since that
/// held `before` bytes: the last one, but for what Node adds below an error. Short, without
/// secrets.
[[nodiscard]] std::string last_words(const std::string& path, std::size_t before);

/// One line without bytes that would move the cursor or change colours.
[[nodiscard]] std::string without_controls(std::string line);

} // namespace resilient::launcher
