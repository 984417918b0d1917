#include "core/canon/mcp_frames.hpp"

namespace resilient::canon {

void mcp_frames::append(std::string_view bytes) {
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
  }
  buffer_.append(bytes);
}

void mcp_frames::finish() {
  finished_ = true;
}

std::optional<std::string_view> mcp_frames::next_line() {
  const std::size_t end = buffer_.find('\n', scanned_);
  if (end != std::string::npos) {
    const auto line = std::string_view{buffer_}.substr(begin_, end - begin_);
    begin_ = scanned_ = end + 1;
    return line;
  }
  scanned_ = buffer_.size();
  if (finished_ && begin_ < buffer_.size()) {
    const auto line = std::string_view{buffer_}.substr(begin_);
    begin_ = buffer_.size();
    return line;
  }
  return std::nullopt;
}

std::optional<mcp_frames::frame> mcp_frames::next() {
  while (const auto line = next_line()) {
    if (skipping_) {
      skipping_ = false; // the end of a line that was reported before
      continue;
    }
    if (line->size() > longest_) {
      return frame{.text = {}, .too_long = true};
    }
    // JSON allows these four around a value; CR also belongs to CRLF
    const std::size_t first = line->find_first_not_of(" \t\r");
    if (first != std::string_view::npos) {
      return frame{
          .text = std::string{line->substr(first, line->find_last_not_of(" \t\r") + 1 - first)},
          .too_long = false};
    }
  }
  if (buffer_.size() - begin_ > longest_) {
    // nothing of a line that will be refused needs to be kept
    buffer_.clear();
    buffer_.shrink_to_fit();
    begin_ = scanned_ = 0;
    if (!skipping_) {
      skipping_ = true;
      return frame{.text = {}, .too_long = true};
    }
  }
  return std::nullopt;
}

} // namespace resilient::canon
