#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace resilient::canary {

enum class prefix_check {
  kept,            ///< the text begins with the prefix
  missed,          ///< visible text that does not
  nothing_visible, ///< no text, or only spaces: exempt
};

/// `keyword: `, with the space.
[[nodiscard]] std::string prefix_of(std::string_view keyword);

/// Compares bytes: case, leading spaces and line ends, and Unicode composition count.
[[nodiscard]] prefix_check check_prefix(std::string_view text, std::string_view keyword);

/// The text that a person sees of a message with several text blocks: the blocks that are not
/// empty, each on its own line.
[[nodiscard]] std::string visible_text(const std::vector<std::string>& blocks);

} // namespace resilient::canary
