#pragma once

#include "core/canon/needle.hpp"
#include "core/canon/options.hpp"
#include "core/canon/places.hpp"
#include "core/canon/retrieval.hpp"
#include "core/canon/surfacing_line.hpp"
#include "core/canon/surfacing_log.hpp"
#include "core/canon/tool.hpp"
#include "core/canon/touch.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace resilient::canon {

/// A call of any tool but canon's own.
struct observed_call {
  std::string id; ///< as the host names it; its result comes with the same one
  std::string tool;
  nlohmann::json input;
  std::vector<touched> touches; ///< see `touches_in`
  std::vector<touched> changes; ///< what the call changes if it succeeds, see `changes_in`
};

/// A call with its touches and changes.
[[nodiscard]] observed_call observe(std::string id, std::string tool, nlohmann::json input,
                                    const touch_place& from);

/// One line of a message.
struct sent_line {
  surfacing_line line;
  std::optional<double> score; ///< for an article that came by relevance
  std::string via;             ///< "address", or the retriever's name
};

/// One message to the model. Keep it until it is known to be delivered: `surfacing::undo` takes it
/// back.
struct surfacing_message {
  std::string text;
  std::vector<sent_line> lines;
  std::vector<std::string> reminded; ///< articles named as touched but not updated
};

/// What `/canon` tells of a session.
struct surfacing_counts {
  std::size_t surfaced = 0;   ///< lines sent in this session
  std::size_t present = 0;    ///< articles that the model still has
  std::size_t characters = 0; ///< of the lines that are still there (UTF-16)
};

/// What one session was shown of the project's memory, and what it still owes.
///
/// A touch stages the article that governs the touched path and sends nothing; `flush` makes one
/// message of everything staged. An article that the model has is not shown again until its needle
/// is gone from the context. Nothing is sent unless a call touched something.
///
/// Holds no store: whoever calls passes the places. No clock, no input or output but the reading of
/// the governing articles.
class surfacing {
public:
  explicit surfacing(options chosen) : chosen_(std::move(chosen)) {}

  /// The options changed; what the session knows stays.
  void choose(options chosen) { chosen_ = std::move(chosen); }
  [[nodiscard]] const options& chosen() const noexcept { return chosen_; }

  // -- where the model is ------------------------------------------------------------------------

  enum class other_context : std::uint8_t {
    of_the_session, ///< the same session in a new process, or loaded again
    of_another,     ///< a session that may hold a part of the old one, as a fork does
  };
  /// The model goes on in a context that may lack some of what it was shown. What the next request
  /// does not hold departs; what cannot be looked for counts as gone from another session. What was
  /// changed stays owed in the same session only.
  void enter(other_context context);
  /// An earlier process of this session has left these in its log. Each counts as there until the
  /// next request lacks it; one that could not be looked for counts as never shown.
  void recall(std::vector<logged_article> log);

  // -- what the agent does -----------------------------------------------------------------------

  /// A call begins.
  void call(const places& where, const observed_call& what);
  /// A call has ended. Once it succeeded, what it changed owes a reminder.
  void result(const places& where, const std::string& call_id, bool is_error);
  /// Canon's own tool showed an article to the model, or took it from there.
  void used(const touched_article& touched);
  /// The user's messages as far as they are in the context, oldest first.
  void heard(std::vector<std::string> user_messages) { user_messages_ = std::move(user_messages); }
  /// One more message of the user, where a host tells no more than that.
  void heard_also(std::string user_message);

  // -- what the model still has ------------------------------------------------------------------

  /// What to look for in each request; empty when nothing can depart. At most 128 KiB of it.
  [[nodiscard]] std::vector<needle> needles() const;
  /// These needles (by key) are gone from the context. Unknown keys count nothing.
  void departed(const std::vector<std::string>& keys);

  // -- relevance, before each flush --------------------------------------------------------------

  /// What to ask the retriever; nothing when retrieval is off, or there is nothing new to ask.
  [[nodiscard]] std::optional<std::string> question() const;
  /// Stages what stands out of the answer to `question`. The articles are those of `corpus`.
  void rank(const std::string& question, const std::string& retriever,
            const retrieval_corpus& corpus, std::vector<scored_article> ranking);
  /// The retriever gave no answer to `question`; it is not asked the same again.
  void ranking_failed(const std::string& question, const std::string& why);

  // -- sending -----------------------------------------------------------------------------------

  /// Everything staged as one message of at most about 64 KiB, the rest stays staged; nothing when
  /// nothing is. Once a turn, at its end.
  [[nodiscard]] std::optional<surfacing_message> flush();
  /// The same when the agent settles, with one reminder of what was changed and not written down.
  [[nodiscard]] std::optional<surfacing_message> settle();
  /// The message did not reach the model: everything is as if it had not been made.
  void undo(const surfacing_message& message, const std::string& why);

  // -- telling -----------------------------------------------------------------------------------

  [[nodiscard]] surfacing_counts counts() const;
  /// What happened since the last call, oldest first: objects with `kind` and its fields.
  [[nodiscard]] std::vector<nlohmann::json> take_trace();

private:
  /// An article that the model has.
  struct known_article {
    std::optional<needle> mark; ///< without one it counts as known for the whole session
    std::size_t cost = 0;       ///< characters of its line, 0 when it was not surfaced
  };

  void stage(const places& where, const touched& what);
  /// As many of the staged lines as a message takes.
  void take_staged(std::vector<sent_line>& lines);
  [[nodiscard]] bool is_staged(const std::string& key) const;
  void trace(const char* kind, nlohmann::json fields);

  options chosen_;
  std::vector<sent_line> staged_; ///< by address in the order of the touches, and by relevance
  std::map<std::string, known_article> known_;
  std::set<std::string> pending_;                           ///< changed, not yet reminded of
  std::map<std::string, std::vector<std::string>> waiting_; ///< paths by call
  std::multiset<std::string> surfaced_;                     ///< each line that was ever sent
  std::vector<std::string> user_messages_;
  std::vector<std::string> calls_of_turn_;
  std::string last_question_;
  std::vector<nlohmann::json> trace_;
};

} // namespace resilient::canon
