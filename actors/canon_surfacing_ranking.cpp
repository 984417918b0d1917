#include "actors/canon_surfacing.hpp"
#include "core/support/text.hpp"
#include "messages/directives.hpp"

#include <cmath>
#include <utility>

/// Which articles reach the model by relevance.
namespace resilient {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

/// Pi waits for the end of this at the end of a turn.
constexpr std::chrono::milliseconds retriever_deadline = 1s;

/// The scores above zero in an answer, for candidates and others alike; why it is no answer. One
/// bad score spoils it: the program does not do what its author thinks.
result<std::vector<canon::scored_article>> scores_in(const std::string& line) {
  const json answer = json::parse(line, nullptr, false);
  if (!answer.is_object() || !answer.contains("scores") || !answer["scores"].is_object()) {
    return fail(error_kind::data, "its answer was no line with scores");
  }
  std::vector<canon::scored_article> scores;
  for (const auto& [key, value] : answer["scores"].items()) {
    const double score = value.is_number() ? value.get<double>() : 0;
    if (!value.is_number() || !std::isfinite(score)) {
      return fail(error_kind::data, "its score for {} was no number", to_valid_utf8(key));
    }
    if (score > 0) {
      scores.push_back({key, score});
    }
  }
  return scores;
}

} // namespace

void canon_surfacing::rank(std::function<void()> carry_on) {
  end_ranking();
  const auto question = surfacing_.question();
  const auto tool = opened(options_);
  if (!question || !tool) {
    carry_on();
    return;
  }
  corpus_.refresh((*tool)->where().project());
  if (corpus_.candidates().empty()) {
    carry_on();
    return;
  }
  if (options_.retrieval == canon::retrieval_kind::custom && options_.retriever) {
    ask_retriever(*question, std::move(carry_on));
    return;
  }
  surfacing_.rank(*question, "lexical", corpus_, corpus_.rank(*question));
  carry_on();
}

void canon_surfacing::ask_retriever(const std::string& question, std::function<void()> carry_on) {
  open_question_ = open_question{question, std::move(carry_on)};
  const std::uint64_t number = ++ranking_;
  if (!world().retriever) {
    take_ranking({number, false, "programs cannot be run here"});
    return;
  }
  json candidates = json::array();
  for (const canon::retrieval_candidate& each : corpus_.candidates()) {
    candidates.push_back({{"key", each.line.key}, {"text", each.text}});
  }
  const json asked{{"query", question}, {"candidates", std::move(candidates)}};
  world().retriever->ask(
      {options_.retriever->command, place_.project_folder, bridge::encode(asked),
       retriever_deadline},
      [self = self_handle(), number](line_answer answer) {
        cafx::tell(self, message::canon_ranked{number, answer.answered, std::move(answer.text)});
      });
}

void canon_surfacing::take_ranking(const message::canon_ranked& ranked) {
  if (!open_question_ || ranked.number != ranking_) {
    return;
  }
  const open_question open = *std::exchange(open_question_, std::nullopt);
  auto scores =
      ranked.answered ? scores_in(ranked.text) : fail(error_kind::data, "{}", ranked.text);
  if (scores && options_.retriever) {
    retriever_problem_.clear();
    surfacing_.rank(open.question, options_.retriever->name, corpus_, std::move(*scores));
  } else {
    retriever_problem_ = scores ? "it was turned off" : scores.error().message;
    surfacing_.ranking_failed(open.question, retriever_problem_);
  }
  open.carry_on();
}

/// Whoever waits for the ranking goes on without it.
void canon_surfacing::end_ranking() {
  if (open_question_) {
    const open_question open = *std::exchange(open_question_, std::nullopt);
    surfacing_.ranking_failed(open.question, "a new question came before the answer");
    open.carry_on();
  }
}

} // namespace resilient
