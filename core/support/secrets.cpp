#include "core/support/secrets.hpp"

#include "core/support/text.hpp"

#include <array>

namespace resilient {

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

/// The token of one shape that begins at `at`; nothing when what stands there is too short, or is
/// the middle of a longer word.
std::optional<found_secret> token_at(std::string_view text, std::size_t at,
                                     const token_shape& shape) {
  std::size_t end = at + shape.prefix.size();
  while (end < text.size() && is_token_byte(text[end])) {
    ++end;
  }
  if ((at > 0 && is_token_byte(text[at - 1]))
      || end - at - shape.prefix.size() < shape.least_more) {
    return std::nullopt;
  }
  return found_secret{at, end - at, shape.kind};
}

const token_shape* shape_of(std::string_view token) {
  for (const token_shape& shape : token_shapes) {
    if (starts_with(token, shape.prefix)) {
      return &shape;
    }
  }
  return nullptr;
}

} // namespace

std::optional<found_secret> find_secret(std::string_view text, std::size_t from) {
  std::optional<found_secret> first;
  for (const token_shape& shape : token_shapes) {
    for (std::size_t at = text.find(shape.prefix, from); at != std::string_view::npos;
         at = text.find(shape.prefix, at + 1)) {
      if (first && at >= first->at) {
        break;
      }
      if (const auto token = token_at(text, at, shape)) {
        first = token;
        break;
      }
    }
  }
  return first;
}

std::string mask_secrets(std::string_view text) {
  std::string masked;
  std::size_t kept = 0;
  for (auto found = find_secret(text); found; found = find_secret(text, kept)) {
    masked += text.substr(kept, found->at - kept);
    masked += shape_of(text.substr(found->at))->prefix;
    masked += "***";
    kept = found->at + found->size;
  }
  masked += text.substr(kept);
  return masked;
}

} // namespace resilient
