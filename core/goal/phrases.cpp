#include "core/goal/phrases.hpp"

#include "core/goal/plain_text.hpp"

namespace resilient::goal {

namespace {

constexpr std::size_t gap_limit = 60;

bool word_begins(std::string_view text, std::size_t at) {
  return at == 0 || !is_word(text[at - 1]) || !is_word(text[at]);
}

std::size_t literal_length(std::string_view phrase) {
  const auto special = phrase.find_first_of("*#>");
  return special == std::string_view::npos ? phrase.size() : special;
}

/// Whether `phrase` stands in `text` at `at`.
bool matches_at(std::string_view phrase, std::string_view text, std::size_t at) {
  while (!phrase.empty()) {
    const auto length = literal_length(phrase);
    if (length > 0) {
      if (!starts_at(text, at, phrase.substr(0, length))) {
        return false;
      }
      at += length;
      phrase.remove_prefix(length);
      continue;
    }
    const char special = phrase.front();
    phrase.remove_prefix(1);
    if (special == '>') {
      return at >= text.size() || !is_word(text[at]);
    }
    if (special == '#') {
      const auto from = at;
      while (at < text.size()
             && (is_digit(text[at]) || (at > from && (text[at] == ',' || text[at] == '.')))) {
        ++at;
      }
      // A full stop or comma after the figure is none of it.
      while (at > from && !is_digit(text[at - 1])) {
        --at;
      }
      if (at == from) {
        return false;
      }
      continue;
    }
    for (std::size_t skipped = 0; skipped <= gap_limit && at + skipped <= text.size(); ++skipped) {
      if (skipped > 0 && text[at + skipped - 1] == '\n') {
        return false;
      }
      if (matches_at(phrase, text, at + skipped)) {
        return true;
      }
    }
    return false;
  }
  return true;
}

} // namespace

phrase_text::phrase_text(std::string_view lower) : lower_(lower) {
  for (std::size_t at = 0; at + 3 <= lower.size(); ++at) {
    triples_.set(slot(lower, at));
  }
}

std::size_t phrase_text::slot(std::string_view text, std::size_t at) noexcept {
  const auto byte = [&](std::size_t offset) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + offset]));
  };
  const std::uint32_t mixed = (byte(0) | (byte(1) << 8U) | (byte(2) << 16U)) * 2654435761U;
  return mixed >> 20U;
}

bool phrase_text::has(std::string_view phrase) const {
  const bool anywhere = phrase.starts_with('~');
  phrase.remove_prefix(anywhere ? 1 : 0);
  const auto head = phrase.substr(0, literal_length(phrase));
  for (std::size_t at = 0; at + 3 <= head.size(); ++at) {
    if (!triples_.test(slot(head, at))) {
      return false;
    }
  }
  for (auto at = lower_.find(head); at != std::string_view::npos; at = lower_.find(head, at + 1)) {
    if ((anywhere || word_begins(lower_, at))
        && matches_at(phrase.substr(head.size()), lower_, at + head.size())) {
      return true;
    }
  }
  return false;
}

bool phrase_text::is(std::string_view phrase) const {
  auto text = lower_;
  while (!text.empty() && std::string_view{" .!\n"}.find(text.back()) != std::string_view::npos) {
    text.remove_suffix(1);
  }
  return text == phrase;
}

} // namespace resilient::goal
