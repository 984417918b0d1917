#include "launcher/io/system_clocks.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace resilient::launcher {

namespace {

#ifdef __linux__
constexpr clockid_t monotonic_source = CLOCK_MONOTONIC;
constexpr clockid_t boot_source = CLOCK_BOOTTIME;
#else
// The names are swapped against Linux: here the "monotonic" clock goes on during sleep.
constexpr clockid_t monotonic_source = CLOCK_UPTIME_RAW;
constexpr clockid_t boot_source = CLOCK_MONOTONIC;
#endif

std::chrono::nanoseconds read_clock(clockid_t source) {
  timespec read{};
  ::clock_gettime(source, &read);
  return std::chrono::seconds{read.tv_sec} + std::chrono::nanoseconds{read.tv_nsec};
}

void fill(unsigned char* bytes, std::size_t count) {
  // getentropy gives at most 256 bytes a call and fails only on a system without randomness, on
  // which no secret of ours could be kept.
  while (count > 0) {
    const std::size_t part = std::min<std::size_t>(count, 256);
    if (::getentropy(bytes, part) != 0) {
      std::abort();
    }
    bytes += part;
    count -= part;
  }
}

} // namespace

instant system_clocks::now() const {
  return {
      monotonic_time{read_clock(monotonic_source)}, boot_time{read_clock(boot_source)},
      wall_time{std::chrono::duration_cast<std::chrono::milliseconds>(read_clock(CLOCK_REALTIME))}};
}

std::uint64_t system_entropy::number() {
  unsigned char bytes[sizeof(std::uint64_t)];
  fill(bytes, sizeof bytes);
  std::uint64_t drawn = 0;
  for (const unsigned char byte : bytes) {
    drawn = (drawn << 8U) | byte;
  }
  return drawn;
}

std::string system_entropy::hex(std::size_t bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::vector<unsigned char> drawn(bytes);
  fill(drawn.data(), drawn.size());
  std::string text;
  text.reserve(bytes * 2);
  for (const unsigned char byte : drawn) {
    text += digits[byte >> 4U];
    text += digits[byte & 0x0FU];
  }
  return text;
}

} // namespace resilient::launcher
