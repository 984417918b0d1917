#include "core/goal/phrase_tables.hpp"

#include "core/goal/phrase_tables_plan.hpp"
#include "core/goal/phrase_tables_request.hpp"
#include "core/goal/phrase_tables_trouble.hpp"

#include <array>

namespace resilient::goal {

namespace {

using enum error_class;

constexpr std::string_view no_phrases[] = {""};
constexpr std::span<const std::string_view> none{no_phrases, 0};

constexpr auto certain = phrase_weight::certain;
constexpr auto general = phrase_weight::general;
constexpr auto doubtful = phrase_weight::doubtful;
using gate = status_gate;

// The order matters: what is narrow comes before what is wide.
constexpr std::array rules = {
    phrase_rule{"aborted", abort, certain, gate::no_response, aborts, no_user_abort},
    phrase_rule{"usage-warning", unknown, certain, gate::not_throttled, warnings, used_up},
    phrase_rule{"connection-limit", transient, certain, gate::any, socket_limits, none},
    phrase_rule{"request-too-large", overflow, certain, gate::any, single_request_too_large, none},
    phrase_rule{"context-overflow", overflow, certain, gate::any, overflows, no_overflow},
    phrase_rule{"extra-usage-required", config, certain, gate::any, extra_usage_required, none},
    phrase_rule{"balance", usage_exhausted, certain, gate::no_gateway, balances, no_balance},
    phrase_rule{"usage-limit", usage_exhausted, certain, gate::no_gateway, usage_limits,
                no_usage_limit},
    phrase_rule{"quota", usage_exhausted, doubtful, gate::no_gateway, quotas, no_quota},
    phrase_rule{"short-period", rate_limit, certain, gate::no_gateway, short_periods, none},
    phrase_rule{"overloaded", transient, certain, gate::any, overloads, no_overload},
    phrase_rule{"certificate", config, certain, gate::no_response, certificates, none},
    phrase_rule{"model", config, certain, gate::client_error, models, none},
    phrase_rule{"credentials", auth, certain, gate::client_error, credentials, no_credentials},
    phrase_rule{"money-used-up", usage_exhausted, certain, gate::no_gateway, money, no_balance,
                used_up_words},
    phrase_rule{"length", overflow, certain, gate::not_throttled, lengthy_things, no_overflow,
                too_much},
    phrase_rule{"key-refused", auth, certain, gate::client_error, key_words, no_key, refused_words},
    phrase_rule{"request", config, certain, gate::client_error, requests, none},
};

constexpr std::array vague_rules = {
    phrase_rule{"throttled", rate_limit, general, gate::any, throttles, none},
    phrase_rule{"passing-trouble", transient, general, gate::any, passing_troubles, no_trouble},
    phrase_rule{"access", auth, general, gate::any, access_words, none},
};

} // namespace

const std::span<const std::string_view> whole_abort_texts{abort_texts};

std::span<const phrase_rule> phrase_rules() {
  return rules;
}

std::span<const phrase_rule> vague_phrase_rules() {
  return vague_rules;
}

} // namespace resilient::goal
