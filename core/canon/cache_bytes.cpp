#include "core/canon/cache_bytes.hpp"

#include <cstring>

namespace resilient::canon {

namespace {

[[nodiscard]] std::uint64_t number_at(const char* bytes) noexcept {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

} // namespace

void append_number(std::string& bytes, std::uint64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_text(std::string& bytes, std::string_view text) {
  append_number(bytes, text.size());
  bytes += text;
}

std::uint64_t byte_reader::number() {
  if (rest_.size() < sizeof(std::uint64_t)) {
    failed_ = true;
    rest_ = {};
    return 0;
  }
  const std::uint64_t number = number_at(rest_.data());
  rest_.remove_prefix(sizeof number);
  return number;
}

std::string byte_reader::text() {
  const std::uint64_t length = number();
  if (length > rest_.size()) {
    failed_ = true;
    rest_ = {};
    return {};
  }
  std::string text(rest_.substr(0, length));
  rest_.remove_prefix(length);
  return text;
}

std::uint64_t damage_check(std::string_view bytes) noexcept {
  constexpr std::uint64_t prime = 0x9E3779B97F4A7C15U;
  std::uint64_t sum = bytes.size() ^ prime;
  const auto take = [&sum](std::uint64_t word) {
    sum = (sum ^ word) * prime;
    sum ^= sum >> 29U;
  };
  for (; bytes.size() >= sizeof sum; bytes.remove_prefix(sizeof sum)) {
    take(number_at(bytes.data()));
  }
  std::uint64_t last = 0;
  std::memcpy(&last, bytes.data(), bytes.size());
  take(last);
  return sum;
}

std::string with_check(std::string bytes) {
  append_number(bytes, damage_check(bytes));
  return bytes;
}

std::optional<std::string_view> without_check(std::string_view bytes) noexcept {
  constexpr std::size_t check_size = sizeof(std::uint64_t);
  if (bytes.size() < check_size) {
    return std::nullopt;
  }
  const std::string_view content = bytes.substr(0, bytes.size() - check_size);
  return number_at(bytes.data() + content.size()) == damage_check(content)
             ? std::optional<std::string_view>(content)
             : std::nullopt;
}

} // namespace resilient::canon
