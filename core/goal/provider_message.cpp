#include "core/goal/provider_message.hpp"

#include "core/goal/loose_json.hpp"
#include "core/goal/status_in_text.hpp"

#include <array>

namespace resilient::goal {

namespace {

/// Bodies within bodies within bodies occur (gateway, router, provider); more would be an attack.
constexpr int nesting_limit = 4;
constexpr std::size_t field_limit = 256;

constexpr std::array message_keys = {
    std::string_view{"message"},
    std::string_view{"error"},
    std::string_view{"detail"},
    std::string_view{"details"},
    std::string_view{"msg"},
    std::string_view{"error_description"},
    std::string_view{"error_message"},
    std::string_view{"errormessage"},
    std::string_view{"error_msg"},
    std::string_view{"description"},
    std::string_view{"title"},
    std::string_view{"raw"},
    std::string_view{"body"},
    std::string_view{"reason"},
    std::string_view{"responsebody"},
    std::string_view{"text"},
    std::string_view{"localizedmessage"},
    std::string_view{"base_resp"},
    std::string_view{"status_msg"},
    std::string_view{"cause"},
    std::string_view{"provider_message"},
    std::string_view{"upstream_error"},
    std::string_view{"displaymessage"},
    std::string_view{"response"},
};

bool is_message_key(std::string_view key) {
  for (const auto candidate : message_keys) {
    if (key == candidate) {
      return true;
    }
  }
  return false;
}

void end_sentence(std::string& prose) {
  while (!prose.empty() && prose.back() == ' ') {
    prose.pop_back();
  }
  if (!prose.empty() && prose.back() != '\n') {
    prose += '\n';
  }
}

void read_part(std::string_view text, int depth, provider_message& out) {
  std::size_t plain_from = 0;
  std::size_t at = 0;
  bool inside_body = false;
  const auto take_plain = [&](std::size_t until, bool before_field) {
    auto plain = text.substr(plain_from, until - plain_from);
    // What lies between two fields is punctuation, unless words stand there.
    if (inside_body) {
      const auto word = plain.find_first_not_of("{}[]()\",:;'\\ \n");
      plain = word == std::string_view::npos ? std::string_view{} : plain.substr(word);
    }
    while (before_field && !plain.empty()
           && std::string_view{"{}[]\"',:\\ \n"}.find(plain.back()) != std::string_view::npos) {
      plain.remove_suffix(1);
    }
    if (!plain.empty()) {
      out.prose += plain;
    }
  };
  while (at < text.size()) {
    const auto found = loose_field_at(text, at);
    if (!found || out.fields.size() >= field_limit) {
      ++at;
      continue;
    }
    take_plain(at, true);
    end_sentence(out.prose);
    inside_body = true;
    at = plain_from = found->end;
    if (found->container) {
      continue;
    }
    const auto key = lower_ascii(found->key);
    const bool words = found->is_string && is_message_key(key);
    out.fields.push_back({key, found->value, found->is_string});
    if (words && depth < nesting_limit) {
      read_part(unfold_text(found->value, line_joint::blank), depth + 1, out);
      end_sentence(out.prose);
    }
  }
  take_plain(text.size(), false);
}

} // namespace

std::string_view provider_message::field(std::string_view key) const noexcept {
  for (const auto& each : fields) {
    if (each.key == key && !each.value.empty()) {
      return each.value;
    }
  }
  return {};
}

provider_message read_message(std::string_view text, line_joint joint) {
  provider_message out;
  auto unfolded = unfold_text(text, joint);
  const auto lower = lower_ascii(unfolded);
  out.html = is_html(lower);
  if (out.html) {
    for (const std::string_view sign : {"challenges.cloudflare.com", "cf-browser-verification",
                                        "just a moment", "cf_chl", "cf-chl", "turnstile"}) {
      out.challenge = out.challenge || lower.find(sign) != std::string::npos;
    }
    unfolded = html_words(unfolded);
    out.prose = unfold_text(unfolded, line_joint::blank);
  } else {
    read_part(unfolded, 0, out);
    end_sentence(out.prose);
  }
  out.prose = without_addresses(out.prose);
  out.lower = lower_ascii(out.prose);
  out.status = status_in_fields(out.fields);
  if (!out.status) {
    out.status = status_in_text(lower);
  }
  return out;
}

} // namespace resilient::goal
