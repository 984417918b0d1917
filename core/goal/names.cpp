#include "core/goal/classify.hpp"

#include <array>

namespace resilient::goal {

namespace {

constexpr std::array<std::string_view, 8> class_names = {
    "transient", "rate_limit", "usage_exhausted", "overflow", "auth", "config", "abort", "unknown"};

constexpr std::array<std::string_view, 5> action_names = {"retry", "wait", "probe", "compact",
                                                          "pause"};

template <class Enum, std::size_t Count>
std::optional<Enum> value_of(const std::array<std::string_view, Count>& names,
                             std::string_view name) {
  for (std::size_t index = 0; index < Count; ++index) {
    if (names[index] == name) {
      return static_cast<Enum>(index);
    }
  }
  return std::nullopt;
}

} // namespace

std::string_view to_string(error_class kind) noexcept {
  const auto index = static_cast<std::size_t>(kind);
  return index < class_names.size() ? class_names[index] : std::string_view{"unknown"};
}

std::string_view to_string(action what) noexcept {
  const auto index = static_cast<std::size_t>(what);
  return index < action_names.size() ? action_names[index] : std::string_view{"probe"};
}

std::optional<error_class> error_class_from(std::string_view name) noexcept {
  return value_of<error_class>(class_names, name);
}

std::optional<action> action_from(std::string_view name) noexcept {
  return value_of<action>(action_names, name);
}

} // namespace resilient::goal
