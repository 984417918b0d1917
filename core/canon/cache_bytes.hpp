#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace resilient::canon {

/// Numbers and texts as bytes, for files that do not leave the machine.
void append_number(std::string& bytes, std::uint64_t number);
/// With its length before it.
void append_text(std::string& bytes, std::string_view text);

/// Reads them again from any bytes. What is not there reads as 0 or empty, and `failed` says so.
class byte_reader {
public:
  explicit byte_reader(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] std::uint64_t number();
  [[nodiscard]] std::string text();
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }

private:
  std::string_view rest_;
  bool failed_ = false;
};

/// Tells damaged bytes from whole ones, eight at a time. No protection from intent.
[[nodiscard]] std::uint64_t damage_check(std::string_view bytes) noexcept;

/// Bytes with their check behind them, and back; nothing when they are damaged.
[[nodiscard]] std::string with_check(std::string bytes);
[[nodiscard]] std::optional<std::string_view> without_check(std::string_view bytes) noexcept;

} // namespace resilient::canon
