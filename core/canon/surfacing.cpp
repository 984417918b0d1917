#include "core/canon/surfacing.hpp"

#include "core/canon/mutation.hpp"
#include "core/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace resilient::canon {

namespace {

using nlohmann::json;

constexpr std::size_t most_ranked = 3;
/// A host that never tells how calls end must not make this grow for ever.
constexpr std::size_t most_waiting = 1000;
constexpr std::size_t most_trace = 1000;
/// In bytes. A longer line names the article only, and what a message has no room for comes with
/// the next one: nothing is cut. Far above what anybody wants to be shown, and far below what a
/// frame to Pi may hold.
constexpr std::size_t longest_line = std::size_t{16} << 10U;
constexpr std::size_t longest_message = std::size_t{64} << 10U;
constexpr std::size_t most_needle_bytes = std::size_t{128} << 10U;

std::string header_of(const std::vector<sent_line>& lines) {
  const bool by_address = !lines.front().score;
  if (lines.size() == 1) {
    return fmt::format("[canon] {}. Read it in full before you depend on its details; after a real "
                       "change, write what is true now.",
                       by_address ? "This article governs what you touched"
                                  : "This article may bear on what you do");
  }
  return fmt::format("[canon] {}. Read one in full before you depend on its details; after a real "
                     "change, write what is true now.",
                     by_address ? "These articles govern what you touched"
                                : "These articles may bear on what you do");
}

/// The needle of something that the tool was given or showed: its body where that tells enough,
/// since a body that is folded away leaves little behind; else its capsule.
std::optional<needle> needle_of(const touched_article& touched) {
  const std::size_t line_end = touched.text.find('\n');
  if (line_end == std::string::npos) {
    return make_needle(touched.key, touched.text);
  }
  const std::string_view text = touched.text;
  auto made = make_needle(touched.key, text.substr(line_end));
  return made ? made : make_needle(touched.key, text.substr(0, line_end));
}

std::size_t size_of(const needle& mark) {
  return mark.key.size() + mark.id.size() + mark.tail.size();
}

/// Joined; so many that they would be too long are counted.
std::string names_of(const std::vector<std::string>& keys) {
  std::string names;
  std::size_t unnamed = 0;
  for (const std::string& key : keys) {
    if (!names.empty() && names.size() + key.size() > longest_line) {
      ++unnamed;
      continue;
    }
    names += (names.empty() ? "" : ", ") + key;
  }
  return unnamed == 0 ? names : fmt::format("{} and {} more", names, unnamed);
}

} // namespace

observed_call observe(std::string id, std::string tool, json input, const touch_place& from) {
  observed_call call{std::move(id), std::move(tool), std::move(input), {}, {}};
  call.touches = touches_in(call.input, from);
  call.changes = changes_in(call.tool, call.input, from);
  return call;
}

void surfacing::trace(const char* kind, json fields) {
  if (trace_.size() < most_trace) {
    fields["kind"] = kind;
    trace_.push_back(std::move(fields));
  }
}

bool surfacing::is_staged(const std::string& key) const {
  return std::any_of(staged_.begin(), staged_.end(),
                     [&](const sent_line& one) { return one.line.key == key; });
}

void surfacing::stage(const places& where, const touched& what) {
  auto line = line_for(where, what.path);
  if (!line || known_.count(line->key) > 0) {
    return;
  }
  const auto staged = std::find_if(staged_.begin(), staged_.end(),
                                   [&](const sent_line& one) { return one.line.key == line->key; });
  if (staged != staged_.end()) {
    if (staged->score) { // touched after all: it needs no relevance any more
      staged_.erase(staged);
    } else {
      return;
    }
  }
  trace("staged", {{"path", line->key}, {"asset", to_valid_utf8(what.asset)}});
  const auto first_ranked = std::find_if(staged_.begin(), staged_.end(),
                                         [](const sent_line& one) { return bool(one.score); });
  staged_.insert(first_ranked, {std::move(*line), std::nullopt, "address"});
}

void surfacing::enter(other_context context) {
  waiting_.clear(); // nobody tells any more how those calls ended
  calls_of_turn_.clear();
  if (context == other_context::of_the_session) {
    return;
  }
  surfacing other{chosen_};
  if (chosen_.resurface) {
    for (auto& [key, known] : known_) {
      if (known.mark) {
        other.known_.emplace(key, std::move(known));
      }
    }
  }
  other.trace_ = std::move(trace_);
  *this = std::move(other);
}

void surfacing::recall(std::vector<logged_article> log) {
  // What was shown last counts. So much is kept that there is room to look for what comes.
  std::reverse(log.begin(), log.end());
  std::set<std::string> recalled;
  std::size_t bytes = 0;
  for (const logged_article& each : log) {
    const std::string& key = each.what.key;
    if (each.surfaced) {
      surfaced_.insert(key);
    }
    auto mark = needle_of(each.what);
    if (!mark || bytes > most_needle_bytes / 2 || !recalled.insert(key).second) {
      continue;
    }
    bytes += size_of(*mark);
    known_[key] = {std::move(mark), each.surfaced ? utf16_length(each.what.text) : 0};
  }
}

void surfacing::call(const places& where, const observed_call& what) {
  if (!chosen_.surface) {
    return;
  }
  for (const touched& one : what.touches) {
    stage(where, one);
  }
  if (!what.changes.empty() && waiting_.size() < most_waiting) {
    std::vector<std::string>& paths = waiting_[what.id];
    for (const touched& one : what.changes) {
      paths.push_back(one.path);
    }
  }
  if (std::string intent = intent_of_call(what.tool, what.input); !intent.empty()) {
    calls_of_turn_.push_back(std::move(intent));
  }
}

void surfacing::result(const places& where, const std::string& call_id, bool is_error) {
  const auto waiting = waiting_.find(call_id);
  if (waiting == waiting_.end()) {
    return;
  }
  const std::vector<std::string> changed = std::move(waiting->second);
  waiting_.erase(waiting);
  if (is_error || !chosen_.surface) {
    return;
  }
  for (const std::string& path : changed) {
    if (const auto line = line_for(where, path)) {
      pending_.insert(line->key);
    }
  }
}

void surfacing::used(const touched_article& touched) {
  if (touched.written) {
    pending_.erase(touched.key);
  }
  if (!chosen_.surface) {
    return;
  }
  const auto staged = std::find_if(staged_.begin(), staged_.end(), [&](const sent_line& one) {
    return one.line.key == touched.key;
  });
  if (staged != staged_.end()) {
    staged_.erase(staged);
    trace("withdrawn", {{"path", touched.key}});
  }
  known_article& known = known_[touched.key];
  if (auto mark = needle_of(touched)) {
    known.mark = std::move(mark);
  }
  if (!touched.written) {
    trace("entered",
          {{"path", touched.key}, {"chars", utf16_length(touched.text)}, {"via", "read"}});
  }
}

void surfacing::heard_also(std::string user_message) {
  // More than the question takes is never needed.
  constexpr std::size_t most_messages = 64;
  user_messages_.push_back(std::move(user_message));
  if (user_messages_.size() > most_messages) {
    user_messages_.erase(user_messages_.begin());
  }
}

std::vector<needle> surfacing::needles() const {
  std::vector<needle> marks;
  if (chosen_.surface && chosen_.resurface) {
    std::size_t bytes = 0;
    for (const auto& [key, known] : known_) {
      if (!known.mark) {
        continue;
      }
      bytes += size_of(*known.mark);
      if (bytes > most_needle_bytes) {
        break; // the rest counts as there
      }
      marks.push_back(*known.mark);
    }
  }
  return marks;
}

void surfacing::departed(const std::vector<std::string>& keys) {
  if (!chosen_.resurface) {
    return;
  }
  for (const std::string& key : keys) {
    const auto known = known_.find(key);
    if (known != known_.end() && known->second.mark) {
      known_.erase(known);
      trace("departed", {{"path", key}});
    }
  }
}

std::optional<std::string> surfacing::question() const {
  if (!chosen_.surface || chosen_.retrieval == retrieval_kind::none) {
    return std::nullopt;
  }
  std::string asked = intent_question(user_messages_, calls_of_turn_);
  if (asked.empty() || asked == last_question_) {
    return std::nullopt;
  }
  return asked;
}

void surfacing::rank(const std::string& question, const std::string& retriever,
                     const retrieval_corpus& corpus, std::vector<scored_article> ranking) {
  if (!chosen_.surface || chosen_.retrieval == retrieval_kind::none) {
    return;
  }
  last_question_ = question;
  const auto staged_by_rank = static_cast<std::size_t>(std::count_if(
      staged_.begin(), staged_.end(), [](const sent_line& one) { return bool(one.score); }));
  // A retriever may name what is no candidate.
  ranking.erase(
      std::remove_if(ranking.begin(), ranking.end(),
                     [&](const scored_article& one) { return corpus.find(one.key) == nullptr; }),
      ranking.end());
  const standout_verdict verdict = stand_out(
      std::move(ranking),
      [this](const std::string& key) {
        return known_.count(key) == 0 && surfaced_.count(key) == 0 && !is_staged(key);
      },
      chosen_.standout, most_ranked - std::min(most_ranked, staged_by_rank));
  if (verdict.eligible == 0) {
    return;
  }
  trace("ranked", {{"standout", chosen_.standout},
                   {"reached", verdict.reached ? json(*verdict.reached) : json(nullptr)},
                   {"responders", verdict.responders},
                   {"eligible", verdict.eligible},
                   {"passed", verdict.passed.size()}});
  for (const scored_article& one : verdict.passed) {
    const retrieval_candidate& candidate = *corpus.find(one.key);
    trace("retrieved", {{"path", one.key},
                        {"retriever", retriever},
                        {"score", one.score},
                        {"declared", candidate.declared}});
    const auto place = std::find_if(staged_.begin(), staged_.end(), [&](const sent_line& other) {
      return other.score && *other.score < one.score;
    });
    staged_.insert(place, {candidate.line, one.score, retriever});
  }
  if (!verdict.held.empty()) {
    trace("retrieval-held",
          {{"count", verdict.held.size()},
           {"bestHeld", verdict.held.front().score},
           {"worstSent",
            verdict.passed.empty() ? json(nullptr) : json(verdict.passed.back().score)}});
  }
}

void surfacing::ranking_failed(const std::string& question, const std::string& why) {
  last_question_ = question;
  trace("retrieval-failed", {{"error", to_valid_utf8(why)}});
}

void surfacing::take_staged(std::vector<sent_line>& lines) {
  std::size_t bytes = 0;
  auto next = staged_.begin();
  for (; next != staged_.end(); ++next) {
    if (next->line.text.size() > longest_line) {
      next->line.text = next->line.pointer;
      next->line.has_capsule = false;
    }
    bytes += next->line.text.size() + 1;
    if (bytes > longest_message && next != staged_.begin()) {
      break;
    }
    lines.push_back(std::move(*next));
  }
  staged_.erase(staged_.begin(), next);
}

std::optional<surfacing_message> surfacing::flush() {
  calls_of_turn_.clear();
  if (staged_.empty() || !chosen_.surface) {
    staged_.clear();
    return std::nullopt;
  }
  surfacing_message message;
  take_staged(message.lines);
  message.text = header_of(message.lines);
  std::size_t characters = 0;
  for (const sent_line& one : message.lines) {
    const std::size_t cost = utf16_length(one.line.text);
    message.text += "\n" + one.line.text;
    known_[one.line.key] = {make_needle(one.line.key, one.line.text), cost};
    surfaced_.insert(one.line.key);
    characters += cost;
    trace("surfaced", {{"path", one.line.key},
                       {"chars", cost},
                       {"capsule", one.line.has_capsule},
                       {"score", one.score ? json(*one.score) : json(nullptr)},
                       {"via", one.via}});
  }
  trace("flushed", {{"lines", message.lines.size()}, {"chars", characters}});
  return message;
}

std::optional<surfacing_message> surfacing::settle() {
  std::optional<surfacing_message> message = flush();
  if (pending_.empty() || !chosen_.surface) {
    pending_.clear();
    return message;
  }
  if (!message) {
    message.emplace();
  }
  message->reminded.assign(pending_.begin(), pending_.end());
  pending_.clear();
  trace("settle-nudge", {{"paths", message->reminded}});
  message->text += message->text.empty() ? "[canon] " : "\n";
  message->text += fmt::format("Touched but not updated: {}. If what an article says is no longer "
                               "true, write what is true now; otherwise leave it as it is.",
                               names_of(message->reminded));
  return message;
}

void surfacing::undo(const surfacing_message& message, const std::string& why) {
  trace("delivery-failed", {{"error", to_valid_utf8(why)}});
  for (const sent_line& one : message.lines) {
    known_.erase(one.line.key);
    if (const auto sent = surfaced_.find(one.line.key); sent != surfaced_.end()) {
      surfaced_.erase(sent);
    }
  }
  pending_.insert(message.reminded.begin(), message.reminded.end());
  // What was staged since then comes behind what was sent first.
  std::vector<sent_line> again = message.lines;
  for (sent_line& one : staged_) {
    const bool is_there = std::any_of(again.begin(), again.end(), [&](const sent_line& other) {
      return other.line.key == one.line.key;
    });
    if (!is_there) {
      again.push_back(std::move(one));
    }
  }
  std::stable_partition(again.begin(), again.end(),
                        [](const sent_line& one) { return !one.score; });
  staged_ = std::move(again);
  const auto ranked = std::find_if(staged_.begin(), staged_.end(),
                                   [](const sent_line& one) { return bool(one.score); });
  std::stable_sort(ranked, staged_.end(), [](const sent_line& one, const sent_line& other) {
    return *one.score > *other.score;
  });
  if (static_cast<std::size_t>(staged_.end() - ranked) > most_ranked) {
    staged_.erase(ranked + static_cast<std::ptrdiff_t>(most_ranked), staged_.end());
  }
  trace("delivery-undone", {{"lines", message.lines.size()}});
}

surfacing_counts surfacing::counts() const {
  surfacing_counts counts;
  counts.surfaced = surfaced_.size();
  counts.present = known_.size();
  for (const auto& [key, known] : known_) {
    counts.characters += known.cost;
  }
  return counts;
}

std::vector<json> surfacing::take_trace() {
  std::vector<json> taken;
  taken.swap(trace_);
  return taken;
}

} // namespace resilient::canon
