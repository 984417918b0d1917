#include "core/canon/program_writes.hpp"

#include "core/canon/word_list.hpp"
#include "core/support/text.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace resilient::canon {

namespace {

enum class token_kind : std::uint8_t { name, string, sign };

struct token {
  token_kind kind = token_kind::sign;
  std::string_view text; ///< of a string without its quotes; one byte of a sign
};

bool is_name_byte(char byte) noexcept {
  return is_ascii_letter(byte) || is_ascii_digit(byte) || byte == '_'
         || static_cast<unsigned char>(byte) >= 0x80;
}

std::vector<token> tokens_of(std::string_view program) {
  std::vector<token> tokens;
  for (std::size_t at = 0; at < program.size();) {
    const char byte = program[at];
    if (is_name_byte(byte)) {
      const std::size_t begin = at;
      while (at < program.size() && is_name_byte(program[at])) {
        ++at;
      }
      tokens.push_back({token_kind::name, program.substr(begin, at - begin)});
    } else if (byte == '"' || byte == '\'' || byte == '`') {
      const std::size_t begin = ++at;
      while (at < program.size() && program[at] != byte && (byte == '`' || program[at] != '\n')) {
        at += program[at] == '\\' ? 2 : 1;
      }
      at = std::min(at, program.size());
      tokens.push_back({token_kind::string, program.substr(begin, at - begin)});
      ++at;
    } else {
      if (byte != ' ' && byte != '\t' && byte != '\r') {
        tokens.push_back({token_kind::sign, program.substr(at, 1)});
      }
      ++at;
    }
  }
  return tokens;
}

// Functions that change the file of their first argument, and of their second one too.
constexpr std::string_view first_writers =
    "writeFileSync writeFile appendFileSync appendFile unlinkSync rmSync remove unlink "
    "truncateSync chmodSync mkdirSync renameSync rename move rmtree createWriteStream "
    "outputFileSync";
constexpr std::string_view second_writers =
    "renameSync rename move copyFileSync copyFile copy copyfile copy2";
// Methods that change the file of their object.
constexpr std::string_view methods = "write_text write_bytes unlink touch rename replace mkdir";

class reader {
public:
  reader(std::string_view program, const std::function<void(std::string_view)>& show)
      : tokens_(tokens_of(program)), show_(show) {}

  void read() {
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
      read_values(at);
      read_call(at);
    }
  }

private:
  [[nodiscard]] bool is_sign(std::size_t at, char byte) const {
    return at < tokens_.size() && tokens_[at].kind == token_kind::sign
           && tokens_[at].text.front() == byte;
  }
  [[nodiscard]] bool is_string(std::size_t at) const {
    return at < tokens_.size() && tokens_[at].kind == token_kind::string;
  }
  [[nodiscard]] bool is_name(std::size_t at, std::string_view name = {}) const {
    return at < tokens_.size() && tokens_[at].kind == token_kind::name
           && (name.empty() || tokens_[at].text == name);
  }

  void read_values(std::size_t at);
  void read_call(std::size_t at);
  void show_argument(std::size_t at);
  [[nodiscard]] std::size_t next_argument(std::size_t at) const;
  [[nodiscard]] bool opens_to_write(std::size_t mode) const;

  std::vector<token> tokens_;
  const std::function<void(std::string_view)>& show_;
  std::unordered_map<std::string_view, std::vector<std::string_view>> values_;
};

/// `name = "a"`, `name = Path("a")`, `for name in ["a", "b"]`.
void reader::read_values(std::size_t at) {
  if (!is_name(at)) {
    return;
  }
  if (is_sign(at + 1, '=') && !is_sign(at + 2, '=')) {
    std::size_t value = at + 2;
    while ((is_name(value) || is_sign(value, '.')) && value < at + 6) {
      ++value;
    }
    value += value > at + 2 && is_sign(value, '(') ? 1 : 0;
    if (is_string(value)) {
      values_[tokens_[at].text] = {tokens_[value].text};
    }
  } else if (is_name(at, "for") && is_name(at + 1)
             && (is_name(at + 2, "in") || is_name(at + 2, "of"))
             && (is_sign(at + 3, '[') || is_sign(at + 3, '('))) {
    std::vector<std::string_view>& values = values_[tokens_[at + 1].text];
    values.clear();
    for (std::size_t value = at + 4; is_string(value); value += 2) {
      values.push_back(tokens_[value].text);
    }
  }
}

void reader::show_argument(std::size_t at) {
  if (is_string(at)) {
    show_(tokens_[at].text);
  } else if (is_name(at)) {
    if (is_sign(at + 1, '(') && is_string(at + 2)) { // Path("a")
      show_(tokens_[at + 2].text);
    } else if (const auto found = values_.find(tokens_[at].text); found != values_.end()) {
      for (const std::string_view value : found->second) {
        show_(value);
      }
    }
  }
}

/// The argument behind a simple one, or npos.
std::size_t reader::next_argument(std::size_t at) const {
  for (std::size_t end = at; end < std::min(at + 6, tokens_.size()); ++end) {
    if (is_sign(end, ',')) {
      return end + 1;
    }
  }
  return std::string_view::npos;
}

bool reader::opens_to_write(std::size_t mode) const {
  if (is_name(mode, "mode") && is_sign(mode + 1, '=')) {
    mode += 2;
  }
  return is_string(mode) && tokens_[mode].text.size() <= 3
         && tokens_[mode].text.find_first_of("wax+") != std::string_view::npos;
}

void reader::read_call(std::size_t at) {
  if (!is_name(at) || !is_sign(at + 1, '(')) {
    return;
  }
  const std::string_view name = tokens_[at].text;
  const bool is_method = at >= 2 && is_sign(at - 1, '.');
  if (name == "open") {
    const std::size_t mode = next_argument(at + 2);
    if (mode != std::string_view::npos && opens_to_write(mode)) {
      show_argument(at + 2);
    } else if (is_method && opens_to_write(at + 2)) {
      show_argument(is_sign(at - 2, ')') && at >= 3 ? at - 3 : at - 2);
    }
    return;
  }
  // `text.replace("a", "b")` is no change of a file.
  if (is_method && lists(methods, name)) {
    if (is_sign(at - 2, ')') && at >= 5 && is_string(at - 3) && is_sign(at - 4, '(')
        && is_name(at - 5, "Path")) {
      show_argument(at - 3);
    } else if (name != "replace" && name != "rename" && is_name(at - 2)) {
      show_argument(at - 2);
    }
  }
  if (lists(first_writers, name)) {
    show_argument(at + 2);
  }
  if (lists(second_writers, name)) {
    const std::size_t second = next_argument(at + 2);
    if (second != std::string_view::npos) {
      show_argument(second);
    }
  }
}

} // namespace

void each_written_path(std::string_view program,
                       const std::function<void(std::string_view)>& show) {
  reader(program, show).read();
}

} // namespace resilient::canon
