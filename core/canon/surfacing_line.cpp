#include "core/canon/surfacing_line.hpp"

#include "core/support/text.hpp"

namespace resilient::canon {

surfacing_line line_of(const std::string& key, const governing_article& governing) {
  const article& content = governing.content;
  surfacing_line line;
  line.key = key;
  line.hash = governing.hash;
  std::string head = key;
  if (!content.updated.value.empty()) {
    head += " (updated " + content.updated.value + ")";
  }
  head += ": ";
  line.pointer = to_valid_utf8(head + "an article is here; read it before you rely on this asset.");
  line.has_capsule = !content.capsule.value.empty();
  // A capsule that was edited by hand may hold line breaks of its own.
  line.text =
      line.has_capsule ? to_valid_utf8(head + fold_capsule(content.capsule.value)) : line.pointer;
  return line;
}

std::optional<surfacing_line> line_for(const places& where, const std::string& path) {
  const located found = where.locate(path);
  if (found.address.empty()) {
    return std::nullopt;
  }
  const place& in = where.at(found.place);
  const auto governing = in.knowledge.resolve(found.address);
  if (!governing || !*governing) {
    return std::nullopt;
  }
  return line_of(in.qualified((*governing)->address), **governing);
}

} // namespace resilient::canon
