#pragma once

#include "core/canon/command_table.hpp"
#include "core/canon/shell_operands.hpp"
#include "core/canon/word_list.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace resilient::canon {

// How one simple command is read; `read_command` is what others call.

[[nodiscard]] inline bool is_option(std::string_view word) noexcept {
  return word.size() > 1 && word.front() == '-';
}

/// The name of a program without the folders before it.
[[nodiscard]] inline std::string_view name_of(std::string_view word) noexcept {
  const std::size_t slash = word.rfind('/');
  return slash == std::string_view::npos ? word : word.substr(slash + 1);
}

/// Reads the words of one command.
class operand_reader {
public:
  explicit operand_reader(const std::vector<std::string>& words) : words_(words) {}

  command_reading read() {
    begin_ = skip_prefixes(0);
    if (begin_ >= words_.size()) {
      return std::move(reading_);
    }
    dispatch(name_of(words_[begin_]));
    return std::move(reading_);
  }

private:
  void dispatch(std::string_view name);
  void read_by(const command_rule& rule);
  void read_git();
  void read_find();
  void read_dd();
  void read_tar();
  void read_perl_like();
  void read_test();
  void read_interpreter();

  std::size_t skip_prefixes(std::size_t at);
  std::size_t skip_options(std::size_t at, std::string_view with_value) const;

  [[nodiscard]] bool has_word(std::string_view wanted) const {
    return std::find(words_.begin() + static_cast<std::ptrdiff_t>(begin_), words_.end(), wanted)
           != words_.end();
  }
  [[nodiscard]] bool has_any_of(std::string_view list) const;
  void add(std::size_t word, operand_role role, std::size_t offset = 0) {
    reading_.operands.push_back({word, offset, role});
  }
  /// An option with a value in one word: `--file=src/a`, `-Isrc/core`.
  void add_option(std::size_t word, operand_role role);
  /// The rest of the words from `at` with one role, options aside.
  void add_rest(std::size_t at, operand_role role, std::string_view with_value = {});

  const std::vector<std::string>& words_;
  command_reading reading_;
  std::size_t begin_ = 0;
};

} // namespace resilient::canon
