#include "core/goal/phrase_rules.hpp"

#include "core/goal/phrase_tables.hpp"

#include <algorithm>

namespace resilient::goal {

namespace {

bool any_of(const phrase_text& text, std::span<const std::string_view> phrases) {
  return std::any_of(phrases.begin(), phrases.end(),
                     [&](std::string_view phrase) { return text.has(phrase); });
}

bool is_one_of(const phrase_text& text, std::span<const std::string_view> phrases) {
  return std::any_of(phrases.begin(), phrases.end(),
                     [&](std::string_view phrase) { return text.is(phrase); });
}

bool applies(const phrase_rule& rule, const phrase_text& text) {
  return any_of(text, rule.phrases) && (rule.with.empty() || any_of(text, rule.with))
         && !any_of(text, rule.unless);
}

bool allowed(const phrase_rule& rule, int status) {
  switch (rule.where) {
  case status_gate::any:
    return true;
  case status_gate::no_gateway:
    return status < 501;
  case status_gate::no_response:
    return status < 400;
  case status_gate::client_error:
    return status == 0 || (status >= 400 && status < 500 && status != 429) || status == 500;
  case status_gate::not_throttled:
    return status != 429;
  }
  return true;
}

} // namespace

std::optional<phrase_meaning> meaning_of_phrases(const phrase_text& text, int status) {
  if (status < 400 && is_one_of(text, whole_abort_texts)) {
    return phrase_meaning{error_class::abort, phrase_weight::certain, "aborted"};
  }
  for (const auto& rule : phrase_rules()) {
    if (allowed(rule, status) && applies(rule, text)) {
      return phrase_meaning{rule.kind, rule.weight, rule.id};
    }
  }
  return std::nullopt;
}

std::optional<phrase_meaning> meaning_of_vague_phrases(const phrase_text& text) {
  for (const auto& rule : vague_phrase_rules()) {
    if (applies(rule, text)) {
      return phrase_meaning{rule.kind, phrase_weight::general, rule.id};
    }
  }
  return std::nullopt;
}

} // namespace resilient::goal
