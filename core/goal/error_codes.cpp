#include "core/goal/error_codes.hpp"

#include "core/goal/error_code_tables.hpp"
#include "core/goal/plain_text.hpp"

#include <algorithm>
#include <array>

namespace resilient::goal {

namespace {

using namespace code_tables;

constexpr std::array code_keys = {
    std::string_view{"type"},          std::string_view{"code"},
    std::string_view{"status"},        std::string_view{"reason"},
    std::string_view{"error"},         std::string_view{"name"},
    std::string_view{"error_code"},    std::string_view{"errorcode"},
    std::string_view{"__type"},        std::string_view{"error_type"},
    std::string_view{"errortype"},     std::string_view{"kind"},
    std::string_view{"status_code"},   std::string_view{"errno"},
    std::string_view{"finish_reason"},
};

/// `subscription:free-usage-exhausted` and `Throttling.RateQuota` in the spelling of the table.
std::string normalised(std::string_view code) {
  auto out = lower_ascii(code.substr(0, 64));
  for (auto& c : out) {
    if (!is_word(c)) {
      c = '_';
    }
  }
  return out;
}

template <std::size_t Count>
const code_entry* find_in(const std::array<code_entry, Count>& entries, std::string_view code) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const code_entry& each) { return each.code == code; });
  return found == entries.end() ? nullptr : &*found;
}

bool mentions(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

bool is_zhipu(std::string_view provider) {
  return mentions(provider, {"zai", "z.ai", "z-ai", "zhipu", "bigmodel", "glm"});
}

const code_part* find_part(std::string_view code) {
  std::string joined;
  for (const char c : code) {
    if (c != '_') {
      joined += c;
    }
  }
  const auto found = std::find_if(code_parts.begin(), code_parts.end(), [&](const code_part& each) {
    return joined.find(each.part) != std::string::npos;
  });
  return found == code_parts.end() ? nullptr : &*found;
}

class code_search {
public:
  explicit code_search(std::string_view provider) : provider_(lower_ascii(provider)) {}

  void look_at(std::string_view spelled, bool in_field) {
    const auto code = normalised(spelled);
    const code_entry* entry = nullptr;
    const bool number = !code.empty() && is_digit(code.front());
    if (number && code.size() == 4) {
      if (is_zhipu(provider_)) {
        entry = find_in(zhipu_codes, code);
      } else if (mentions(provider_, {"minimax"})) {
        entry = find_in(minimax_codes, code);
      }
    }
    if (entry == nullptr) {
      entry = find_in(code_entries, code);
    }
    if (entry != nullptr && entry->fields_only && !in_field) {
      return;
    }
    auto kind = error_class::unknown;
    auto weight = general;
    auto id = code;
    if (entry != nullptr) {
      kind = entry->kind;
      weight = entry->weight;
    } else if (const auto* part = number ? nullptr : find_part(code)) {
      kind = part->kind;
      id = part->part;
    } else {
      return;
    }
    if (found_ && (found_->weight == certain || weight == general)) {
      return;
    }
    std::replace(id.begin(), id.end(), '_', '-');
    found_ = code_meaning{kind, weight, id};
  }

  [[nodiscard]] const std::optional<code_meaning>& found() const { return found_; }

private:
  std::string provider_;
  std::optional<code_meaning> found_;
};

/// Whether a word of the prose looks like a code rather than like language.
bool is_identifier(std::string_view word) {
  if (word.size() < 4 || word.size() > 48) {
    return false;
  }
  bool capital_inside = false;
  for (std::size_t at = 1; at < word.size(); ++at) {
    capital_inside = capital_inside || (word[at] >= 'A' && word[at] <= 'Z');
  }
  return capital_inside || word.find('_') != std::string_view::npos
         || (is_digit(word.front()) && word.size() == 4);
}

} // namespace

std::optional<code_meaning> meaning_of_codes(const provider_message& message,
                                             std::string_view provider) {
  code_search search{provider};
  for (const auto& each : message.fields) {
    if (std::find(code_keys.begin(), code_keys.end(), each.key) != code_keys.end()
        && each.value.size() <= 64) {
      search.look_at(each.value, true);
    }
  }
  const std::string_view prose = message.prose;
  for (std::size_t at = 0; at < prose.size();) {
    auto end = at;
    while (end < prose.size() && is_word(prose[end])) {
      ++end;
    }
    if (is_identifier(prose.substr(at, end - at))) {
      search.look_at(prose.substr(at, end - at), false);
    }
    at = end + 1;
  }
  return search.found();
}

bool prints_chinese_time(const provider_message& message, std::string_view provider) {
  const auto name = lower_ascii(provider);
  if (is_zhipu(name)
      || mentions(name, {"minimax", "moonshot", "kimi", "qwen", "dashscope", "alibaba", "aliyun",
                         "volc", "doubao", "siliconflow", "deepseek", "hunyuan", "stepfun"})) {
    return true;
  }
  // The numbers with which Z.ai announces its plan limits, when a gateway hides its name.
  return mentions(message.lower, {"error 1308", "error 1310", "error 1313"})
         || message.field("code") == "1308" || message.field("code") == "1310";
}

} // namespace resilient::goal
