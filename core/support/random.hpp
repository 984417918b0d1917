#pragma once

#include <chrono>
#include <cstdint>

namespace resilient {

/// A small deterministic generator (SplitMix64) for jitter: the same seed gives the same delays,
/// so that tests see them. Not for secrets.
class jitter {
public:
  explicit constexpr jitter(std::uint64_t seed) : state_{seed} {}

  constexpr std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
    return mixed ^ (mixed >> 31);
  }

  /// A length between zero and `longest`, both included.
  constexpr std::chrono::nanoseconds up_to(std::chrono::nanoseconds longest) {
    if (longest <= std::chrono::nanoseconds::zero()) {
      return std::chrono::nanoseconds::zero();
    }
    return std::chrono::nanoseconds{
        static_cast<std::int64_t>(next() % (static_cast<std::uint64_t>(longest.count()) + 1))};
  }

private:
  std::uint64_t state_;
};

} // namespace resilient
