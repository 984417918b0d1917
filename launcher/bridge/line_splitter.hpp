#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace resilient::launcher {

/// Cuts a byte stream into lines: ended by `\n`, a `\r` before it dropped, blank lines skipped.
class line_splitter {
public:
  /// `longest` counts the newline.
  explicit line_splitter(std::size_t longest) : longest_{longest} {}

  void add(std::string_view bytes);

  /// The next whole line; nothing when more bytes are needed.
  [[nodiscard]] std::optional<std::string> next();

  /// Whether the line at hand is already too long. Nothing that follows can be understood.
  [[nodiscard]] bool is_too_long() const;

private:
  std::size_t longest_;
  std::string bytes_;
  std::size_t begin_ = 0;    ///< of the line at hand
  std::size_t searched_ = 0; ///< up to here there is no newline
};

} // namespace resilient::launcher
