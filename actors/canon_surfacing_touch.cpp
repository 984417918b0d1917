#include "actors/canon_surfacing.hpp"
#include "core/support/calendar.hpp"
#include "messages/directives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

/// What of the project memory the model is shown, and when.
namespace resilient {

namespace {

using nlohmann::json;

constexpr std::size_t most_sent = 16;
constexpr std::size_t most_left = 8;
/// Pi waits while it is read. What a longer one holds before that is seldom in the context still.
constexpr std::size_t longest_recalled_log = std::size_t{32} << 20U;
/// Pi may deliver a message of a person's first, one for each request.
constexpr int most_requests_without = 3;

} // namespace

void canon_surfacing::arrive(const message::canon_place& place) {
  const bool same_project = place.project_folder == place_.project_folder;
  const bool same_session = same_project && place.session_id == place_.session_id;
  end_ranking();
  const std::string left = std::exchange(place_, place).session_id;
  if (same_session && place.resumes) {
    return;
  }
  left_.emplace_back(left, std::move(surfacing_));
  begin_anew();
  if (!same_project) {
    left_.clear();
  }
  const auto known = std::find_if(left_.rbegin(), left_.rend(),
                                  [&](const auto& each) { return each.first == place.session_id; });
  if (known != left_.rend()) {
    surfacing_ = known->second;
    surfacing_.enter(canon::surfacing::other_context::of_the_session);
    left_.erase(std::next(known).base());
  } else if (place.keeps_context) {
    if (!left_.empty()) {
      surfacing_ = left_.back().second;
      surfacing_.enter(canon::surfacing::other_context::of_another);
    }
    recall();
  }
  if (left_.size() > most_left) {
    left_.erase(left_.begin());
  }
}

/// The session was another process's until now.
void canon_surfacing::recall() {
  if (!place_.trusted || place_.session_file.empty()) {
    return;
  }
  // A log that cannot be read costs nothing but a line that comes once more.
  if (const auto log = disk_->read_end(place_.session_file, longest_recalled_log)) {
    surfacing_.recall(canon::articles_in_log(*log));
  }
}

void canon_surfacing::begin_anew() {
  tool_.reset();
  surfacing_ = canon::surfacing{options_};
  objective_.clear();
  corpus_ = {};
  sent_.clear();
  lost_.clear();
  unseen_.clear();
  told_ = {};
  retriever_problem_.clear();
  if (world().retriever) {
    world().retriever->end();
  }
}

canon::tool* canon_surfacing::watched() {
  if (!options_.surface || !place_.trusted || place_.project_folder.empty()) {
    return nullptr;
  }
  const auto tool = opened(options_);
  if (!tool) {
    return nullptr;
  }
  const auto& places = (*tool)->where().all();
  const bool has_articles = std::any_of(places.begin(), places.end(), [&](const auto& each) {
    return disk_->exists(each.knowledge.root() + "/articles");
  });
  return has_articles ? *tool : nullptr;
}

message::canon_wishes canon_surfacing::wishes() {
  if (watched() == nullptr) {
    return {};
  }
  return {true, surfacing_.needles()};
}

void canon_surfacing::tell_wishes() {
  message::canon_wishes wanted = wishes();
  if (!(wanted == told_)) {
    told_ = std::move(wanted);
    cafx::tell(peers()->session, told_);
  }
}

/// A person's words too, though they come with a command. Once, or they would stand before newer
/// ones.
void canon_surfacing::hear_objective(const std::string& objective) {
  if (!objective.empty() && objective != std::exchange(objective_, objective)) {
    surfacing_.heard_also(objective);
  }
}

void canon_surfacing::touch(const message::canon_touch& touch) {
  canon::tool* const tool = watched();
  if (tool == nullptr || canon::is_own_tool(touch.tool)) {
    return;
  }
  surfacing_.call(tool->where(), canon::observe(touch.call_id, touch.tool, touch.input,
                                                {&tool->where(), {}, files_.home}));
  write_trace();
}

void canon_surfacing::end_of_tool(const message::canon_tool_end& end) {
  if (canon::tool* const tool = watched()) {
    surfacing_.result(tool->where(), end.call_id, end.is_error);
  }
}

/// A message that was sent may reach the model some requests later, so it is gone only when several
/// went out without it, or after it was there.
void canon_surfacing::note_gone(const std::vector<std::string>& keys) {
  std::vector<std::string> departed;
  std::map<std::string, int> still_unseen;
  for (const std::string& key : keys) {
    const auto unseen = unseen_.find(key);
    if (unseen != unseen_.end() && unseen->second + 1 < most_requests_without) {
      still_unseen[key] = unseen->second + 1;
    } else {
      departed.push_back(key);
    }
  }
  unseen_ = std::move(still_unseen);
  surfacing_.departed(departed);
  tell_wishes();
  write_trace();
}

caf::result<message::canon_message>
canon_surfacing::message_for(const message::canon_question& asked) {
  auto promise = make_response_promise<message::canon_message>();
  auto go_on = [this, asked, promise]() mutable {
    std::optional<canon::surfacing_message> made;
    if (lost_.erase(asked.number) == 0 && watched() != nullptr) {
      made = asked.settled ? surfacing_.settle() : surfacing_.flush();
    }
    message::canon_message answer;
    if (made) {
      answer.text = made->text;
      for (const canon::sent_line& each : made->lines) {
        unseen_[each.line.key] = 0;
      }
      sent_[asked.number] = std::move(*made);
      if (sent_.size() > most_sent) {
        sent_.erase(sent_.begin());
      }
    }
    tell_wishes();
    write_trace();
    promise.deliver(std::move(answer));
  };
  if (watched() == nullptr) {
    go_on();
    return promise;
  }
  rank(go_on);
  return promise;
}

void canon_surfacing::take_back(const message::canon_undelivered& lost) {
  const auto found = sent_.find(lost.number);
  if (found == sent_.end()) {
    lost_.insert(lost.number); // it may be about to be made
    if (lost_.size() > most_sent) {
      lost_.erase(lost_.begin());
    }
    return;
  }
  for (const canon::sent_line& each : found->second.lines) {
    unseen_.erase(each.line.key);
  }
  surfacing_.undo(found->second, lost.why);
  sent_.erase(found);
  tell_wishes();
  write_trace();
}

void canon_surfacing::write_trace() {
  const std::vector<json> happened = surfacing_.take_trace();
  if (files_.trace.empty() || happened.empty()) {
    return;
  }
  std::string lines;
  for (json each : happened) {
    each["at"] = to_iso(now().wall);
    lines += bridge::encode(each) + "\n";
  }
  // A trace that cannot be written must not cost the session anything.
  (void)disk_->append(files_.trace, lines);
}

std::string canon_surfacing::session_text() {
  const canon::surfacing_counts counts = surfacing_.counts();
  std::string text = fmt::format("Surfaced in this session: {}. The model still has {}, surfaced "
                                 "lines among them take {} characters.\n",
                                 counts.surfaced, counts.present, counts.characters);
  if (options_.surface && !place_.trusted) {
    text += "Nothing surfaces: this project is not trusted.\n";
  }
  if (!retriever_problem_.empty()) {
    text += "The retriever gave no ranking: " + retriever_problem_ + ".\n";
  }
  return text;
}

} // namespace resilient
