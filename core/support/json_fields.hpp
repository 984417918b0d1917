#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace resilient {

/// Reads the fields of one JSON object, and remembers the first that is missing or wrong. What
/// could not be read is empty, zero or false, so that a reader can ask for everything and look at
/// `problem` once. Keys that nobody asks for are ignored.
class json_fields {
public:
  /// `data` is an object, and outlives this.
  explicit json_fields(const nlohmann::json& data) : data_{data} {}

  [[nodiscard]] std::string text(const char* key) { return read_text(key, true); }
  [[nodiscard]] std::string text_or_empty(const char* key) { return read_text(key, false); }
  [[nodiscard]] std::vector<std::string> texts_or_empty(const char* key);

  [[nodiscard]] bool flag(const char* key) { return read_flag(key, std::nullopt); }
  [[nodiscard]] bool flag_or(const char* key, bool fallback) { return read_flag(key, fallback); }

  /// An integer that fits.
  [[nodiscard]] std::int64_t number(const char* key);
  /// The same, brought into 0 to a thousand million.
  [[nodiscard]] int count_or_zero(const char* key);
  /// Any number without its fraction, as programs write it that know one kind of number only.
  [[nodiscard]] std::int64_t whole_or_zero(const char* key);
  [[nodiscard]] double real_or_zero(const char* key);
  /// A list of exactly so many numbers.
  template <std::size_t Count>
  [[nodiscard]] std::array<double, Count> reals_or_zero(const char* key) {
    std::array<double, Count> values{};
    read_reals(key, values.data(), Count);
    return values;
  }

  [[nodiscard]] nlohmann::json object(const char* key);
  [[nodiscard]] nlohmann::json object_or_empty(const char* key);

  [[nodiscard]] bool has(const char* key) const { return data_.contains(key); }

  /// What is wrong with the first wrong field; empty while nothing is.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

  /// Says of a field that it is not what was wanted, unless there is a problem already.
  void complain(const char* key, const char* wanted);

private:
  [[nodiscard]] const nlohmann::json* find(const char* key, bool required);
  [[nodiscard]] std::string read_text(const char* key, bool required);
  [[nodiscard]] bool read_flag(const char* key, std::optional<bool> fallback);
  void read_reals(const char* key, double* values, std::size_t count);

  const nlohmann::json& data_;
  std::string problem_;
};

} // namespace resilient
