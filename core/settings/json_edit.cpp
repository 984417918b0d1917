#include "core/settings/json_edit.hpp"

#include "core/settings/json_tokens.hpp"

#include <utility>

namespace resilient::settings {

namespace {

struct span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct member {
  span key;
  span value;
};

/// The top-level object, as far as an edit needs to know it.
struct outline {
  std::size_t inside = 0; ///< just behind the opening brace
  std::size_t close = 0;  ///< the closing brace
  std::optional<member> last;
  std::size_t before_last_key = 0; ///< behind the comma or brace in front of the last member
  std::optional<member> wanted;    ///< the last one that has the key
};

class outliner {
public:
  outliner(std::string_view text, std::string_view key, std::string_view shown)
      : text_{text}, key_{key}, shown_{shown}, tokens_{text, shown} {}

  result<outline> run() {
    auto first = tokens_.next();
    if (!first) {
      return tl::unexpected(std::move(first).error());
    }
    if (first->kind != token_kind::object_begin) {
      return fail(error_kind::data,
                  "{} does not hold a JSON object. Correct the file; it was not changed.", shown_);
    }
    found_.inside = first->end;
    previous_end_ = first->end;
    for (;;) {
      auto read = tokens_.next();
      if (!read) {
        return tl::unexpected(std::move(read).error());
      }
      if (read->kind == token_kind::end_of_text) {
        return found_;
      }
      take(*read);
    }
  }

private:
  void take(const token& read) {
    if (read.depth == 0) {
      found_.close = read.begin;
      return;
    }
    if (read.depth != 1) {
      return;
    }
    switch (read.kind) {
    case token_kind::key:
      current_.key = {read.begin, read.end};
      found_.before_last_key = comma_behind(previous_end_, read.begin);
      return;
    case token_kind::object_begin:
    case token_kind::array_begin:
      current_.value.begin = read.begin;
      return;
    case token_kind::object_end:
    case token_kind::array_end:
      break;
    default:
      current_.value.begin = read.begin;
    }
    current_.value.end = read.end;
    previous_end_ = read.end;
    found_.last = current_;
    if (decode_string(part(current_.key)) == key_) {
      found_.wanted = current_;
    }
  }

  /// Where the space in front of a key begins: behind the comma, or behind the brace when there is
  /// no comma.
  [[nodiscard]] std::size_t comma_behind(std::size_t from, std::size_t to) const {
    const std::size_t comma = text_.substr(0, to).find(',', from);
    return comma == std::string_view::npos ? from : comma + 1;
  }

  [[nodiscard]] std::string_view part(const span& of) const {
    return text_.substr(of.begin, of.end - of.begin);
  }

  std::string_view text_;
  std::string_view key_;
  std::string_view shown_;
  json_tokens tokens_;
  outline found_;
  member current_;
  std::size_t previous_end_ = 0;
};

std::string joined(std::string_view before, std::string_view inserted, std::string_view after) {
  std::string text;
  text.reserve(before.size() + inserted.size() + after.size());
  text += before;
  text += inserted;
  text += after;
  return text;
}

/// The last line end in `space` with the indentation behind it; empty when there is none.
std::string_view line_start(std::string_view space) {
  const std::size_t feed = space.rfind('\n');
  if (feed == std::string_view::npos) {
    return {};
  }
  return space.substr(feed > 0 && space[feed - 1] == '\r' ? feed - 1 : feed);
}

std::string insert_into_empty(std::string_view text, const outline& found, const std::string& key,
                              const std::string& value) {
  const std::string_view space = text.substr(found.inside, found.close - found.inside);
  const std::string_view line = line_start(space);
  std::string inserted;
  if (line.empty()) {
    inserted = fmt::format("{}{}: {}", space, key, value);
  } else {
    const std::string_view line_end = line.substr(0, line.front() == '\r' ? 2 : 1);
    inserted = fmt::format("{}{}  {}: {}", line_end, line.substr(line_end.size()), key, value);
  }
  return joined(text.substr(0, found.inside), inserted, text.substr(found.inside));
}

std::string insert_behind_last(std::string_view text, const outline& found, const std::string& key,
                               const std::string& value) {
  const member& last = *found.last;
  std::string_view colon = text.substr(last.key.end, last.value.begin - last.key.end);
  if (colon.find('\n') != std::string_view::npos) {
    colon = ": ";
  }
  const std::string_view space =
      text.substr(found.before_last_key, last.key.begin - found.before_last_key);
  std::string_view separator = space;
  if (const std::string_view line = line_start(space); !line.empty()) {
    separator = line;
  } else if (space.empty() && colon.back() == ' ') {
    separator = " ";
  }
  const std::string inserted = fmt::format(",{}{}{}{}", separator, key, colon, value);
  return joined(text.substr(0, last.value.end), inserted, text.substr(last.value.end));
}

} // namespace

result<std::string> set_string(std::string_view text, std::string_view key, std::string_view value,
                               std::string_view shown) {
  const std::string quoted_key = encode_string(key);
  const std::string quoted_value = encode_string(value);
  if (text.empty()) {
    return fmt::format("{{\n  {}: {}\n}}\n", quoted_key, quoted_value);
  }
  const auto found = outliner{text, key, shown}.run();
  if (!found) {
    return tl::unexpected(found.error());
  }
  if (found->wanted) {
    const span& old = found->wanted->value;
    return joined(text.substr(0, old.begin), quoted_value, text.substr(old.end));
  }
  return found->last ? insert_behind_last(text, *found, quoted_key, quoted_value)
                     : insert_into_empty(text, *found, quoted_key, quoted_value);
}

result<bool> has_member(std::string_view text, std::string_view key, std::string_view shown) {
  if (text.empty()) {
    return false;
  }
  return outliner{text, key, shown}.run().map(
      [](const outline& found) { return found.wanted.has_value(); });
}

} // namespace resilient::settings
