#include "core/canon/retrieval.hpp"

#include "core/support/text.hpp"

#include <algorithm>
#include <array>

namespace resilient::canon {

namespace {

using nlohmann::json;

bool may_come_by_relevance(const place& project, const std::string& address,
                           const article& content) {
  return content.is_rule() || !governs_asset(project.directory, address);
}

bool is_better(const scored_article& one, const scored_article& other) {
  return one.score > other.score;
}

} // namespace

void retrieval_corpus::refresh(const place& project) {
  std::map<std::string, file_status> found;
  for (article_file& file : project.knowledge.list()) {
    found.emplace(std::move(file.address), file.status);
  }
  if (found == as_of_ && root_ == project.knowledge.root()) {
    return;
  }
  as_of_ = std::move(found);
  root_ = project.knowledge.root();
  candidates_.clear();
  by_document_.clear();
  words_ = word_index{word_choice::ranking};
  for (const auto& [address, status] : as_of_) {
    const auto read = project.knowledge.read(address);
    if (!read || !*read || !may_come_by_relevance(project, address, (*read)->content)) {
      continue;
    }
    const article& content = (*read)->content;
    const word_index::document number = words_.add({address, content.capsule.value, content.body});
    by_document_.resize(number + std::size_t{1});
    by_document_[number] = candidates_.size();
    candidates_.push_back({line_of(address, **read),
                           to_valid_utf8(content.capsule.value + "\n" + content.body),
                           content.is_rule()});
  }
}

const retrieval_candidate* retrieval_corpus::find(std::string_view key) const {
  const auto found = std::lower_bound(candidates_.begin(), candidates_.end(), key,
                                      [](const retrieval_candidate& one, std::string_view wanted) {
                                        return one.line.key < wanted;
                                      });
  return found != candidates_.end() && found->line.key == key ? &*found : nullptr;
}

std::vector<scored_article> retrieval_corpus::rank(std::string_view question) const {
  std::vector<scored_article> ranking;
  for (const word_index::hit& hit : words_.rank(question)) {
    ranking.push_back({candidates_[by_document_[hit.which]].line.key, hit.score});
  }
  std::stable_sort(ranking.begin(), ranking.end(), is_better);
  return ranking;
}

std::string intent_of_call(const std::string& tool, const json& input) {
  constexpr std::array<const char*, 6> telling = {"path",  "file_path", "pattern",
                                                  "query", "command",   "description"};
  constexpr std::size_t longest = 200;
  for (const char* key : telling) {
    const auto value = input.is_object() ? input.find(key) : input.end();
    if (input.is_object() && value != input.end() && value->is_string()) {
      const std::string_view text = trim(value->get_ref<const std::string&>());
      if (!text.empty()) {
        return tool + " " + std::string(utf16_prefix(text, longest));
      }
    }
  }
  return {};
}

namespace {

/// The last part of at most `units` UTF-16 code units.
std::string_view utf16_suffix(std::string_view text, std::size_t units) {
  const std::size_t length = utf16_length(text);
  if (length <= units) {
    return text;
  }
  const std::size_t surplus = length - units;
  text.remove_prefix(utf16_prefix(text, surplus).size());
  if (utf16_length(text) > units) { // the cut lies in the middle of a pair
    static_cast<void>(take_code_point(text));
  }
  return text;
}

std::string both_ends(std::string_view text, std::size_t units) {
  constexpr std::string_view gap = "\n...\n";
  if (units <= gap.size()) {
    return std::string(utf16_prefix(text, units));
  }
  const std::size_t kept = units - gap.size();
  const std::size_t front = kept - kept / 2;
  std::string ends(utf16_prefix(text, front));
  ends += gap;
  ends += utf16_suffix(text, kept - front);
  return ends;
}

} // namespace

std::string intent_question(const std::vector<std::string>& user_messages,
                            const std::vector<std::string>& calls_of_turn) {
  constexpr std::size_t budget = 1500;
  std::size_t left = budget;
  std::vector<std::string> said; // newest first
  for (auto message = user_messages.rbegin(); message != user_messages.rend() && left > 0;
       ++message) {
    const std::size_t length = utf16_length(*message);
    if (trim(*message).empty()) {
      continue;
    }
    said.push_back(length <= left ? *message : both_ends(*message, left));
    left -= std::min(left, length);
  }
  std::string question;
  const auto add = [&](const std::string& line) {
    if (!trim(line).empty()) {
      question += (question.empty() ? "" : "\n") + line;
    }
  };
  std::for_each(calls_of_turn.rbegin(), calls_of_turn.rend(), add);
  std::for_each(said.rbegin(), said.rend(), add);
  return to_valid_utf8(question);
}

standout_verdict stand_out(std::vector<scored_article> ranking,
                           const std::function<bool(const std::string& key)>& is_eligible,
                           double standout, std::size_t room) {
  // A score that is no number comes from a retriever that is broken.
  ranking.erase(std::remove_if(ranking.begin(), ranking.end(),
                               [](const scored_article& one) { return !(one.score > 0.0); }),
                ranking.end());
  std::stable_sort(ranking.begin(), ranking.end(), is_better);
  standout_verdict verdict;
  verdict.responders = ranking.size();
  double known = 0.0;
  for (scored_article& one : ranking) {
    if (is_eligible(one.key)) {
      verdict.held.push_back(std::move(one));
    } else {
      known = std::max(known, one.score);
    }
  }
  verdict.eligible = verdict.held.size();
  if (verdict.held.empty()) {
    return verdict;
  }
  constexpr std::size_t most = 3;
  const double tail = verdict.held.size() > most ? verdict.held[most].score : 0.0;
  const double crowd = standout > 1.0 ? std::max(tail, known) : tail;
  if (crowd > 0.0) {
    verdict.reached = verdict.held.front().score / crowd;
  }
  if (verdict.reached && *verdict.reached < standout) {
    return verdict;
  }
  const auto end = verdict.held.begin()
                   + static_cast<std::ptrdiff_t>(std::min({room, most, verdict.held.size()}));
  verdict.passed.assign(verdict.held.begin(), end);
  verdict.held.erase(verdict.held.begin(), end);
  return verdict;
}

} // namespace resilient::canon
