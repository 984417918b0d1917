#include "core/canon/front_matter.hpp"
#include "core/canon/lint.hpp"
#include "core/support/text.hpp"

#include <fmt/format.h>

#include <array>

namespace resilient::canon {

namespace {

/// A well-known token: a fixed beginning, then at least so many letters, digits, `_` and `-`.
struct token_shape {
  std::string_view prefix;
  std::size_t least_more;
  std::string_view kind;
};

constexpr std::array<token_shape, 16> token_shapes = {{
    {"AKIA", 16, "an AWS access key id"},
    {"ASIA", 16, "an AWS access key id"},
    {"ghp_", 30, "a GitHub token"},
    {"gho_", 30, "a GitHub token"},
    {"ghu_", 30, "a GitHub token"},
    {"ghs_", 30, "a GitHub token"},
    {"github_pat_", 30, "a GitHub token"},
    {"glpat-", 20, "a GitLab token"},
    {"npm_", 30, "an npm token"},
    {"sk-", 32, "an API key"},
    {"sk_live_", 16, "a Stripe key"},
    {"rk_live_", 16, "a Stripe key"},
    {"xoxb-", 20, "a Slack token"},
    {"xoxp-", 20, "a Slack token"},
    {"AIza", 35, "a Google API key"},
    {"eyJhbGci", 40, "a JSON web token"},
}};

bool is_token_byte(char byte) noexcept {
  return is_ascii_letter(byte) || is_ascii_digit(byte) || byte == '_' || byte == '-';
}

std::string_view secret_kind(std::string_view line) {
  if (const std::size_t begin = line.find("-----BEGIN ");
      begin != std::string_view::npos
      && line.find("PRIVATE KEY", begin) != std::string_view::npos) {
    return "a private key";
  }
  for (const token_shape& shape : token_shapes) {
    for (std::size_t at = line.find(shape.prefix); at != std::string_view::npos;
         at = line.find(shape.prefix, at + 1)) {
      std::size_t end = at + shape.prefix.size();
      while (end < line.size() && is_token_byte(line[end])) {
        ++end;
      }
      if ((at == 0 || !is_token_byte(line[at - 1]))
          && end - at - shape.prefix.size() >= shape.least_more) {
        return shape.kind;
      }
    }
  }
  return {};
}

} // namespace

std::optional<std::string> secret_advice(std::string_view capsule, std::string_view body) {
  constexpr const char* advice =
      "The store is committed with the project; take it out if it is real.";
  for (const std::string_view line : split_lines(capsule)) {
    if (const std::string_view kind = secret_kind(line); !kind.empty()) {
      return fmt::format("The capsule holds what looks like {}. {}", kind, advice);
    }
  }
  std::size_t number = 0;
  for (const std::string_view line : split_lines(body)) {
    ++number;
    if (const std::string_view kind = secret_kind(line); !kind.empty()) {
      return fmt::format("Line {} of the body holds what looks like {}. {}", number, kind, advice);
    }
  }
  return std::nullopt;
}

} // namespace resilient::canon
