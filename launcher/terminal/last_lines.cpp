#include "launcher/terminal/last_lines.hpp"

#include "core/support/descriptor.hpp"
#include "core/support/secrets.hpp"
#include "core/support/text.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace resilient::launcher {

std::string without_controls(std::string line) {
  for (char& byte : line) {
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F) {
      byte = ' ';
    }
  }
  return to_valid_utf8(line);
}

namespace {

/// The end of a file, and whether a line is cut by where it begins.
struct file_end {
  std::string text;
  bool cut = false;
};

file_end read_end(const descriptor& file, std::size_t bytes, std::size_t not_before) {
  const off_t end = ::lseek(file.get(), 0, SEEK_END);
  const std::size_t size = end > 0 ? static_cast<std::size_t>(end) : 0;
  const std::size_t from = std::max(size - std::min(size, bytes), std::min(size, not_before));
  std::string text(size - from, '\0');
  const ssize_t count = ::pread(file.get(), text.data(), text.size(), static_cast<off_t>(from));
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return {std::move(text), from > not_before};
}

std::vector<std::string> lines_of(file_end read) {
  std::string& text = read.text;
  if (read.cut) {
    text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
  }
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(without_controls(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return lines;
}

descriptor open_to_read(const std::string& path) {
  return descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
}

/// ESC [ and what follows up to a letter is taken out.
std::string without_colours(std::string_view text) {
  constexpr std::string_view begin = "\x1b[";
  std::string plain;
  for (std::size_t escape = text.find(begin); escape != std::string_view::npos;
       escape = text.find(begin)) {
    plain += text.substr(0, escape);
    text.remove_prefix(escape + begin.size());
    const auto* const end = std::find_if(text.begin(), text.end(), is_ascii_letter);
    text.remove_prefix(std::min(static_cast<std::size_t>(end - text.begin()) + 1, text.size()));
  }
  plain += text;
  return plain;
}

/// Below an error Node writes where it happened, what else the error holds, and its own version.
bool belongs_to_an_error(std::string_view line) {
  return line.empty() || line.front() == ' ' || line.front() == '}'
         || starts_with(line, "Node.js v");
}

} // namespace

std::string last_words(const std::string& path, std::size_t before) {
  constexpr std::size_t most_read = 8192;
  constexpr std::size_t longest = 200;
  const descriptor opened = open_to_read(path);
  if (!opened) {
    return {};
  }
  file_end read = read_end(opened, most_read, before);
  read.text = without_colours(read.text);
  const std::vector<std::string> lines = lines_of(std::move(read));
  const auto line = std::find_if_not(lines.rbegin(), lines.rend(), belongs_to_an_error);
  return line == lines.rend() ? std::string{}
                              : std::string{utf16_prefix(mask_secrets(trim(*line)), longest)};
}

std::vector<std::string> last_lines(const std::string& path, std::size_t bytes) {
  const descriptor opened = open_to_read(path);
  return opened ? lines_of(read_end(opened, bytes, 0)) : std::vector<std::string>{};
}

} // namespace resilient::launcher
