#include "core/canon/front_matter.hpp"
#include "core/canon/lint.hpp"
#include "core/support/secrets.hpp"
#include "core/support/text.hpp"

#include <fmt/format.h>

namespace resilient::canon {

namespace {

std::string_view secret_kind(std::string_view line) {
  if (const std::size_t begin = line.find("-----BEGIN ");
      begin != std::string_view::npos
      && line.find("PRIVATE KEY", begin) != std::string_view::npos) {
    return "a private key";
  }
  if (const auto token = find_secret(line)) {
    return token->kind;
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
