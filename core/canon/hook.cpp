#include "core/canon/hook.hpp"

#include "core/canon/mutation.hpp"
#include "core/canon/surfacing_line.hpp"
#include "core/canon/touch.hpp"
#include "core/support/json_text.hpp"
#include "core/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace resilient::canon {

namespace {

using nlohmann::json;

std::string fingerprint_of(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

/// Governing articles by path; each is looked up once for a batch.
class line_finder {
public:
  explicit line_finder(const places& where) : where_(where) {}

  [[nodiscard]] const std::optional<surfacing_line>& find(const std::string& path) {
    const auto [place, is_new] = lines_.try_emplace(path);
    if (is_new) {
      place->second = line_for(where_, path);
      if (place->second) { // as it comes back from the state file
        place->second->key = to_valid_utf8(place->second->key);
      }
    }
    return place->second;
  }

private:
  const places& where_;
  std::map<std::string, std::optional<surfacing_line>> lines_;
};

/// What the tool canon showed the model, and what the model wrote by it. Its own answers tell.
struct own_calls {
  std::set<std::string> seen;
  std::set<std::string> written;
};

own_calls read_own_calls(const hook_event& event, line_finder& lines) {
  own_calls own;
  for (const hook_call& call : event.calls) {
    if (!is_own_tool(call.tool) || call.is_failed || !call.input.is_object()) {
      continue;
    }
    const auto action = call.input.find("action");
    const auto path = call.input.find("path");
    if (action == call.input.end() || path == call.input.end() || !path->is_string()) {
      continue;
    }
    const bool wrote = *action == "write" && starts_with(trim(call.answer), "Wrote ");
    if (*action != "read" && !wrote) {
      continue;
    }
    if (const auto& line = lines.find(path->get<std::string>())) {
      own.seen.insert(line->key);
      if (wrote) {
        own.written.insert(line->key);
      }
    }
  }
  return own;
}

struct packet {
  std::string text;
  std::vector<std::string> unnamed; ///< keys of the lines that had no room
};

/// A pointer, unless the line itself is no longer.
const std::string& short_form(const surfacing_line& line) {
  return line.text.size() <= line.pointer.size() ? line.text : line.pointer;
}

/// The packet of these lines: whole, or with the oldest ones as pointers, or without the very
/// oldest.
packet packet_of(const std::vector<surfacing_line>& lines, bool is_batch) {
  const auto header = [&](std::size_t pointers, std::size_t left_out) {
    std::string text = fmt::format(
        "[canon] {} governs what {} touched. Read the article in full before you depend on its "
        "details; after a real change, write what is true now.",
        lines.size() == 1 ? "This article" : "Each of these articles",
        is_batch ? "this tool batch" : "this tool");
    if (pointers > 0) {
      text += fmt::format(" {} of {} only name the article: all in full would be too long.",
                          pointers, lines.size());
    }
    if (left_out > 0) {
      text += fmt::format(
          " {} more are not named here; look with the action map, or touch one again.", left_out);
    }
    return text;
  };
  std::size_t used = header(lines.size(), lines.size()).size();
  // From the newest on: whole while it fits and the older ones could still be named.
  std::size_t short_left = 0;
  for (const surfacing_line& line : lines) {
    short_left += short_form(line).size() + 1;
  }
  std::vector<const std::string*> texts(lines.size(), nullptr);
  std::size_t pointers = 0;
  packet made;
  for (std::size_t index = lines.size(); index-- > 0;) {
    const surfacing_line& line = lines[index];
    short_left -= short_form(line).size() + 1;
    const bool fits = used + line.text.size() + 1 + short_left <= longest_packet;
    const std::string& text = fits ? line.text : short_form(line);
    if (used + text.size() + 1 > longest_packet) {
      made.unnamed.push_back(line.key);
      continue;
    }
    used += text.size() + 1;
    pointers += &text == &line.text ? 0 : 1;
    texts[index] = &text;
  }
  made.text = header(pointers, made.unnamed.size());
  for (const std::string* text : texts) {
    made.text += text == nullptr ? "" : "\n" + *text;
  }
  return made;
}

/// Whether the file shows that no call changed it of late.
bool is_long_unchanged(const std::string& path, const hook_surroundings& around) {
  const auto changed = around.changed_at ? around.changed_at(path) : std::nullopt;
  return changed && around.now - *changed > unchanged_for;
}

/// Claude Code tells at once how each call of a batch ended.
std::optional<told_later> told_later_of(const hook_event& event, const hook_call& call) {
  if (event.name != "PostToolUse" || call.id.empty() || event.transcript.empty()) {
    return std::nullopt;
  }
  return told_later{call.id, event.transcript};
}

std::string answer_calls(const hook_event& event, const places& where,
                         const hook_surroundings& around, hook_state& state) {
  line_finder lines{where};
  const own_calls own = read_own_calls(event, lines);
  std::set<std::string>& seen = state.seen_by(event.agent);
  seen.insert(own.seen.begin(), own.seen.end());
  const touch_place from{&where, event.folder, around.home};
  std::vector<surfacing_line> staged;
  for (const hook_call& call : event.calls) {
    if (is_own_tool(call.tool)) {
      continue;
    }
    for (const touched& one : touches_in(call.input, from)) {
      const auto& line = lines.find(one.path);
      if (line && seen.insert(line->key).second) {
        staged.push_back(*line);
      }
    }
    if (call.is_failed) {
      continue;
    }
    for (const touched& one : changes_in(call.tool, call.input, from)) {
      const auto& line = lines.find(one.path);
      // What the same batch wrote down it need not be reminded of.
      if (line && own.written.count(line->key) == 0 && !is_long_unchanged(one.path, around)) {
        state.owe(line->key, fingerprint_of(line->hash), told_later_of(event, call));
      }
    }
  }
  if (seen.empty()) {
    state.forget(event.agent);
  }
  if (staged.empty()) {
    return nothing_to_say;
  }
  const packet made = packet_of(staged, event.name == "PostToolBatch");
  for (const std::string& key : made.unnamed) {
    seen.erase(key);
  }
  return json_line(json{
      {"hookSpecificOutput", {{"hookEventName", event.name}, {"additionalContext", made.text}}}});
}

/// Whether the article was written since it had this fingerprint. A deleted one was not.
bool was_written_since(const places& where, const std::string& key,
                       const std::optional<std::string>& print) {
  if (!print) {
    return false;
  }
  const located found = where.locate_contained(key);
  const auto stored = where.at(found.place).knowledge.read(found.address);
  return stored && *stored && fingerprint_of((*stored)->hash) != *print;
}

bool has_failed(const owed_article& owed, const hook_surroundings& around) {
  return !owed.unless_failed.empty() && around.has_failed
         && std::all_of(owed.unless_failed.begin(), owed.unless_failed.end(), around.has_failed);
}

std::string answer_stop(const hook_event& event, const places& where,
                        const hook_surroundings& around, hook_state& state) {
  // Two stops in a row are never prevented: not when the host says that this one follows another,
  // and not when only we know it.
  const bool is_reminded = state.reminded_in && *state.reminded_in == event.turn;
  state.reminded_in.reset();
  if (event.is_stop_hook_active || is_reminded) {
    return nothing_to_say;
  }
  std::vector<std::string> owed;
  for (const auto& [key, one] : state.pending) {
    if (!was_written_since(where, key, one.fingerprint) && !has_failed(one, around)) {
      owed.push_back(key);
    }
  }
  state.pending.clear();
  if (owed.empty()) {
    return nothing_to_say;
  }
  state.reminded_in = event.turn;
  constexpr std::size_t most_bytes = 6000;
  std::string names;
  std::size_t unnamed = 0;
  for (const std::string& key : owed) {
    if (names.size() + key.size() > most_bytes) {
      ++unnamed;
      continue;
    }
    names += (names.empty() ? "" : ", ") + to_valid_utf8(key);
  }
  if (unnamed > 0) {
    names += fmt::format(" and {} more", unnamed);
  }
  return json_line(
      json{{"decision", "block"},
           {"reason", fmt::format("[canon] Touched but not updated: {}. If what an article says "
                                  "is no longer true, write what is true now with the tool "
                                  "canon; otherwise leave it and stop.",
                                  names)}});
}

} // namespace

std::string answer_hook(const hook_event& event, const places& where,
                        const hook_surroundings& around, hook_state& state) {
  if (event.name == "PostToolUse" || event.name == "PostToolBatch") {
    return answer_calls(event, where, around, state);
  }
  if (event.name == "Stop") {
    return answer_stop(event, where, around, state);
  }
  if (event.name == "SubagentStart" && event.agent_kind == "fork") {
    state.inherit(event.agent);
  }
  // Codex starts no session anew when a subagent is compacted.
  if (event.name == "PostCompact" && !event.agent.empty()) {
    state.forget(event.agent);
  }
  if (event.name == "SessionStart" && event.source != "resume") {
    if (event.source == "compact") {
      state.forget(event.agent);
    } else {
      state.contexts.clear();
    }
    if (event.agent.empty()) {
      state.pending.clear();
      state.reminded_in.reset();
    }
  }
  return nothing_to_say;
}

} // namespace resilient::canon
