#pragma once

#include "core/support/error.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace resilient::settings {

enum class token_kind : std::uint8_t {
  object_begin,
  object_end,
  array_begin,
  array_end,
  key,
  string,
  number,
  true_value,
  false_value,
  null_value,
  end_of_text,
};

/// One token and where it stands in the text: bytes `begin` to `end`, quotes included.
struct token {
  token_kind kind = token_kind::end_of_text;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t depth = 0; ///< how many objects and arrays enclose it
};

/// Reads JSON exactly as JavaScript's `JSON.parse` accepts it, token by token, in constant stack.
/// Inside strings any byte from 0x80 on is taken, because Node reads a file that is not UTF-8 with
/// replacement characters instead of refusing it.
///
/// A leading UTF-8 BOM is skipped. After a failure or `end_of_text` nothing more may be read.
class json_tokens {
public:
  /// `shown` is the path that messages name. Both must outlive this object.
  json_tokens(std::string_view text, std::string_view shown);

  /// The next token; a failure of kind `data` names path, line and column (both from 1, columns in
  /// characters) and what was expected.
  [[nodiscard]] result<token> next();

private:
  enum class expects : std::uint8_t {
    value,
    value_or_array_end,
    key,
    key_or_object_end,
    comma_or_end,
    nothing
  };

  [[nodiscard]] result<token> read_value();
  [[nodiscard]] result<token> read_key();
  [[nodiscard]] result<token> read_after_value();
  [[nodiscard]] result<token> open(token_kind kind);
  [[nodiscard]] result<token> close();
  [[nodiscard]] result<token> read_string(token_kind kind);
  [[nodiscard]] result<token> read_number();
  [[nodiscard]] result<token> read_word(std::string_view word, token_kind kind);
  [[nodiscard]] bool take_digits() noexcept;
  void skip_space() noexcept;
  void value_ended() noexcept;
  [[nodiscard]] char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
  [[nodiscard]] bool at_end() const noexcept { return at_ >= text_.size(); }
  [[nodiscard]] tl::unexpected<error> unexpected(std::string_view wanted) const;

  std::string_view text_;
  std::string_view shown_;
  std::size_t at_ = 0;
  expects expects_ = expects::value;
  std::vector<char> open_; ///< '{' or '[' of every container that is open
};

/// The UTF-8 value of a string token's bytes, quotes included. Lone surrogates and bytes that are
/// not UTF-8 become U+FFFD.
[[nodiscard]] std::string decode_string(std::string_view quoted);

/// The text as a JSON string, quoted, as `JSON.stringify` writes it.
[[nodiscard]] std::string encode_string(std::string_view text);

/// The UTF-8 byte order mark.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

} // namespace resilient::settings
