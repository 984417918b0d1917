#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace resilient::canon {

/// Whether a list of words, separated by single blanks, holds the word. Tables are written so.
[[nodiscard]] constexpr bool lists(std::string_view list, std::string_view word) noexcept {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == word) {
      return true;
    }
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

} // namespace resilient::canon
