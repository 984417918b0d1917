#include "actors/canon_surfacing.hpp"

#include "core/canon/search.hpp"
#include "messages/directives.hpp"

namespace resilient {

canon_surfacing::canon_surfacing(caf::actor_config& config, resilient::context context,
                                 canon_files where, std::shared_ptr<files> disk)
    : guarded_actor{config, std::move(context), "canon_surfacing"}, files_{std::move(where)},
      disk_{std::move(disk)} {}

void canon_surfacing::on_exit() {
  open_question_.reset();
  tool_.reset();
  guarded_actor::on_exit();
}

canon_surfacing::behavior_type canon_surfacing::make_behavior() {
  return {
      answer<message::canon_wishes, message::canon_place>([this](const auto& place) {
        // Another process has told it before Pi loaded its extensions again.
        const bool was_told = place.loaded_again && place_.session_id.empty();
        arrive(place);
        return with_options<message::canon_wishes>([this, was_told](const canon::options&) {
          warn_of_settings(was_told);
          told_ = wishes();
          return told_;
        });
      }),
      handle<message::canon_run>([this](const auto& run) {
        hear_objective(run.objective);
        told_ = run.held; // a hello that had to be answered sooner has left it at nothing
        read_options([this](const canon::options&) {
          warn_of_settings(false);
          tell_wishes();
        });
      }),
      handle<message::canon_touch>([this](const auto& call) { touch(call); }),
      handle<message::canon_tool_end>([this](const auto& end) { end_of_tool(end); }),
      handle<message::canon_heard>(
          [this](const auto& heard) { surfacing_.heard_also(heard.text); }),
      handle<message::canon_gone>([this](const auto& gone) { note_gone(gone.keys); }),
      answer<message::canon_message, message::canon_question>(
          [this](const auto& asked) { return message_for(asked); }),
      handle<message::canon_undelivered>([this](const auto& lost) { take_back(lost); }),
      handle<message::canon_ranked>([this](const auto& ranked) { take_ranking(ranked); }),
      answer<message::canon_answer, message::canon_call>([this](const auto& request) {
        return with_options<message::canon_answer>(
            [this, request](const canon::options& options) { return call(options, request); });
      }),
      answer<message::canon_words, message::canon_wording>([this](const auto&) {
        return with_options<message::canon_words>([](const canon::options& options) {
          return message::canon_words{canon::tool_description(options.retrieval),
                                      bridge::encode(canon::tool_input_schema())};
        });
      }),
      answer<message::canon_settings_answer, message::canon_settings>(
          [this](const auto& request) { return settings(request); }),
      answer<message::canon_answer, message::canon_status>([this](const auto&) {
        return with_options<message::canon_answer>(
            [this](const canon::options& options) { return status(options); });
      }),
      handle_overdue_requests(),
      handle_introduction(),
      answer<message::status_part, message::describe>([this](const auto&) {
        return message::status_part{
            "canon", bridge::encode({{"project", place_.project_folder}, {"problem", problem_}})};
      }),
      handle_stop(),
  };
}

/// The next call opens the store again. The place stays true; what was shown may be shown again.
void canon_surfacing::rebuild() {
  end_ranking();
  begin_anew();
  left_.clear();
}

result<canon::tool*> canon_surfacing::opened(const canon::options& options) {
  if (!tool_ || !(tool_->chosen() == options)) {
    auto where = canon::places::open(place_.project_folder, options.root, options.mounts);
    if (!where) {
      return tl::unexpected{where.error()};
    }
    if (!files_.cache.empty()) {
      where->project().knowledge.use_cache(canon::mention_cache{files_.cache});
    }
    tool_ = std::make_unique<canon::tool>(std::move(*where), options,
                                          std::make_unique<canon::index_searcher>(
                                              [time = world().time] { return time->now().wall; }));
  }
  return tool_.get();
}

message::canon_answer canon_surfacing::call(const canon::options& options,
                                            const message::canon_call& call) {
  const auto tool = opened(options);
  if (!tool) {
    return {tool.error().message, true};
  }
  const canon::tool_answer answer =
      (*tool)->call(nlohmann::json::parse(call.parameters, nullptr, false),
                    {now().wall, "pi", place_.session_id});
  if (answer.touched) {
    surfacing_.used(*answer.touched);
    unseen_.erase(answer.touched->key);
  }
  tell_wishes(); // also: there may be a store now
  write_trace();
  return {answer.text, answer.is_error};
}

} // namespace resilient
