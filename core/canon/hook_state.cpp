#include "core/canon/hook_state.hpp"

#include "core/support/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace resilient::canon {

namespace {

using nlohmann::json;

constexpr int own_version = 3;

std::set<std::string> strings_in(const json& list) {
  std::set<std::string> strings;
  if (list.is_array()) {
    for (const json& one : list) {
      if (one.is_string()) {
        strings.insert(one.get<std::string>());
      }
    }
  }
  return strings;
}

/// Version 1 lists names, later ones objects. A fingerprint of another program means nothing here.
void read_pending(const json& list, bool own, hook_state& state) {
  if (!list.is_array()) {
    return;
  }
  for (const json& one : list) {
    const json& name = one.is_string() ? one : json_member(one, "path");
    if (!name.is_string()) {
      continue;
    }
    owed_article& owed = state.pending[name.get<std::string>()];
    owed = {};
    if (const json& print = json_member(one, "fingerprint"); own && print.is_string()) {
      owed.fingerprint = print.get<std::string>();
    }
    for (const json& call : json_member(one, "unless_failed")) {
      const json& id = json_member(call, "call");
      const json& transcript = json_member(call, "transcript");
      if (own && id.is_string() && transcript.is_string()) {
        owed.unless_failed.insert({id.get<std::string>(), transcript.get<std::string>()});
      }
    }
  }
}

} // namespace

std::set<std::string>& hook_state::seen_by(const std::string& agent) {
  constexpr std::size_t most_contexts = 64;
  const auto found = std::find_if(contexts.begin(), contexts.end(),
                                  [&](const context& one) { return one.agent == agent; });
  if (found != contexts.end()) {
    std::rotate(found, found + 1, contexts.end());
  } else {
    contexts.push_back({agent, {}});
    if (contexts.size() > most_contexts) {
      // The main agent may be silent for long while its subagents work.
      const auto oldest = std::find_if(contexts.begin(), contexts.end(),
                                       [](const context& one) { return !one.agent.empty(); });
      contexts.erase(oldest);
    }
  }
  return contexts.back().seen;
}

void hook_state::owe(const std::string& key, const std::string& fingerprint,
                     const std::optional<told_later>& later) {
  constexpr std::size_t most_calls = 64;
  const auto [place, is_new] = pending.try_emplace(key);
  owed_article& owed = place->second;
  // What was changed before the article was written is paid.
  const bool begins = is_new || owed.fingerprint != fingerprint;
  const bool is_certain = !begins && owed.unless_failed.empty();
  owed.fingerprint = fingerprint;
  if (begins) {
    owed.unless_failed.clear();
  }
  if (!later || is_certain || owed.unless_failed.size() >= most_calls) {
    owed.unless_failed.clear();
  } else {
    owed.unless_failed.insert(*later);
  }
}

void hook_state::inherit(const std::string& agent) {
  const auto context_of = [&](const std::string& name) {
    return std::find_if(contexts.begin(), contexts.end(),
                        [&](const context& one) { return one.agent == name; });
  };
  const auto main = context_of("");
  if (main != contexts.end() && context_of(agent) == contexts.end()) {
    std::set<std::string> seen = main->seen;
    seen_by(agent) = std::move(seen);
  }
}

void hook_state::forget(const std::string& agent) {
  contexts.erase(std::remove_if(contexts.begin(), contexts.end(),
                                [&](const context& one) { return one.agent == agent; }),
                 contexts.end());
}

hook_state parse_hook_state(std::string_view bytes) {
  hook_state state;
  const json data = parse_json(bytes);
  const json& number = json_member(data, "version");
  const auto version = number.is_number_integer() ? number.get<std::int64_t>() : 0;
  const bool own = version == own_version;
  if (own) {
    for (const json& one : json_member(data, "contexts")) {
      const json& agent = json_member(one, "agent");
      if (agent.is_string()) {
        state.seen_by(agent.get<std::string>()) = strings_in(json_member(one, "seen"));
      }
    }
    if (const json& reminded = json_member(data, "reminded_in"); reminded.is_string()) {
      state.reminded_in = reminded.get<std::string>();
    }
  } else if (version == 1 || version == 2) {
    if (auto seen = strings_in(json_member(data, "seen")); !seen.empty()) {
      state.seen_by("") = std::move(seen);
    }
  } else {
    return state;
  }
  read_pending(json_member(data, "pending"), own, state);
  return state;
}

std::string compose_hook_state(const hook_state& state) {
  json contexts = json::array();
  for (const hook_state::context& one : state.contexts) {
    contexts.push_back({{"agent", one.agent}, {"seen", one.seen}});
  }
  json pending = json::array();
  for (const auto& [path, owed] : state.pending) {
    json one{{"path", path},
             {"fingerprint", owed.fingerprint ? json(*owed.fingerprint) : json(nullptr)}};
    for (const told_later& later : owed.unless_failed) {
      one["unless_failed"].push_back({{"call", later.call}, {"transcript", later.transcript}});
    }
    pending.push_back(std::move(one));
  }
  json data{{"version", own_version}, {"contexts", contexts}, {"pending", pending}};
  if (state.reminded_in) {
    data["reminded_in"] = *state.reminded_in;
  }
  return json_line(data);
}

} // namespace resilient::canon
