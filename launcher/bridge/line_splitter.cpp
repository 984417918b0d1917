#include "launcher/bridge/line_splitter.hpp"

namespace resilient::launcher {

void line_splitter::add(std::string_view bytes) {
  // What was cut is dropped now and then, not for every line.
  if (begin_ > 0 && begin_ >= bytes_.size() / 2) {
    bytes_.erase(0, begin_);
    searched_ -= begin_;
    begin_ = 0;
  }
  bytes_.append(bytes);
}

std::optional<std::string> line_splitter::next() {
  while (true) {
    const std::size_t end = bytes_.find('\n', searched_);
    if (end == std::string::npos) {
      searched_ = bytes_.size();
      return std::nullopt;
    }
    if (end - begin_ + 1 > longest_) {
      searched_ = end;
      return std::nullopt;
    }
    std::string line = bytes_.substr(begin_, end - begin_);
    begin_ = end + 1;
    searched_ = begin_;
    if (!line.empty() && line.back() == '\r') {
      line.pop_back();
    }
    if (line.find_first_not_of(" \t") != std::string::npos) {
      return line;
    }
  }
}

bool line_splitter::is_too_long() const {
  const std::size_t end = bytes_.find('\n', searched_);
  const std::size_t length = (end == std::string::npos ? bytes_.size() : end + 1) - begin_;
  // Without its newline a line may still be one byte short of the limit.
  return end == std::string::npos ? length >= longest_ : length > longest_;
}

} // namespace resilient::launcher
