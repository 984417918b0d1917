#include "core/goal/error_codes.hpp"

#include "core/goal/plain_text.hpp"

#include <algorithm>
#include <array>

namespace resilient::goal {

namespace {

using enum error_class;

struct code_entry {
  std::string_view code; ///< in lower case, with `_` for every other separator
  error_class kind;
  code_weight weight;
  /// The code is also an ordinary word: it counts only as the value of a field.
  bool fields_only = false;
};

constexpr auto certain = code_weight::certain;
constexpr auto general = code_weight::general;

constexpr std::array code_entries = {
    // overflow
    code_entry{"context_length_exceeded", overflow, certain},
    code_entry{"model_context_window_exceeded", overflow, certain},
    code_entry{"context_window_exceeded", overflow, certain},
    code_entry{"contextwindowexceedederror", overflow, certain},
    code_entry{"exceed_context_size_error", overflow, certain},
    code_entry{"max_context_length_exceeded", overflow, certain},
    code_entry{"model_max_prompt_tokens_exceeded", overflow, certain},
    code_entry{"request_too_large", overflow, certain},
    code_entry{"string_above_max_length", overflow, general},
    // usage
    code_entry{"insufficient_quota", usage_exhausted, certain},
    code_entry{"usage_limit_reached", usage_exhausted, certain},
    code_entry{"usage_limit_exceeded", usage_exhausted, certain},
    code_entry{"usage_not_included", usage_exhausted, certain},
    code_entry{"workspace_owner_credits_depleted", usage_exhausted, certain},
    code_entry{"workspace_member_credits_depleted", usage_exhausted, certain},
    code_entry{"billing_hard_limit_reached", usage_exhausted, certain},
    code_entry{"billing_not_active", usage_exhausted, certain},
    code_entry{"billing_error", usage_exhausted, certain},
    code_entry{"insufficient_balance", usage_exhausted, certain},
    code_entry{"insufficient_credits", usage_exhausted, certain},
    code_entry{"insufficient_funds", usage_exhausted, certain},
    code_entry{"insufficient_user_quota", usage_exhausted, certain},
    code_entry{"insufficient_g1_credits_balance", usage_exhausted, certain},
    code_entry{"exceeded_current_quota_error", usage_exhausted, certain},
    code_entry{"quota_exhausted", usage_exhausted, certain},
    code_entry{"pre_consume_token_quota_failed", usage_exhausted, certain},
    code_entry{"budget_exceeded", usage_exhausted, certain},
    code_entry{"exceededbudget", usage_exhausted, certain},
    code_entry{"payment_required", usage_exhausted, certain},
    code_entry{"creditserror", usage_exhausted, certain},
    code_entry{"usagelimiterror", usage_exhausted, certain},
    code_entry{"monthlylimiterror", usage_exhausted, certain},
    code_entry{"freeusagelimiterror", usage_exhausted, certain},
    code_entry{"gousagelimiterror", usage_exhausted, certain},
    code_entry{"subscription_free_usage_exhausted", usage_exhausted, certain},
    code_entry{"personal_team_blocked_spending_limit", usage_exhausted, certain},
    code_entry{"arrearage", usage_exhausted, certain},
    code_entry{"allocationquota_freetieronly", usage_exhausted, certain},
    code_entry{"accountoverdueerror", usage_exhausted, certain},
    code_entry{"accountoverdue", usage_exhausted, certain},
    code_entry{"quota_exceeded", usage_exhausted, general},
    code_entry{"quotaexceeded", usage_exhausted, general},
    code_entry{"user_weekly_rate_limited", usage_exhausted, certain},
    code_entry{"user_monthly_rate_limited", usage_exhausted, certain},
    code_entry{"servicequotaexceededexception", usage_exhausted, certain},
    // auth
    code_entry{"authentication_error", auth, certain},
    code_entry{"invalid_api_key", auth, certain},
    code_entry{"api_key_invalid", auth, certain},
    code_entry{"invalid_authentication_error", auth, certain},
    code_entry{"incorrect_api_key_error", auth, certain},
    code_entry{"account_deactivated", auth, certain},
    code_entry{"token_expired", auth, certain},
    code_entry{"token_revoked", auth, certain},
    code_entry{"token_invalidated", auth, certain},
    code_entry{"access_token_expired", auth, certain},
    code_entry{"access_token_scope_insufficient", auth, certain},
    code_entry{"refresh_token_reused", auth, certain},
    code_entry{"refresh_token_expired", auth, certain},
    code_entry{"refresh_token_invalidated", auth, certain},
    code_entry{"invalid_grant", auth, certain},
    code_entry{"invalid_token", auth, certain},
    code_entry{"unauthorized", auth, certain, true},
    code_entry{"unauthenticated", auth, certain},
    code_entry{"autherror", auth, certain},
    code_entry{"authenticationerror", auth, certain},
    code_entry{"invalidapikey", auth, certain},
    code_entry{"expiredtokenexception", auth, certain},
    code_entry{"expiredtoken", auth, certain},
    code_entry{"unrecognizedclientexception", auth, certain},
    code_entry{"invalidsignatureexception", auth, certain},
    code_entry{"credentialsprovidererror", auth, certain},
    code_entry{"accessdeniedexception", auth, general},
    code_entry{"permission_error", auth, general},
    code_entry{"permission_denied", auth, general},
    code_entry{"permission_denied_error", auth, general},
    code_entry{"permissiondeniederror", auth, general},
    code_entry{"access_terminated_error", auth, general},
    code_entry{"forbidden", auth, general, true},
    // config
    code_entry{"model_not_found", config, certain},
    code_entry{"model_not_available", config, certain},
    code_entry{"model_not_supported", config, certain},
    code_entry{"model_is_deactivated", config, certain},
    code_entry{"model_deprecated", config, certain},
    code_entry{"model_decommissioned", config, certain},
    code_entry{"modelerror", config, certain},
    code_entry{"unsupported_api_for_model", config, certain},
    code_entry{"deploymentnotfound", config, certain},
    code_entry{"unsupported_parameter", config, certain},
    code_entry{"unsupported_value", config, certain},
    code_entry{"unknown_parameter", config, certain},
    code_entry{"invalid_value", config, certain},
    code_entry{"invalid_type", config, certain},
    code_entry{"invalid_prompt", config, certain},
    code_entry{"unsupported_country_region_territory", config, certain},
    code_entry{"self_signed_cert_in_chain", config, certain},
    code_entry{"depth_zero_self_signed_cert", config, certain},
    code_entry{"unable_to_verify_leaf_signature", config, certain},
    code_entry{"unable_to_get_issuer_cert", config, certain},
    code_entry{"unable_to_get_issuer_cert_locally", config, certain},
    code_entry{"cert_has_expired", config, certain},
    code_entry{"cert_not_yet_valid", config, certain},
    code_entry{"err_tls_cert_altname_invalid", config, certain},
    code_entry{"err_invalid_url", config, certain},
    code_entry{"not_found_error", config, general},
    code_entry{"resource_not_found_error", config, general},
    code_entry{"resourcenotfoundexception", config, general},
    code_entry{"validationexception", config, general},
    code_entry{"invalid_argument", config, general},
    code_entry{"failed_precondition", config, general},
    code_entry{"invalid_request_error", config, general},
    code_entry{"invalid_request", config, general},
    code_entry{"invalidparameter", config, general},
    code_entry{"not_found", config, general},
    code_entry{"unimplemented", config, general, true},
    // throttles
    code_entry{"model_cooldown", rate_limit, certain},
    code_entry{"throttlingexception", rate_limit, certain},
    code_entry{"throttling_ratequota", rate_limit, certain},
    code_entry{"throttling_burstrate", rate_limit, certain},
    code_entry{"throttling", rate_limit, general},
    code_entry{"rate_limit_error", rate_limit, general},
    code_entry{"rate_limit_exceeded", rate_limit, general},
    code_entry{"ratelimitexceeded", rate_limit, general},
    code_entry{"rate_limit_reached_error", rate_limit, general},
    code_entry{"rate_limited", rate_limit, general},
    code_entry{"rate_limit", rate_limit, general},
    code_entry{"ratelimiterror", rate_limit, general},
    code_entry{"user_global_rate_limited", rate_limit, general},
    code_entry{"user_model_rate_limited", rate_limit, general},
    code_entry{"ratelimitreached", rate_limit, general},
    code_entry{"too_many_requests", rate_limit, general},
    code_entry{"toomanyrequests", rate_limit, general},
    code_entry{"resource_exhausted", rate_limit, general},
    code_entry{"tokens", rate_limit, general, true},
    code_entry{"requests", rate_limit, general, true},
    code_entry{"1302", rate_limit, general, true},
    // passing trouble
    code_entry{"overloaded_error", transient, certain},
    code_entry{"server_is_overloaded", transient, certain},
    code_entry{"engine_overloaded_error", transient, certain},
    code_entry{"engine_overloaded", transient, certain},
    code_entry{"slow_down", transient, certain},
    code_entry{"service_unavailable_error", transient, certain},
    code_entry{"subscription_sharing_usage_unavailable", transient, certain},
    code_entry{"modelnotreadyexception", transient, certain},
    code_entry{"modeltimeoutexception", transient, certain},
    code_entry{"serviceunavailableexception", transient, certain},
    code_entry{"internalserverexception", transient, certain},
    code_entry{"modelerrorexception", transient, general},
    code_entry{"modelstreamerrorexception", transient, general},
    code_entry{"timeout_error", transient, certain},
    code_entry{"websocket_connection_limit_reached", transient, certain},
    code_entry{"network_error", transient, certain},
    code_entry{"malformed_response", transient, certain},
    code_entry{"malformed_function_call", transient, certain},
    code_entry{"server_error", transient, general},
    code_entry{"api_error", transient, general},
    code_entry{"internal_server_error", transient, general},
    code_entry{"internal_error", transient, general},
    code_entry{"service_unavailable", transient, general},
    code_entry{"unavailable", transient, general, true},
    code_entry{"internal", transient, general, true},
    code_entry{"deadline_exceeded", transient, general},
    code_entry{"cancelled", transient, general, true},
    code_entry{"capacity_exceeded", transient, general},
    code_entry{"bad_gateway", transient, general},
    code_entry{"gateway_timeout", transient, general},
    code_entry{"upstream_error", transient, general},
    code_entry{"request_timeout", transient, general},
    code_entry{"econnreset", transient, general},
    code_entry{"econnrefused", transient, general},
    code_entry{"econnaborted", transient, general},
    code_entry{"epipe", transient, general},
    code_entry{"etimedout", transient, general},
    code_entry{"esockettimedout", transient, general},
    code_entry{"enetunreach", transient, general},
    code_entry{"enetdown", transient, general},
    code_entry{"enetreset", transient, general},
    code_entry{"ehostunreach", transient, general},
    code_entry{"ehostdown", transient, general},
    code_entry{"enotfound", transient, general},
    code_entry{"eai_again", transient, general},
    code_entry{"eai_fail", transient, general},
    code_entry{"eai_nodata", transient, general},
    code_entry{"eproto", transient, general},
    code_entry{"eaddrnotavail", transient, general},
    code_entry{"und_err_socket", transient, general},
    code_entry{"und_err_connect_timeout", transient, general},
    code_entry{"und_err_headers_timeout", transient, general},
    code_entry{"und_err_body_timeout", transient, general},
    code_entry{"und_err_closed", transient, general},
    code_entry{"err_socket_closed", transient, general},
    code_entry{"err_stream_premature_close", transient, general},
    code_entry{"err_http2_stream_error", transient, general},
    code_entry{"err_http2_goaway_session", transient, general},
    code_entry{"err_http2_session_error", transient, general},
    code_entry{"err_tls_handshake_timeout", transient, general},
    code_entry{"connectionrefused", transient, general},
    code_entry{"connectionclosed", transient, general},
    code_entry{"failedtoopensocket", transient, general},
};

constexpr std::array zhipu_codes = {
    code_entry{"1000", auth, certain},
    code_entry{"1001", auth, certain},
    code_entry{"1002", auth, certain},
    code_entry{"1003", auth, certain},
    code_entry{"1004", auth, certain},
    code_entry{"1110", auth, certain},
    code_entry{"1111", auth, certain},
    code_entry{"1112", auth, certain},
    code_entry{"1113", usage_exhausted, general},
    code_entry{"1211", config, certain},
    code_entry{"1212", config, certain},
    code_entry{"1214", config, general},
    code_entry{"1220", auth, general},
    code_entry{"1234", transient, certain},
    code_entry{"1261", overflow, certain},
    code_entry{"1302", rate_limit, certain},
    code_entry{"1303", rate_limit, certain},
    code_entry{"1304", usage_exhausted, certain},
    code_entry{"1305", rate_limit, certain},
    code_entry{"1308", usage_exhausted, certain},
    code_entry{"1309", usage_exhausted, certain},
    code_entry{"1310", usage_exhausted, certain},
    code_entry{"1311", config, certain},
    code_entry{"1312", transient, certain},
    code_entry{"1313", usage_exhausted, certain},
};

constexpr std::array minimax_codes = {
    code_entry{"1000", transient, general},       code_entry{"1001", transient, certain},
    code_entry{"1002", rate_limit, certain},      code_entry{"1004", auth, certain},
    code_entry{"1008", usage_exhausted, certain}, code_entry{"1013", transient, general},
    code_entry{"1039", rate_limit, certain},      code_entry{"2013", config, general},
    code_entry{"2045", rate_limit, certain},      code_entry{"2049", auth, certain},
    code_entry{"2056", usage_exhausted, certain},
};

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

struct code_part {
  std::string_view part; ///< without separators
  error_class kind;
};

/// Parts that codes of providers never seen before are made of. The narrow ones come first.
constexpr std::array code_parts = {
    code_part{"contextlength", overflow},
    code_part{"contextwindow", overflow},
    code_part{"prompttoolong", overflow},
    code_part{"inputtoolong", overflow},
    code_part{"modelnotfound", config},
    code_part{"insufficientquota", usage_exhausted},
    code_part{"insufficientbalance", usage_exhausted},
    code_part{"insufficientcredit", usage_exhausted},
    code_part{"quotaexceeded", usage_exhausted},
    code_part{"quotaexhausted", usage_exhausted},
    code_part{"creditsdepleted", usage_exhausted},
    code_part{"usagelimit", usage_exhausted},
    code_part{"ratelimit", rate_limit},
    code_part{"toomanyrequests", rate_limit},
    code_part{"throttl", rate_limit},
    code_part{"overloaded", transient},
    code_part{"timeout", transient},
    code_part{"unavailable", transient},
    code_part{"connectionerror", transient},
    code_part{"connecterror", transient},
    code_part{"networkerror", transient},
    code_part{"protocolerror", transient},
    code_part{"internalerror", transient},
    code_part{"internalservice", transient},
    code_part{"internalserver", transient},
    code_part{"servererror", transient},
    code_part{"authentication", auth},
    code_part{"unauthorized", auth},
    code_part{"invalidapikey", auth},
    code_part{"expiredtoken", auth},
    code_part{"tokenexpired", auth},
    code_part{"invalidtoken", auth},
};

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
