#include "core/goal/status_in_text.hpp"

#include <array>

namespace resilient::goal {

namespace {

/// An error status (400 to 599) made of exactly the three digits at `at`.
std::optional<int> status_at(std::string_view text, std::size_t at) {
  if (at + 3 > text.size() || (text[at] != '4' && text[at] != '5') || !is_digit(text[at + 1])
      || !is_digit(text[at + 2])) {
    return std::nullopt;
  }
  if (at + 3 < text.size() && (is_word(text[at + 3]) || text[at + 3] == '-')) {
    return std::nullopt;
  }
  // "429." ends a sentence, "429.5" is a figure.
  if (at + 4 < text.size() && text[at + 3] == '.' && is_digit(text[at + 4])) {
    return std::nullopt;
  }
  return (text[at] - '0') * 100 + (text[at + 1] - '0') * 10 + (text[at + 2] - '0');
}

constexpr std::array reason_phrases = {
    std::string_view{"{"},
    std::string_view{"["},
    std::string_view{"\""},
    std::string_view{":"},
    std::string_view{"<"},
    std::string_view{"-"},
    std::string_view{"status code"},
    std::string_view{"bad request"},
    std::string_view{"unauthorized"},
    std::string_view{"payment required"},
    std::string_view{"forbidden"},
    std::string_view{"not found"},
    std::string_view{"method not allowed"},
    std::string_view{"request timeout"},
    std::string_view{"conflict"},
    std::string_view{"gone"},
    std::string_view{"precondition"},
    std::string_view{"payload too large"},
    std::string_view{"content too large"},
    std::string_view{"request entity"},
    std::string_view{"unprocessable"},
    std::string_view{"too many requests"},
    std::string_view{"client closed"},
    std::string_view{"internal server"},
    std::string_view{"not implemented"},
    std::string_view{"bad gateway"},
    std::string_view{"service unavailable"},
    std::string_view{"service temporarily"},
    std::string_view{"gateway time"},
    std::string_view{"overloaded"},
    std::string_view{"server error"},
};

constexpr std::array introductions = {
    std::string_view{"http"},           std::string_view{"http/1.1"},
    std::string_view{"http/2"},         std::string_view{"status"},
    std::string_view{"status code"},    std::string_view{"code"},
    std::string_view{"api error"},      std::string_view{"http error"},
    std::string_view{"error"},          std::string_view{"http status"},
    std::string_view{"statuscode"},     std::string_view{"failed"},
    std::string_view{"returned"},       std::string_view{"response"},
    std::string_view{"status_code"},    std::string_view{"http code"},
    std::string_view{"responded with"}, std::string_view{"failed with"},
    std::string_view{"server error"},
};

bool introduced(std::string_view before) {
  bool bracket = false;
  while (!before.empty()
         && std::string_view{" :(=['\"-"}.find(before.back()) != std::string::npos) {
    bracket = bracket || before.back() == '(' || before.back() == '[';
    before.remove_suffix(1);
  }
  // "[429]: {...}" at the very beginning.
  if (before.empty()) {
    return bracket;
  }
  if (bracket && before.back() == ']') {
    return true;
  }
  for (const auto word : introductions) {
    if (before.ends_with(word)
        && (before.size() == word.size() || !is_letter(before[before.size() - word.size() - 1]))) {
      return true;
    }
  }
  return false;
}

/// "429 Too Many Requests", "503 {...}": what follows makes the number a status.
bool followed_by_reason(std::string_view after) {
  const auto word = after.find_first_not_of(' ');
  if (word == std::string_view::npos) {
    return false;
  }
  after = after.substr(word);
  for (const auto phrase : reason_phrases) {
    if (after.starts_with(phrase)) {
      return true;
    }
  }
  return false;
}

} // namespace

std::optional<int> status_in_text(std::string_view lower) {
  for (std::size_t at = lower.find_first_of("45"); at != std::string_view::npos;
       at = lower.find_first_of("45", at + 1)) {
    const auto status = status_at(lower, at);
    if (!status || (at > 0 && (is_word(lower[at - 1]) || lower[at - 1] == '.'))) {
      continue;
    }
    if (at == 0 || introduced(lower.substr(0, at)) || followed_by_reason(tail(lower, at + 3))) {
      return status;
    }
  }
  return std::nullopt;
}

std::optional<int> status_in_fields(const std::vector<message_field>& fields) {
  for (const auto& each : fields) {
    if (each.key != "status" && each.key != "status_code" && each.key != "statuscode"
        && each.key != "code" && each.key != "http_status" && each.key != "httpstatus") {
      continue;
    }
    if (each.value.size() == 3) {
      if (const auto status = status_at(each.value, 0)) {
        return status;
      }
    }
  }
  return std::nullopt;
}

} // namespace resilient::goal
