#include "core/canon/address.hpp"
#include "core/canon/lint.hpp"
#include "core/canon/relations.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

// Any bytes as a body, as a path and as two versions of a text: links and addresses keep to their
// shapes, and code is a part of the text.
//
// Seeds: tests/fuzz/corpus/canon_wikilinks.

namespace {

/// Whether an address has the shape that keeps it below the articles.
bool is_contained(const std::string& address) {
  return ("/" + address + "/").find("/../") == std::string::npos
         && ("/" + address + "/").find("/./") == std::string::npos
         && (address.empty() || (address.front() != '/' && address.back() != '/'))
         && address.find("//") == std::string::npos;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace resilient::canon;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const byte_range& range : code_ranges(bytes)) {
    if (range.begin >= range.end || range.end > bytes.size()) {
      std::abort();
    }
  }
  for (const std::string& target : wikilinks(bytes)) {
    if (target.empty() || target.find_first_of("\n|#]") != std::string::npos
        || bytes.find(target) == std::string::npos) {
      std::abort();
    }
  }
  if (citations(bytes).size() > wikilinks(bytes).size()) {
    std::abort();
  }
  for (const std::string directory : {"", "/w/proj", "/"}) {
    if (!is_contained(normalize(bytes, directory)) || !is_contained(contained(bytes, directory))) {
      std::abort();
    }
  }
  const std::string half = bytes.substr(0, size / 2);
  if (!dropped_constraints(bytes, bytes).empty() || dropped_constraints(bytes, half).size() > 2) {
    std::abort();
  }
  return 0;
}
