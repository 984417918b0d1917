#include "core/support/nearest.hpp"

#include <algorithm>
#include <cstddef>

namespace resilient {

namespace {

/// How many letters are wrong, missing, added or swapped with a neighbour.
std::size_t mistakes(std::string_view typed, std::string_view word) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(word.size() + 1);
  std::vector<std::size_t> current(word.size() + 1);
  for (std::size_t column = 0; column <= word.size(); ++column) {
    last[column] = column;
  }
  for (std::size_t row = 1; row <= typed.size(); ++row) {
    current[0] = row;
    for (std::size_t column = 1; column <= word.size(); ++column) {
      const std::size_t wrong = typed[row - 1] == word[column - 1] ? 0 : 1;
      current[column] =
          std::min({last[column] + 1, current[column - 1] + 1, last[column - 1] + wrong});
      if (row > 1 && column > 1 && typed[row - 1] == word[column - 2]
          && typed[row - 2] == word[column - 1]) {
        current[column] = std::min(current[column], before_last[column - 2] + 1);
      }
    }
    before_last = last;
    last = current;
  }
  return last[word.size()];
}

} // namespace

std::optional<std::string> nearest(std::string_view typed, const std::vector<std::string>& words) {
  constexpr std::size_t longest = 64; // whatever is longer was not meant as a word
  std::optional<std::string> best;
  std::size_t fewest = 0;
  for (const std::string& word : words) {
    if (typed.size() > longest) {
      break;
    }
    const std::size_t wrong = mistakes(typed, word);
    if (wrong * 3 <= std::max(word.size(), typed.size()) && (!best || wrong < fewest)) {
      best = word;
      fewest = wrong;
    }
  }
  return best;
}

} // namespace resilient
