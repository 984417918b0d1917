#pragma once

#include "core/canon/places.hpp"
#include "core/support/error.hpp"

#include <string>

namespace resilient::canon {

/// Answers the action `search`. An implementation may keep an index between calls, as long as every
/// answer is that of the files as they are.
class searcher {
public:
  searcher() = default;
  searcher(const searcher&) = delete;
  searcher& operator=(const searcher&) = delete;
  virtual ~searcher() = default;

  /// The text of the answer: the matches in `where`, or a sentence that there are none. `query` is
  /// not blank. The journal is searched only when `journal` is set; it is always the project's own.
  [[nodiscard]] virtual result<std::string> search(const place& where, const std::string& query,
                                                   bool journal) = 0;
};

} // namespace resilient::canon
