#include "core/canon/relations.hpp"

#include "core/support/text.hpp"

#include <md4c.h>
#include <utf8proc.h>

#include <algorithm>
#include <functional>
#include <limits>

namespace resilient::canon {

namespace {

/// Collects the code that md4c shows, by the place of its bytes in the text.
struct code_collector {
  std::string_view text;
  std::vector<byte_range> ranges;

  void add(const char* begin, std::size_t size) {
    // md4c makes up some bytes itself (indentation, line ends); those lie elsewhere.
    const std::less<> before;
    if (size == 0 || before(begin, text.data())
        || before(text.data() + text.size(), begin + size)) {
      return;
    }
    const auto offset = static_cast<std::size_t>(begin - text.data());
    ranges.push_back({offset, offset + size});
  }
};

int enter_block(MD_BLOCKTYPE type, void* detail, void* collector) {
  if (type == MD_BLOCK_CODE) {
    const auto* code = static_cast<const MD_BLOCK_CODE_DETAIL*>(detail);
    static_cast<code_collector*>(collector)->add(code->info.text, code->info.size);
  }
  return 0;
}

int add_text(MD_TEXTTYPE type, const MD_CHAR* begin, MD_SIZE size, void* collector) {
  if (type == MD_TEXT_CODE) {
    static_cast<code_collector*>(collector)->add(begin, size);
  }
  return 0;
}

bool touches(const std::vector<byte_range>& ranges, byte_range part) {
  const auto next = std::lower_bound(
      ranges.begin(), ranges.end(), part.begin,
      [](const byte_range& range, std::size_t begin) { return range.end <= begin; });
  return next != ranges.end() && next->begin < part.end;
}

std::string lower(std::string_view text) {
  std::string lowered;
  while (!text.empty()) {
    append_code_point(lowered, static_cast<char32_t>(utf8proc_tolower(
                                   static_cast<utf8proc_int32_t>(take_code_point(text)))));
  }
  return lowered;
}

} // namespace

std::vector<byte_range> code_ranges(std::string_view markdown) {
  code_collector collector{markdown, {}};
  if (markdown.size() >= std::numeric_limits<MD_SIZE>::max() / 2) {
    return {};
  }
  MD_PARSER parser{};
  parser.flags = MD_DIALECT_COMMONMARK;
  parser.enter_block = enter_block;
  parser.leave_block = [](MD_BLOCKTYPE, void*, void*) { return 0; };
  parser.enter_span = [](MD_SPANTYPE, void*, void*) { return 0; };
  parser.leave_span = [](MD_SPANTYPE, void*, void*) { return 0; };
  parser.text = add_text;
  md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &collector);
  std::sort(
      collector.ranges.begin(), collector.ranges.end(),
      [](const byte_range& left, const byte_range& right) { return left.begin < right.begin; });
  return collector.ranges;
}

std::vector<std::string> wikilinks(std::string_view markdown) {
  std::vector<std::string> targets;
  std::set<std::string> known;
  if (markdown.find("[[") == std::string_view::npos) {
    return targets;
  }
  const std::vector<byte_range> code = code_ranges(markdown);
  for (std::size_t at = markdown.find("[["); at != std::string_view::npos;
       at = markdown.find("[[", at)) {
    const std::size_t begin = at + 2;
    const std::size_t end = markdown.find_first_of("]\n", begin);
    if (end == std::string_view::npos) {
      break;
    }
    const std::size_t inner = markdown.substr(begin, end - begin).rfind("[[");
    if (inner != std::string_view::npos) {
      at = begin + inner; // `[[a [[b]]` links to b
      continue;
    }
    at = begin;
    if (markdown.substr(end, 2) != "]]" || touches(code, {begin - 2, end + 2})) {
      continue;
    }
    std::string_view target = markdown.substr(begin, end - begin);
    target = trim(target.substr(0, target.find_first_of("|#")));
    if (ends_with(target, ".md")) {
      target.remove_suffix(3);
    }
    if (!target.empty() && known.emplace(target).second) {
      targets.emplace_back(target);
    }
  }
  return targets;
}

std::set<std::string> citations(std::string_view markdown) {
  std::set<std::string> distinct;
  for (const std::string& target : wikilinks(markdown)) {
    distinct.insert(lower(target));
  }
  return distinct;
}

} // namespace resilient::canon
