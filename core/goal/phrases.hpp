#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace resilient::goal {

/// A text that many phrases are looked up in. It remembers which groups of three letters occur,
/// so that most phrases are ruled out without reading the text again.
class phrase_text {
public:
  /// `lower` is in lower case and must outlive this object.
  explicit phrase_text(std::string_view lower);

  /// Whether the phrase occurs, beginning at a word. In a phrase `*` stands for up to 60
  /// characters of the same sentence part, `#` for a number, and a closing `>` demands that the
  /// word ends there. A leading `~` lets it begin inside a word.
  [[nodiscard]] bool has(std::string_view phrase) const;

  /// Whether the text is exactly the phrase, apart from a closing full stop.
  [[nodiscard]] bool is(std::string_view phrase) const;

private:
  static constexpr std::size_t slots = 4096;

  static std::size_t slot(std::string_view text, std::size_t at) noexcept;

  std::string_view lower_;
  std::bitset<slots> triples_;
};

} // namespace resilient::goal
