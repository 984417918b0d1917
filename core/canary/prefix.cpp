#include "core/canary/prefix.hpp"

#include "core/support/text.hpp"

namespace resilient::canary {

std::string prefix_of(std::string_view keyword) {
  std::string prefix{keyword};
  prefix += ": ";
  return prefix;
}

prefix_check check_prefix(std::string_view text, std::string_view keyword) {
  // Some models send a line end before each tool call; nobody sees it.
  if (trim(text).empty()) {
    return prefix_check::nothing_visible;
  }
  return starts_with(text, prefix_of(keyword)) ? prefix_check::kept : prefix_check::missed;
}

std::string visible_text(const std::vector<std::string>& blocks) {
  std::string text;
  for (const std::string& block : blocks) {
    if (block.empty()) {
      continue;
    }
    if (!text.empty()) {
      text += '\n';
    }
    text += block;
  }
  return text;
}

} // namespace resilient::canary
