#include "core/canon/journal.hpp"
#include "core/canon/lint.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

// Any bytes as a journal entry, as a slug and as an event: an entry that was read can be written
// and reads back the same, and no text confuses the search for values and secrets.
//
// Seeds: tests/fuzz/corpus/canon_entry and the journals below tests/core/canon/older_store.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace resilient::canon;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const journal_entry read = parse_entry("2026-11-30-x.md", bytes);
  journal_entry entry = read;
  entry.logged = "2026-11-30T17:05:02.875Z";
  const journal_entry first = parse_entry(entry.name, compose_entry(entry));
  const journal_entry second = parse_entry(entry.name, compose_entry(first));
  if (first.subjects != second.subjects || first.logged != entry.logged
      || first.harness != second.harness || first.session != second.session
      || first.body != second.body) {
    std::abort();
  }
  const std::string slug = slug_from(bytes);
  if (slug.empty() || slug.size() > 80
      || slug.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos) {
    std::abort();
  }
  if (missing_values(bytes, "").size() > 6 || !missing_values(bytes, bytes).empty()) {
    std::abort();
  }
  static_cast<void>(secret_advice(bytes, bytes));
  return 0;
}
