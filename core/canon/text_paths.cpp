#include "core/canon/text_paths.hpp"

#include "core/support/text.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

namespace resilient::canon {

namespace {

// A longer string is a text, and a longer run no path that a person would write.
constexpr std::size_t longest_whole = 512;
// `**src/a.ts**).` needs four.
constexpr int most_closing = 5;

/// What ends a run whatever stands around it.
constexpr std::string_view run_ends = " \t\r\n\v\f\"'`<>|;&\\";
/// What may stand between paths in a run, though a name can hold it too.
constexpr std::string_view separators = ":=,()[]{}@#?!";
/// What a sentence may put behind a path, and what it may put before it.
constexpr std::string_view closing = ".,;:!?)]}>";
/// Emphasis, when it stands on both sides.
constexpr std::string_view emphasis = "*_";
constexpr std::string_view opening = "([{<@";
/// A name with one of these is a pattern or an expression.
constexpr std::string_view unlikely = "*?$^|<>\"{}\\`=:;&#";

/// Blanks, quotes and stops of other scripts: they end a run too.
bool ends_run(char32_t code_point) noexcept {
  return is_white_space(code_point) || (code_point >= 0x2018 && code_point <= 0x201F)
         || (code_point >= 0x2013 && code_point <= 0x2014) || code_point == 0x2026
         || (code_point >= 0x3000 && code_point <= 0x3003)
         || (code_point >= 0x3008 && code_point <= 0x3011)
         || (code_point >= 0xFF08 && code_point <= 0xFF0C) || code_point == 0xFF1A
         || code_point == 0xFF1B || code_point == 0xFF01 || code_point == 0xFF1F
         || code_point == 0x00AB || code_point == 0x00BB || code_point == replacement_character;
}

/// Takes the next run off `rest`; empty between two ends.
std::string_view take_run(std::string_view& rest) {
  const std::string_view begin = rest;
  while (!rest.empty()) {
    const auto byte = static_cast<unsigned char>(rest.front());
    if (byte < 0x80) {
      if (byte < 0x20 || run_ends.find(rest.front()) != std::string_view::npos) {
        const std::string_view run = begin.substr(0, begin.size() - rest.size());
        rest.remove_prefix(1);
        return run;
      }
      rest.remove_prefix(1);
      continue;
    }
    std::string_view next = rest;
    if (ends_run(take_code_point(next))) {
      const std::string_view run = begin.substr(0, begin.size() - rest.size());
      rest = next;
      return run;
    }
    rest = next;
  }
  return begin;
}

bool has_slash(std::string_view text) noexcept {
  return text.find('/') != std::string_view::npos;
}

std::string_view last_name_of(std::string_view path) noexcept {
  while (!path.empty() && path.back() == '/') {
    path.remove_suffix(1);
  }
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// Whether a name that does not exist looks like a file that is about to be made: an extension of
/// a letter and a few more.
bool looks_like_file(std::string_view path) noexcept {
  if (path.empty() || path.back() == '/'
      || path.find_first_of(unlikely) != std::string_view::npos) {
    return false;
  }
  const std::string_view name = last_name_of(path);
  const std::size_t dot = name.rfind('.');
  return dot != std::string_view::npos && dot > 0 && dot + 1 < name.size()
         && name.size() - dot <= 12 && is_ascii_letter(name[dot + 1])
         && std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dot) + 1, name.end(),
                        [](char byte) { return is_ascii_letter(byte) || is_ascii_digit(byte); });
}

/// `user@host:path` names a file elsewhere.
bool is_remote(std::string_view run) noexcept {
  const std::string_view before_slash = run.substr(0, run.find('/'));
  const std::size_t at = before_slash.find('@');
  return at != std::string_view::npos && at > 0
         && before_slash.find(':', at) != std::string_view::npos;
}

class run_reader {
public:
  run_reader(touch_list& found, std::vector<std::string> folders)
      : found_(found), folders_(std::move(folders)) {}

  void read(std::string_view run);

private:
  bool add_existing(std::string_view path);
  bool add_stripped(std::string_view run);
  bool add_future(std::string_view path);
  bool add_plain_part(std::string_view run);

  touch_list& found_;
  std::vector<std::string> folders_;
  /// Parts of the text that were looked at: texts repeat their paths.
  std::unordered_set<std::string_view> seen_;
};

bool run_reader::add_existing(std::string_view path) {
  return has_slash(path)
         && std::any_of(folders_.begin(), folders_.end(), [&](const std::string& folder) {
              return !folder.empty() && found_.add_existing(path, folder);
            });
}

bool run_reader::add_future(std::string_view path) {
  return has_slash(path) && looks_like_file(path)
         && std::any_of(folders_.begin(), folders_.end(), [&](const std::string& folder) {
              return !folder.empty() && found_.add_new(path, folder);
            });
}

/// As it stands, then without what a sentence puts around it.
bool run_reader::add_stripped(std::string_view run) {
  if (!has_slash(run) || run.find_first_not_of("./") == std::string_view::npos
      || !seen_.insert(run).second) {
    return false;
  }
  if (add_existing(run)) {
    return true;
  }
  std::string_view bare = run;
  bool is_emphatic = false;
  while (!bare.empty()) {
    const bool marks = emphasis.find(bare.front()) != std::string_view::npos;
    if (!marks && opening.find(bare.front()) == std::string_view::npos) {
      break;
    }
    is_emphatic = is_emphatic || marks;
    bare.remove_prefix(1);
  }
  if (bare.size() != run.size() && add_existing(bare)) {
    return true;
  }
  const auto closes = [is_emphatic](char byte) {
    return closing.find(byte) != std::string_view::npos
           || (is_emphatic && emphasis.find(byte) != std::string_view::npos);
  };
  for (int taken = 0; taken < most_closing && !bare.empty() && closes(bare.back()); ++taken) {
    // `src/...` is what is below `src`, not what is above it.
    const bool is_dot = bare.back() == '.';
    do {
      bare.remove_suffix(1);
    } while (is_dot && !bare.empty() && bare.back() == '.');
    // Every shorter form that ends a name: `a.ts).` is `a.ts)` or `a.ts`.
    if (add_existing(bare)) {
      return true;
    }
  }
  // What a diff puts before a name.
  if ((starts_with(bare, "a/") || starts_with(bare, "b/")) && add_existing(bare.substr(2))) {
    return true;
  }
  return bare.find_first_of(":=,()[]{}") == std::string_view::npos && add_future(bare);
}

/// The longest part of ASCII letters, digits and `_.@/-`, for scripts that do not use blanks.
bool run_reader::add_plain_part(std::string_view run) {
  const auto is_plain = [](char byte) {
    return is_ascii_letter(byte) || is_ascii_digit(byte)
           || std::string_view("_.@/-").find(byte) != std::string_view::npos;
  };
  const auto is_wide = [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; };
  if (std::none_of(run.begin(), run.end(), is_wide)) {
    return false;
  }
  bool any = false;
  for (std::size_t at = 0; at < run.size();) {
    std::size_t end = at;
    while (end < run.size() && is_plain(run[end])) {
      ++end;
    }
    any = add_existing(run.substr(at, end - at)) || any;
    at = end + 1;
  }
  return any;
}

void run_reader::read(std::string_view run) {
  if (run.size() >= longest_whole || !has_slash(run) || seen_.count(run) > 0) {
    return;
  }
  if (run.find("://") != std::string_view::npos || starts_with(run, "file:/")) {
    const std::size_t url = run.find("file:/");
    if (url != std::string_view::npos) {
      std::string_view bare = run.substr(url);
      for (int taken = 0; !add_existing(file_url_path(bare)) && taken < most_closing
                          && closing.find(bare.back()) != std::string_view::npos;
           ++taken) {
        bare.remove_suffix(1);
      }
    }
    return;
  }
  if (add_stripped(run) || is_remote(run)) {
    return;
  }
  bool any = false;
  std::string_view rest = run;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(separators), rest.size());
    if (end < run.size()) {
      any = add_stripped(rest.substr(0, end)) || any;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (!any) {
    (void)add_plain_part(run);
  }
}

} // namespace

std::string file_url_path(std::string_view text) {
  constexpr std::string_view scheme = "file:";
  if (!starts_with(text, scheme)) {
    return "";
  }
  text.remove_prefix(scheme.size());
  for (const std::string_view host : {"//localhost/", "///"}) {
    if (starts_with(text, host)) {
      text.remove_prefix(host.size() - 1);
      break;
    }
  }
  if (!starts_with(text, "/") || starts_with(text, "//")) {
    return "";
  }
  text = text.substr(0, text.find_first_of("?#"));
  const auto digit = [](char byte) {
    constexpr std::string_view digits = "0123456789abcdef";
    return digits.find(is_ascii_upper(byte) ? static_cast<char>(byte - 'A' + 'a') : byte);
  };
  std::string path;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t high = at + 2 < text.size() ? digit(text[at + 1]) : std::string_view::npos;
    const std::size_t low = at + 2 < text.size() ? digit(text[at + 2]) : std::string_view::npos;
    if (text[at] == '%' && high != std::string_view::npos && low != std::string_view::npos) {
      path += static_cast<char>(high * 16 + low);
      at += 2;
    } else {
      path += text[at];
    }
  }
  return path;
}

void add_paths_in_text(touch_list& found, std::string_view text,
                       const std::vector<std::string>& folders) {
  run_reader reader(found, folders);
  while (!text.empty() && found.finder().budget() > 0) {
    reader.read(take_run(text));
  }
}

bool add_whole_string(touch_list& found, std::string_view text,
                      const std::vector<std::string>& folders, bool is_path) {
  std::string_view whole = trim(text);
  if (whole.empty() || whole.size() >= longest_whole
      || whole.find('\n') != std::string_view::npos) {
    return false;
  }
  const std::string decoded = file_url_path(whole);
  if (!decoded.empty()) {
    whole = decoded;
    is_path = true;
  } else if (whole.find("://") != std::string_view::npos) {
    return false;
  }
  std::string slashed(whole);
  std::replace(slashed.begin(), slashed.end(), '\\', '/');
  for (const std::string& each : folders) {
    if (found.add_existing(slashed, each)) {
      return true;
    }
  }
  if (!has_slash(slashed)) {
    return false;
  }
  // Behind a name: `**/*.ts` stands for nothing in particular.
  const std::size_t wildcard = whole.find_first_of("*?[");
  if (wildcard != std::string_view::npos && wildcard > slashed.find('/', 1)) {
    for (const std::string& each : folders) {
      if (found.add_matches(whole, whole, each)) {
        return true;
      }
    }
  }
  const std::string_view name = last_name_of(slashed);
  const bool is_likely =
      slashed.find_first_of(unlikely) == std::string::npos
      && (is_path || std::none_of(name.begin(), name.end(), [](char byte) { return byte == ' '; }));
  if (!is_likely) {
    return false;
  }
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& each) { return found.add_new(slashed, each); });
}

} // namespace resilient::canon
