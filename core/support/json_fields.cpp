#include "core/support/json_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace resilient {

using nlohmann::json;

void json_fields::complain(const char* key, const char* wanted) {
  if (problem_.empty()) {
    problem_ = fmt::format("field \"{}\" must be {}", key, wanted);
  }
}

const json* json_fields::find(const char* key, bool required) {
  const auto found = data_.find(key);
  if (found == data_.end()) {
    if (required && problem_.empty()) {
      problem_ = fmt::format("field \"{}\" is missing", key);
    }
    return nullptr;
  }
  return &*found;
}

std::string json_fields::read_text(const char* key, bool required) {
  const json* found = find(key, required);
  if (found != nullptr && !found->is_string()) {
    complain(key, "a text");
  }
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string{};
}

std::vector<std::string> json_fields::texts_or_empty(const char* key) {
  std::vector<std::string> values;
  if (const json* found = find(key, false)) {
    if (!found->is_array() || !std::all_of(found->begin(), found->end(), [](const json& each) {
          return each.is_string();
        })) {
      complain(key, "a list of texts");
      return values;
    }
    for (const json& each : *found) {
      values.push_back(each.get<std::string>());
    }
  }
  return values;
}

bool json_fields::read_flag(const char* key, std::optional<bool> fallback) {
  const json* found = find(key, !fallback);
  if (found != nullptr && !found->is_boolean()) {
    complain(key, "true or false");
  }
  return found != nullptr && found->is_boolean() ? found->get<bool>() : fallback.value_or(false);
}

std::int64_t json_fields::number(const char* key) {
  const json* found = find(key, true);
  if (found == nullptr) {
    return 0;
  }
  if (!found->is_number_integer()
      || (found->is_number_unsigned()
          && found->get<std::uint64_t>()
                 > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))) {
    complain(key, "an integer");
    return 0;
  }
  return found->get<std::int64_t>();
}

int json_fields::count_or_zero(const char* key) {
  constexpr std::int64_t most = 1'000'000'000;
  return data_.contains(key) ? static_cast<int>(std::clamp<std::int64_t>(number(key), 0, most)) : 0;
}

std::int64_t json_fields::whole_or_zero(const char* key) {
  const json* found = find(key, false);
  if (found == nullptr) {
    return 0;
  }
  if (!found->is_number_float()) {
    return number(key);
  }
  const double value = found->get<double>();
  constexpr double most = 9e15; // up to here every integer is a double
  if (!(value > -most && value < most)) {
    complain(key, "an integer");
    return 0;
  }
  return static_cast<std::int64_t>(value);
}

double json_fields::real_or_zero(const char* key) {
  const json* found = find(key, false);
  if (found != nullptr && !found->is_number()) {
    complain(key, "a number");
  }
  return found != nullptr && found->is_number() ? found->get<double>() : 0;
}

void json_fields::read_reals(const char* key, double* values, std::size_t count) {
  const json* found = find(key, false);
  if (found == nullptr) {
    return;
  }
  if (!found->is_array() || found->size() != count
      || !std::all_of(found->begin(), found->end(),
                      [](const json& each) { return each.is_number(); })) {
    complain(key, fmt::format("a list of {} numbers", count).c_str());
    return;
  }
  std::transform(found->begin(), found->end(), values,
                 [](const json& each) { return each.get<double>(); });
}

json json_fields::object(const char* key) {
  const json* found = find(key, true);
  if (found != nullptr && !found->is_object()) {
    complain(key, "an object");
  }
  return found != nullptr && found->is_object() ? *found : json::object();
}

json json_fields::object_or_empty(const char* key) {
  return data_.contains(key) ? object(key) : json::object();
}

} // namespace resilient
