#include "launcher/terminal/last_lines.hpp"

#include "core/support/descriptor.hpp"
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

std::vector<std::string> last_lines(const std::string& path, std::size_t bytes) {
  const descriptor opened{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!opened) {
    return {};
  }
  const off_t size = ::lseek(opened.get(), 0, SEEK_END);
  const off_t from = std::max<off_t>(size - static_cast<off_t>(bytes), 0);
  std::string text(bytes, '\0');
  const ssize_t count = ::pread(opened.get(), text.data(), text.size(), from);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (from > 0) {
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

} // namespace resilient::launcher
