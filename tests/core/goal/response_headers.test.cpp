#include "core/goal/response_headers.hpp"

#include "tests/core/goal/instants.hpp"

#include <doctest/doctest.h>

namespace resilient::goal {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const auto now = test::at("2026-06-01T12:00:00Z");

header_reading read(const header_list& headers) {
  return read_headers(headers, now);
}

} // namespace

TEST_CASE("Retry-After is read as seconds, as a date and in milliseconds") {
  CHECK(read({{"Retry-After", "5"}}).retry_after == seconds{5});
  CHECK(read({{"retry-after", " 0.5 "}}).retry_after == milliseconds{500});
  CHECK(read({{"retry-after", "Mon, 01 Jun 2026 12:01:30 GMT"}}).retry_after == seconds{90});
  CHECK(read({{"retry-after-ms", "1500"}, {"retry-after", "1"}}).retry_after == milliseconds{1500});
  CHECK(!read({{"retry-after", "later"}}).retry_after);
  CHECK(!read({{"retry-after", "-3"}}).retry_after);
  CHECK(!read({{"retry-after", "99999999999999999999"}}).retry_after);
}

TEST_CASE("only empty buckets make one wait") {
  const auto reading = read({{"x-ratelimit-remaining-requests", "14370"},
                             {"x-ratelimit-reset-requests", "2m59.56s"},
                             {"x-ratelimit-remaining-tokens", "0"},
                             {"x-ratelimit-reset-tokens", "7.66s"}});
  CHECK(reading.bucket_reset == milliseconds{7660});
  CHECK(read({{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1780315245000"}}).bucket_reset
        == seconds{45});
  CHECK(read({{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1780315245"}}).bucket_reset
        == seconds{45});
  CHECK(read({{"ratelimit-reset", "12"}}).bucket_reset == seconds{12});
  CHECK(!read({{"x-ratelimit-reset-requests", "12s"}}).bucket_reset);
  CHECK(read({{"anthropic-ratelimit-tokens-remaining", "0"},
              {"anthropic-ratelimit-tokens-reset", "2026-06-01T12:00:30Z"}})
            .bucket_reset
        == seconds{30});
}

TEST_CASE("of the windows of an Anthropic plan only the rejected ones count") {
  const auto reading = read({{"anthropic-ratelimit-unified-status", "rejected"},
                             {"anthropic-ratelimit-unified-5h-status", "allowed"},
                             {"anthropic-ratelimit-unified-5h-reset", "1780318800"},
                             {"anthropic-ratelimit-unified-7d-status", "rejected"},
                             {"anthropic-ratelimit-unified-7d-reset", "1780401600"},
                             {"anthropic-ratelimit-unified-overage-status", "rejected"},
                             {"anthropic-ratelimit-unified-overage-reset", "1780920000"}});
  CHECK(reading.plan_exhausted);
  CHECK(reading.plan_reset == test::at("2026-06-02T12:00:00Z"));
  CHECK(!read({{"anthropic-ratelimit-unified-status", "allowed"},
               {"anthropic-ratelimit-unified-reset", "1780318800"},
               {"anthropic-ratelimit-unified-overage-status", "rejected"}})
             .plan_exhausted);
  const auto without_windows = read({{"anthropic-ratelimit-unified-status", "rejected"},
                                     {"anthropic-ratelimit-unified-reset", "1780318800"}});
  CHECK(without_windows.plan_reset == test::at("2026-06-01T13:00:00Z"));
}

TEST_CASE("of the windows of a Codex plan only the full ones count") {
  const auto reading = read({{"x-codex-primary-used-percent", "100"},
                             {"x-codex-primary-reset-after-seconds", "1200"},
                             {"x-codex-secondary-used-percent", "99.5"},
                             {"x-codex-secondary-reset-after-seconds", "400000"}});
  CHECK(reading.plan_exhausted);
  CHECK(reading.plan_reset == now + seconds{1200});
  CHECK(read({{"x-codex-secondary-used-percent", "100"},
              {"x-codex-secondary-reset-at", "1780401600"}})
            .plan_reset
        == test::at("2026-06-02T12:00:00Z"));
  CHECK(!read({{"x-codex-primary-used-percent", "80"}}).plan_exhausted);
}

} // namespace resilient::goal
