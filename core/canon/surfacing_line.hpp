#pragma once

#include "core/canon/places.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace resilient::canon {

/// The article that answers for a touched path, in a form that can be sent.
struct surfacing_line {
  std::string key;          ///< the article's address, qualified in a mount
  std::string text;         ///< `<key> (updated <day>): <capsule>`, one line, never cut
  std::string pointer;      ///< the same without the capsule: that there is an article to read
  bool has_capsule = false; ///< without one, `text` is `pointer`
  std::uint64_t hash = 0;   ///< `content_hash` of the article's file
};

/// What is sent of an article.
[[nodiscard]] surfacing_line line_of(const std::string& key, const governing_article& governing);

/// The line of the article at the path's own address, or at the nearest one above it. Nothing when
/// no article governs the path, or its file cannot be read. Reads only the files of those
/// addresses, never a listing.
[[nodiscard]] std::optional<surfacing_line> line_for(const places& where, const std::string& path);

} // namespace resilient::canon
