#include "core/goal/classify.hpp"

#include "core/goal/explain.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

// Any bytes as an error text, as a header and as a zone: the classifier must neither crash nor
// throw, and may not give a reset without a used-up plan or one that has passed.
//
// Seeds: the lines of tests/core/goal/provider-errors.jsonl, one file each.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace resilient;
  using namespace resilient::goal;
  failure seen;
  seen.text.assign(reinterpret_cast<const char*>(data), size);
  seen.observed_at = wall_time{std::chrono::hours{24 * 365 * 56}};
  seen.local_zone = "Europe/Berlin";
  if (size > 4) {
    // Two bytes choose what else the host tells.
    if ((data[0] & 1U) != 0) {
      seen.status = 400 + data[1] % 200;
    }
    if ((data[0] & 2U) != 0) {
      seen.headers = {{"retry-after", seen.text.substr(2, 40)},
                      {"x-ratelimit-reset", seen.text.substr(2, 24)},
                      {"x-codex-primary-used-percent", "100"},
                      {"x-codex-primary-reset-at", seen.text.substr(2, 16)}};
    }
    if ((data[0] & 4U) != 0) {
      seen.provider = "zai";
      seen.local_zone = seen.text.substr(2, 20);
    }
  }
  const auto decided = classify(seen);
  const bool exhausted = decided.kind == error_class::usage_exhausted;
  const bool past =
      decided.reset_at && *decided.reset_at + std::chrono::seconds{60} < seen.observed_at;
  const bool negative = decided.retry_after && decided.retry_after->count() < 0;
  if ((decided.reset_at && !exhausted) || past || negative || explain_json(decided).empty()
      || explain_sentence(seen, decided).empty()) {
    std::abort();
  }
  return 0;
}
