#include "core/canon/article.hpp"
#include "core/canon/front_matter.hpp"
#include "core/canon/yaml_scalar.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

// Any bytes as an article file: reading and writing it back keeps the body and what others wrote,
// writing twice is writing once, and what is written reads back.
//
// Seeds: tests/fuzz/corpus/canon_article and the articles below tests/core/canon/older_store.

namespace {

void demand(bool holds) {
  if (!holds) {
    std::abort();
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace resilient::canon;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const article before = parse_article(bytes);
  const article_change change{"New words.", std::nullopt, std::nullopt};
  const std::string written = compose_article(apply_change(before, change, "2026-12-01"));
  const article after = parse_article(written);
  demand(after.capsule.value == "New words.");
  demand(after.updated.value == "2026-12-01");
  demand(after.scope.value == before.scope.value);
  demand(before.body.empty() || after.body == before.body);
  demand(after.byte_order_mark == before.byte_order_mark);
  demand(compose_article(apply_change(after, change, "2026-12-01")) == written);
  static_cast<void>(after.title());

  const std::string capsule = fold_capsule(bytes);
  const article quoted =
      parse_article(compose_article(apply_change(std::nullopt, {capsule, "B", "rule"}, "d")));
  if (quoted.capsule.value != capsule) {
    // Bytes that are not UTF-8 are replaced when a value is quoted, and only then.
    demand(needs_quotes(capsule));
    demand(quoted.capsule.value == fold_capsule(unquote(quote_if_needed(capsule))));
  }
  demand(without_pasted_front_matter(bytes).size() <= bytes.size());
  return 0;
}
