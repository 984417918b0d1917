#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace resilient::canon {

/// What tells whether the model still sees something that it was shown: both texts are in what the
/// provider is sent, after `normalise_white_space` of both sides.
struct needle {
  std::string key;  ///< names the article; comes back when the needle is gone
  std::string id;   ///< the key as it is looked for
  std::string tail; ///< the last 120 characters (UTF-16) of what was shown

  [[nodiscard]] bool operator==(const needle&) const = default;
};

/// The needle for a text of an article that the model was shown. Nothing when the text is too short
/// to tell it from others: less than 24 letters and digits, each run of anything else counted as
/// one. Letters and digits are those of any script.
[[nodiscard]] std::optional<needle> make_needle(const std::string& key, std::string_view text);

/// Each run of white space becomes one space, none is left at the ends; everything else stays. The
/// extension does the same (`messages/PROTOCOL.md`, section Needles), so no table of letters needs
/// to agree between two languages.
[[nodiscard]] std::string normalise_white_space(std::string_view text);

} // namespace resilient::canon
