#include "core/canon/shell_expansion.hpp"

#include "core/support/text.hpp"

#include <algorithm>
#include <utility>

namespace resilient::canon {

namespace {

using piece_kind = shell_piece::kind_type;

// Words that one word may become, and the length of each.
constexpr std::size_t most_words = 40;
constexpr std::size_t longest_value = 1024;
constexpr char unknown_byte = '\x01';

constexpr std::string_view special = "\\*?[]";

bool is_wild(char byte) noexcept {
  return byte == '*' || byte == '?' || byte == '[';
}

/// A word on its way: text and pattern, which has wildcards or not.
struct growing {
  std::string text;
  std::string pattern;
  bool has_wildcards = false;
  bool is_unknown = false;

  void add_literal(std::string_view more) {
    text += more;
    for (const char byte : more) {
      if (special.find(byte) != std::string_view::npos) {
        pattern += '\\';
      }
      pattern += byte;
    }
  }
  void add_plain(std::string_view more) {
    text += more;
    pattern += more;
    has_wildcards = has_wildcards || std::any_of(more.begin(), more.end(), is_wild);
  }
  void add_unknown() {
    text += unknown_byte;
    is_unknown = true;
  }
};

/// The alternatives of `{a,b}` that begins at `open` in unquoted text, and the place behind it.
struct braces {
  std::vector<std::string_view> alternatives;
  std::size_t end = 0;
};
braces read_braces(std::string_view text, std::size_t open) {
  braces read;
  const std::size_t close = text.find('}', open);
  if (close == std::string_view::npos) {
    return read;
  }
  std::string_view inside = text.substr(open + 1, close - open - 1);
  if (inside.find(',') == std::string_view::npos || inside.find('{') != std::string_view::npos) {
    return read;
  }
  while (true) {
    const std::size_t comma = inside.find(',');
    read.alternatives.push_back(inside.substr(0, comma));
    if (comma == std::string_view::npos) {
      break;
    }
    inside.remove_prefix(comma + 1);
  }
  read.end = close + 1;
  return read;
}

class expander {
public:
  void add_plain(std::string_view text);
  void add_literal(std::string_view text) {
    for (growing& each : words_) {
      each.add_literal(text);
    }
    limit();
  }
  void add_unknown() {
    for (growing& each : words_) {
      each.add_unknown();
    }
  }
  void add_values(const std::vector<expanded_word>& values);
  static void add_value(growing& word, const expanded_word& value);
  std::vector<growing> take() && { return std::move(words_); }

private:
  /// Alternatives of a text are not worth their room.
  void limit() {
    if (words_.size() > 1 && words_.front().text.size() > longest_value) {
      words_.resize(1);
    }
  }

  std::vector<growing> words_ = std::vector<growing>(1);
};

void expander::add_plain(std::string_view text) {
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    const braces read = open == std::string_view::npos || words_.size() >= most_words
                            ? braces{}
                            : read_braces(text, open);
    if (read.end == 0) {
      // No further brace can be one: an alternative of one word is text as well.
      for (growing& each : words_) {
        each.add_plain(text);
      }
      limit();
      return;
    }
    std::vector<growing> grown;
    for (const growing& each : words_) {
      for (const std::string_view alternative : read.alternatives) {
        if (grown.size() < most_words) {
          grown.push_back(each);
          grown.back().add_plain(text.substr(0, open));
          grown.back().add_plain(alternative);
        }
      }
    }
    words_ = std::move(grown);
    limit();
    text.remove_prefix(read.end);
  }
}

void expander::add_value(growing& word, const expanded_word& value) {
  const std::string_view text = std::string_view(value.text).substr(0, longest_value);
  if (word.text.size() > longest_value || value.is_unknown) {
    word.add_unknown();
  } else if (value.pattern.empty() || value.text.size() > longest_value) {
    word.add_literal(text);
  } else {
    word.text += text;
    word.pattern += value.pattern;
    word.has_wildcards = true;
  }
}

void expander::add_values(const std::vector<expanded_word>& values) {
  if (values.empty()) {
    add_unknown();
  } else if (values.size() == 1 || words_.size() * values.size() > most_words) {
    for (growing& each : words_) {
      add_value(each, values.front());
    }
  } else {
    std::vector<growing> grown;
    for (const growing& each : words_) {
      for (const expanded_word& value : values) {
        grown.push_back(each);
        add_value(grown.back(), value);
      }
    }
    words_ = std::move(grown);
  }
}

/// The length of `name` in `name=`, 0 when the text does not begin so.
std::size_t assigned_name(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()
         && (is_ascii_letter(text[end]) || text[end] == '_'
             || (end > 0 && is_ascii_digit(text[end])))) {
    ++end;
  }
  return end > 0 && end < text.size() && text[end] == '=' ? end : 0;
}

} // namespace

expanded_word expanded_word::literal(std::string text) {
  expanded_word word;
  word.text = std::move(text);
  return word;
}

std::vector<expanded_word> expand_word(const shell_word& word, const variable_table& variables,
                                       const std::string& folder, const std::string& project) {
  expander words;
  for (const shell_piece& piece : word) {
    if (piece.kind == piece_kind::plain) {
      words.add_plain(piece.text);
    } else if (piece.kind == piece_kind::quoted) {
      words.add_literal(piece.text);
    } else if (piece.kind == piece_kind::variable) {
      const auto found = variables.find(piece.text);
      if (found == variables.end()) {
        words.add_unknown();
      } else {
        words.add_values(found->second);
      }
    } else if (piece.text == "pwd" && !folder.empty()) {
      words.add_literal(folder);
    } else if (piece.text == "git rev-parse --show-toplevel") {
      words.add_literal(project);
    } else {
      words.add_unknown();
    }
  }
  const std::size_t name = !word.empty() && word.front().kind == piece_kind::plain
                               ? assigned_name(word.front().text)
                               : 0;
  std::vector<expanded_word> expanded;
  for (growing& each : std::move(words).take()) {
    expanded_word done;
    done.is_unknown = each.is_unknown;
    done.assigned_name_size = name;
    if (each.has_wildcards && !each.is_unknown) {
      done.pattern = std::move(each.pattern);
    }
    done.text = std::move(each.text);
    expanded.push_back(std::move(done));
  }
  return expanded;
}

} // namespace resilient::canon
