#include "core/settings/json_read.hpp"

#include "core/settings/json_tokens.hpp"

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace resilient::settings {

namespace {

/// Copying, comparing and writing such a value is recursive in the JSON library.
constexpr std::size_t most_nested = 200;

nlohmann::json number_of(std::string_view text) {
  nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  if (!value.is_discarded()) {
    return value;
  }
  const double infinite = std::numeric_limits<double>::infinity();
  return text.front() == '-' ? -infinite : infinite;
}

class builder {
public:
  explicit builder(std::string_view text) : text_{text} {}

  void take(const token& read) {
    switch (read.kind) {
    case token_kind::key:
      key_ = decode_string(part(read));
      return;
    case token_kind::object_begin:
      open_.push_back(&place(nlohmann::json::object()));
      return;
    case token_kind::array_begin:
      open_.push_back(&place(nlohmann::json::array()));
      return;
    case token_kind::object_end:
    case token_kind::array_end:
      open_.pop_back();
      return;
    case token_kind::string:
      place(decode_string(part(read)));
      return;
    case token_kind::number:
      place(number_of(part(read)));
      return;
    case token_kind::true_value:
      place(true);
      return;
    case token_kind::false_value:
      place(false);
      return;
    case token_kind::null_value:
      place(nullptr);
      return;
    case token_kind::end_of_text:
      return;
    }
  }

  [[nodiscard]] nlohmann::json take_root() { return std::move(root_); }

private:
  nlohmann::json& place(nlohmann::json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return root_;
    }
    nlohmann::json& inside = *open_.back();
    if (inside.is_array()) {
      inside.push_back(std::move(value));
      return inside.back();
    }
    return inside[key_] = std::move(value);
  }

  [[nodiscard]] std::string_view part(const token& of) const {
    return text_.substr(of.begin, of.end - of.begin);
  }

  std::string_view text_;
  nlohmann::json root_;
  std::string key_;
  /// Containers that are open; a container does not move while one inside it grows.
  std::vector<nlohmann::json*> open_;
};

} // namespace

result<nlohmann::json> read_json(std::string_view text, std::string_view shown) {
  json_tokens tokens{text, shown};
  builder built{text};
  for (;;) {
    auto read = tokens.next();
    if (!read) {
      return tl::unexpected(std::move(read).error());
    }
    if (read->depth > most_nested) {
      return fail(error_kind::data, "{} nests more than {} objects and lists. Flatten the file.",
                  shown, most_nested);
    }
    if (read->kind == token_kind::end_of_text) {
      return built.take_root();
    }
    built.take(*read);
  }
}

nlohmann::json merge(nlohmann::json base, const nlohmann::json& over) {
  for (const auto& [key, value] : over.items()) {
    const auto below = base.find(key);
    if (below != base.end() && below->is_object() && value.is_object()) {
      *below = merge(std::move(*below), value);
    } else {
      base[key] = value;
    }
  }
  return base;
}

} // namespace resilient::settings
