#include "core/goal/plain_text.hpp"

#include <array>

namespace resilient::goal {

namespace {

/// One typographic character and what stands for it. An empty replacement drops it.
struct replacement {
  std::string_view from;
  std::string_view to;
};

constexpr std::array replacements = {
    replacement{"\xc2\xa0", " "},       // no-break space
    replacement{"\xe2\x80\x8b", ""},    // zero width space
    replacement{"\xe2\x80\xaf", " "},   // narrow no-break space
    replacement{"\xe3\x80\x80", " "},   // ideographic space
    replacement{"\xef\xbb\xbf", ""},    // byte order mark
    replacement{"\xe2\x80\x98", "'"},   // quotes
    replacement{"\xe2\x80\x99", "'"},   //
    replacement{"\xe2\x80\x9c", "`"},   // not ", which would end a JSON string
    replacement{"\xe2\x80\x9d", "`"},   //
    replacement{"\xe2\x88\x92", "-"},   // minus
    replacement{"\xe2\x80\xa6", "..."}, //
    replacement{"\xe2\x8e\xbf", " "},   // the elbow before a tool's output
    replacement{"\xe2\x96\xa0", " "},   // black square
    replacement{"\xef\xbc\x9a", ":"},   // full width punctuation
    replacement{"\xef\xbc\x8c", ", "},  //
    replacement{"\xe3\x80\x81", ", "},  //
    replacement{"\xe3\x80\x82", ". "},  //
    replacement{"\xef\xbc\x88", "("},   //
    replacement{"\xef\xbc\x89", ")"},   //
    replacement{"\xef\xbc\x8b", "+"},   //
};

unsigned byte(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
}

/// Appends what stands for the multi-byte character at `at` and returns its length, or 0 if it
/// stays as it is.
std::size_t replace_character(std::string_view text, std::size_t at, std::string& out) {
  for (const auto& [from, to] : replacements) {
    if (starts_at(text, at, from)) {
      out += to;
      return from.size();
    }
  }
  const auto first = byte(text, at);
  const auto second = byte(text, at + 1);
  const auto third = byte(text, at + 2);
  if (first == 0xe2 && second == 0x80 && third >= 0x80 && third <= 0x8a) {
    out += ' ';
    return 3;
  }
  if (first == 0xe2 && second == 0x80 && third >= 0x90 && third <= 0x95) {
    // A long dash separates parts of a sentence, a short one belongs to its word.
    out += third >= 0x94 ? " - " : "-";
    return 3;
  }
  if (first == 0xe2 && (second == 0x94 || second == 0x95) && third >= 0x80) {
    out += ' ';
    return 3;
  }
  if (first == 0xef && second == 0xbc && third >= 0x90 && third <= 0x99) {
    out += static_cast<char>('0' + (third - 0x90));
    return 3;
  }
  return 0;
}

/// The length of the terminal sequence at `at`, which holds an escape character.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  const auto kind = byte(text, end);
  if (kind == '[') {
    ++end;
    while (end < text.size() && (byte(text, end) < 0x40 || byte(text, end) > 0x7e)) {
      ++end;
    }
    return end + 1 - at;
  }
  if (kind == ']') {
    while (end < text.size() && byte(text, end) != 0x07 && byte(text, end) != 0x1b) {
      ++end;
    }
    return (byte(text, end) == 0x1b ? end + 2 : end + 1) - at;
  }
  return 2;
}

void drop_trailing_blanks(std::string& out) {
  while (!out.empty() && out.back() == ' ') {
    out.pop_back();
  }
}

} // namespace

std::string unfold_text(std::string_view text, line_joint joint) {
  text = text.substr(0, readable_bytes);
  std::string raw;
  raw.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto c = byte(text, at);
    if (c == 0x1b) {
      at += sequence_length(text, at);
    } else if (c >= 0x80) {
      const auto length = replace_character(text, at, raw);
      if (length == 0) {
        raw += text[at];
      }
      at += length == 0 ? 1 : length;
    } else {
      if (c >= 0x20 || c == '\n') {
        raw += text[at];
      } else if (c == '\t') {
        raw += ' ';
      }
      ++at;
    }
  }

  std::string out;
  out.reserve(raw.size());
  for (std::size_t at = 0; at < raw.size();) {
    if (raw[at] == ' ') {
      if (!out.empty() && out.back() != ' ' && out.back() != '\n') {
        out += ' ';
      }
      ++at;
      continue;
    }
    if (raw[at] != '\n') {
      out += raw[at++];
      continue;
    }
    std::size_t lines = 0;
    while (at < raw.size() && (raw[at] == '\n' || raw[at] == ' ')) {
      lines += raw[at] == '\n' ? 1U : 0U;
      ++at;
    }
    drop_trailing_blanks(out);
    if (out.empty() || out.back() == '\n') {
      continue;
    }
    if (lines > 1) {
      out += '\n';
    } else if (joint == line_joint::blank) {
      out += ' ';
    }
  }
  drop_trailing_blanks(out);
  return out;
}

std::string lower_ascii(std::string_view text) {
  std::string out{text};
  for (auto& c : out) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return out;
}

std::string without_addresses(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto rest = tail(text, at);
    if (!rest.starts_with("http://") && !rest.starts_with("https://")) {
      out += text[at++];
      continue;
    }
    const auto length = rest.find_first_of(" \n\"'`<>)\\");
    at += length == std::string_view::npos ? rest.size() : length;
    // The full stop after an address ends a sentence, it is no part of the address.
    if (at > 0 && (text[at - 1] == '.' || text[at - 1] == ',')) {
      out += text[at - 1];
    }
    if (out.empty() || out.back() != ' ') {
      out += ' ';
    }
    at = skip_blanks(text, at);
  }
  return out;
}

bool is_html(std::string_view lower) {
  return lower.find("<!doctype html") != std::string_view::npos
         || lower.find("<html") != std::string_view::npos
         || (lower.find("<head>") != std::string_view::npos
             && lower.find("<body") != std::string_view::npos);
}

std::string html_words(std::string_view text) {
  const auto lower = lower_ascii(text);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '<') {
      out += text[at++];
      continue;
    }
    for (const std::string_view hidden : {"script", "style"}) {
      if (starts_at(lower, at + 1, hidden)) {
        const auto closing = lower.find("</" + std::string{hidden}, at + 1);
        at = closing == std::string::npos ? text.size() : closing;
      }
    }
    const auto end = text.find('>', at);
    // Texts of neighbouring elements are no sentence together.
    if (!out.empty() && out.back() != '\n') {
      out += '\n';
    }
    at = end == std::string_view::npos ? text.size() : end + 1;
  }
  return out;
}

} // namespace resilient::goal
