#pragma once

#include "actors/guarded_actor.hpp"
#include "core/canon/options.hpp"
#include "core/canon/retrieval.hpp"
#include "core/canon/surfacing.hpp"
#include "core/canon/tool.hpp"
#include "core/support/files.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace resilient {

struct canon_files {
  std::string settings;     ///< canon's own settings file; empty without a home folder
  std::string old_settings; ///< read while there is no other
  std::string cache;        ///< folder of what can be found anew; empty: no cache
  std::string home;         ///< what `~` means in a command; may be empty
  std::string trace;        ///< file to which is added what surfaces and why; empty: none
};

/// Serves the project memory of the connected Pi, and decides what of it the model is shown when.
/// It reads and writes the store, so it runs on a thread of its own.
class canon_surfacing final : public guarded_actor<canon_surfacing_actor> {
public:
  canon_surfacing(caf::actor_config& config, resilient::context context, canon_files where,
                  std::shared_ptr<files> disk);
  void on_exit() override;

protected:
  behavior_type make_behavior() override;
  void rebuild() override;

private:
  /// Goes on with the options in force once Pi's settings are known.
  template <class Answer, class Make>
  caf::result<Answer> with_options(Make make);
  /// Calls `carry_on(options)` once they are read again.
  template <class CarryOn>
  void read_options(CarryOn carry_on);
  result<canon::tool*> opened(const canon::options& options);
  message::canon_answer call(const canon::options& options, const message::canon_call& call);

  // -- options (canon_surfacing_settings.cpp) ----------------------------------------------------
  /// Canon's own file, then Pi's user settings, then a trusted project's, each laid over the other.
  canon::options options_from(const message::settings_values& pi);
  /// Once in a session for what is found.
  void warn_of_settings(bool was_told);
  /// Why nothing was saved; empty when it was.
  std::string save_setting(const message::canon_settings& request);
  caf::result<message::canon_settings_answer> settings(const message::canon_settings& request);
  message::canon_answer status(const canon::options& options);
  [[nodiscard]] std::string settings_file() const;

  // -- what surfaces (canon_surfacing_touch.cpp) -------------------------------------------------
  void arrive(const message::canon_place& place);
  /// Learns from the session's log what an earlier process has shown.
  void recall();
  /// Forgets what was shown, what is owed and what is open.
  void begin_anew();
  void hear_objective(const std::string& objective);
  void touch(const message::canon_touch& touch);
  void end_of_tool(const message::canon_tool_end& end);
  void note_gone(const std::vector<std::string>& keys);
  caf::result<message::canon_message> message_for(const message::canon_question& asked);
  void take_back(const message::canon_undelivered& lost);
  /// The places of the project, while anything of them may surface.
  canon::tool* watched();
  message::canon_wishes wishes();
  /// Tells the session when something else has to be reported of Pi than before.
  void tell_wishes();
  void write_trace();
  [[nodiscard]] std::string session_text();

  // -- relevance (canon_surfacing_ranking.cpp) ---------------------------------------------------
  /// Stages what is relevant now, then calls `carry_on`.
  void rank(std::function<void()> carry_on);
  void ask_retriever(const std::string& question, std::function<void()> carry_on);
  void take_ranking(const message::canon_ranked& ranked);
  void end_ranking();

  /// A question that a retriever has not answered yet.
  struct open_question {
    std::string question;
    std::function<void()> carry_on;
  };

  canon_files files_;
  std::shared_ptr<files> disk_;
  message::canon_place place_;
  std::unique_ptr<canon::tool> tool_;
  std::string problem_;    ///< what is wrong with what settings say of canon
  std::string pi_problem_; ///< why Pi's settings could not be read
  /// Which of Pi's files decides an option, whatever canon's own file says.
  std::map<std::string, std::string> decided_elsewhere_;
  std::set<std::string> warned_; ///< problems that were shown, each with its session

  canon::options options_; ///< as they were read last
  canon::surfacing surfacing_{{}};
  /// Sessions of the project that Pi may come back to, by id; the latest last.
  std::vector<std::pair<std::string, canon::surfacing>> left_;
  std::string objective_; ///< that was heard last
  canon::retrieval_corpus corpus_;
  std::map<std::uint64_t, canon::surfacing_message> sent_; ///< the latest, by number
  std::set<std::uint64_t> lost_; ///< numbers for which nobody waits any more
  /// Articles that were sent and have not been seen in a request: how many went out without them.
  std::map<std::string, int> unseen_;
  message::canon_wishes told_;
  std::uint64_t ranking_ = 0; ///< number of the latest question to a retriever
  std::optional<open_question> open_question_;
  std::string retriever_problem_; ///< of its latest question
};

template <class Answer, class Make>
caf::result<Answer> canon_surfacing::with_options(Make make) {
  auto promise = make_response_promise<Answer>();
  read_options(
      [promise, make](const canon::options& options) mutable { promise.deliver(make(options)); });
  return promise;
}

template <class CarryOn>
void canon_surfacing::read_options(CarryOn carry_on) {
  auto go_on = [this, carry_on](const message::settings_values& pi) mutable {
    options_ = options_from(pi);
    surfacing_.choose(options_);
    carry_on(options_);
  };
  ask<message::settings_values>(
      peers()->settings, std::chrono::seconds{5}, message::read_settings{},
      [go_on](const message::settings_values& pi) mutable { go_on(pi); },
      [go_on](const caf::error&) mutable { go_on({}); });
}

} // namespace resilient
