#pragma once

#include "core/canon/places.hpp"
#include "core/canon/surfacing_line.hpp"
#include "core/canon/word_index.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

/// An article that may come by relevance: a declared rule, or one that governs no asset.
struct retrieval_candidate {
  surfacing_line line;
  std::string text;      ///< capsule and body, what a retriever reads
  bool declared = false; ///< `scope: rule`
};

/// How well an article answers a question.
struct scored_article {
  std::string key;
  double score = 0.0;

  [[nodiscard]] bool operator==(const scored_article&) const = default;
};

/// The articles of a project that may come by relevance, with an index of their words. Kept between
/// questions; read anew only when a file of the store changed.
class retrieval_corpus {
public:
  /// Reads what changed. Costs one look at every file of the store.
  void refresh(const place& project);

  /// Sorted by the bytes of the key.
  [[nodiscard]] const std::vector<retrieval_candidate>& candidates() const noexcept {
    return candidates_;
  }
  [[nodiscard]] const retrieval_candidate* find(std::string_view key) const;

  /// BM25 (k1 = 1.5, b = 0.75) over `<key> <capsule> <body>`, each score divided by the highest
  /// that any text could reach: above 0, at most 1. Best first; equals stay in the order of keys.
  [[nodiscard]] std::vector<scored_article> rank(std::string_view question) const;

private:
  std::map<std::string, file_status> as_of_;
  std::string root_;
  std::vector<retrieval_candidate> candidates_;
  std::vector<std::size_t> by_document_;
  word_index words_{word_choice::ranking};
};

/// One call of a tool as a part of a question: the tool's name and the first of the arguments
/// `path`, `file_path`, `pattern`, `query`, `command`, `description` that is a text and not blank,
/// cut to 200 characters. Empty without such an argument.
[[nodiscard]] std::string intent_of_call(const std::string& tool, const nlohmann::json& input);

/// What the agent is after, never what it found: the calls of this turn, newest first, then what
/// the user said, oldest first, each on a line. Of the user's messages (given oldest first) the
/// newest 1,500 characters count; one that does not fit keeps both ends. Empty when blank.
[[nodiscard]] std::string intent_question(const std::vector<std::string>& user_messages,
                                          const std::vector<std::string>& calls_of_turn);

/// What stands out of a ranking.
struct standout_verdict {
  std::vector<scored_article> passed; ///< best first
  std::vector<scored_article> held;   ///< eligible, but not passed; best first
  std::optional<double> reached; ///< best eligible score over the crowd's; nothing without a crowd
  std::size_t responders = 0;    ///< articles with a score above 0
  std::size_t eligible = 0;      ///< of those, not yet known to the model
};

/// The best eligible articles, at most `room`, if the first one stands out of the crowd by the
/// factor `standout`. The crowd is the fourth eligible article and, from a standout above 1, also
/// the best one that the model knows already: a store that has told all it knows about a subject
/// stays silent. Without a crowd everything stands out. `ranking` needs no order.
[[nodiscard]] standout_verdict
stand_out(std::vector<scored_article> ranking,
          const std::function<bool(const std::string& key)>& is_eligible, double standout,
          std::size_t room);

} // namespace resilient::canon
