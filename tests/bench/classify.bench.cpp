#include "core/goal/classify.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <vector>

// How long one decision takes, over all texts of the corpus. Run it from the root of the
// repository, in a release build. The limit is a median of 50 microseconds.

int main() {
  using namespace resilient;
  using namespace resilient::goal;
  using clock = std::chrono::steady_clock;
  std::ifstream file("tests/core/goal/provider-errors.jsonl");
  std::vector<failure> failures;
  for (std::string line; std::getline(file, line);) {
    const auto entry = nlohmann::json::parse(line, nullptr, false);
    if (!entry.is_object()) {
      continue;
    }
    failure each;
    each.text = entry.value("text", "");
    each.provider = entry.value("provider", "");
    each.observed_at = wall_time{std::chrono::hours{24 * 365 * 56}};
    each.local_zone = "Europe/Berlin";
    failures.push_back(std::move(each));
  }
  if (failures.empty()) {
    fmt::print(stderr, "no corpus here: run this from the root of the repository\n");
    return 66;
  }
  // The time zone database is read once; that is not part of a decision.
  std::size_t classes = 0;
  for (const auto& each : failures) {
    classes += static_cast<std::size_t>(classify(each).kind);
  }
  std::vector<double> microseconds;
  for (int round = 0; round < 50; ++round) {
    for (const auto& each : failures) {
      const auto from = clock::now();
      classes += static_cast<std::size_t>(classify(each).kind);
      microseconds.push_back(
          std::chrono::duration<double, std::micro>(clock::now() - from).count());
    }
  }
  std::sort(microseconds.begin(), microseconds.end());
  const auto quantile = [&](double part) {
    return microseconds[static_cast<std::size_t>(part
                                                 * static_cast<double>(microseconds.size() - 1))];
  };
  fmt::print("decisions {} median {:.1f} us p90 {:.1f} us p99 {:.1f} us max {:.1f} us (sum {})\n",
             microseconds.size(), quantile(0.5), quantile(0.9), quantile(0.99), quantile(1.0),
             classes);
  return quantile(0.5) < 50.0 ? 0 : 1;
}
