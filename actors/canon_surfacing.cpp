#include "actors/canon_surfacing.hpp"

#include "core/canon/search.hpp"
#include "core/settings/options.hpp"
#include "messages/directives.hpp"

#include <fmt/format.h>

namespace resilient {

namespace {

using nlohmann::json;

constexpr std::size_t longest_settings_file = 1U << 20U;

const char* name_of(canon::retrieval_kind kind) {
  switch (kind) {
  case canon::retrieval_kind::none:
    return "none";
  case canon::retrieval_kind::lexical:
    return "lexical";
  case canon::retrieval_kind::custom:
    return "custom";
  }
  return "none";
}

json behaviour_of(const canon::options& options) {
  return {{"surface", options.surface},
          {"resurface", options.resurface},
          {"retrieval", name_of(options.retrieval)},
          {"standout", options.standout}};
}

} // namespace

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
        arrive(place);
        return with_options<message::canon_wishes>([this](const canon::options&) {
          told_ = wishes();
          return told_;
        });
      }),
      handle<message::canon_run>([this](const auto& run) {
        told_ = run.held; // a hello that had to be answered sooner has left it at nothing
        read_options([this](const canon::options&) { tell_wishes(); });
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
      answer<message::canon_settings_answer, message::canon_settings>([this](const auto& request) {
        return with_options<message::canon_settings_answer>(
            [this, request](const canon::options& options) { return settings(options, request); });
      }),
      answer<message::canon_answer, message::canon_status>([this](const auto&) {
        return with_options<message::canon_answer>(
            [this](const canon::options& options) { return status(options); });
      }),
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

template <class Answer, class Make>
caf::result<Answer> canon_surfacing::with_options(Make make) {
  auto promise = make_response_promise<Answer>();
  read_options(
      [promise, make](const canon::options& options) mutable { promise.deliver(make(options)); });
  return promise;
}

canon::options canon_surfacing::options_from(const message::settings_values& pi) {
  canon::options options;
  problem_ = pi.problem;
  const auto lay = [&](result<canon::options> merged) {
    if (merged) {
      options = std::move(*merged);
    } else {
      problem_ += (problem_.empty() ? "" : " ") + merged.error().message;
    }
  };
  bool off = false;
  if (const std::string own = settings_file(); !own.empty()) {
    if (const auto text = disk_->read(own, longest_settings_file)) {
      off = canon::settings_file_turns_surfacing_off(*text);
      lay(canon::parse_options(options, *text, canon::options_source::user_file));
    }
  }
  settings::settings_values values;
  const auto object = [](const std::string& text) {
    json data = json::parse(text, nullptr, false);
    return data.is_object() ? data : json::object();
  };
  values.user = object(pi.user);
  values.project = object(pi.project);
  values.merged = object(pi.merged);
  const settings::canon_values chosen = settings::canon_values_in(values);
  if (!chosen.value.empty()) {
    lay(canon::merge_options(options, chosen.value, canon::options_source::pi_user));
  }
  // A project cannot turn on what its user turned off.
  off = off || canon::turns_surfacing_off(chosen.value)
        || canon::turns_surfacing_off(values.user.value("canon", json{}));
  options.surface = options.surface && !off;
  return options;
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
  const canon::tool_answer answer = (*tool)->call(json::parse(call.parameters, nullptr, false),
                                                  {now().wall, "pi", place_.session_id});
  if (answer.touched) {
    surfacing_.used(*answer.touched);
    unseen_.erase(answer.touched->key);
  }
  tell_wishes(); // also: there may be a store now
  write_trace();
  return {answer.text, answer.is_error};
}

message::canon_settings_answer canon_surfacing::settings(const canon::options& options,
                                                         const message::canon_settings& request) {
  const auto refuse = [](const std::string& why) {
    return message::canon_settings_answer{bridge::encode({{"ok", false}, {"message", why}})};
  };
  canon::options now_in_force = options;
  if (request.save) {
    if (files_.settings.empty()) {
      return refuse("There is no home folder to keep settings in: set HOME or XDG_CONFIG_HOME.");
    }
    std::string text;
    if (const std::string from = settings_file(); !from.empty() && disk_->exists(from)) {
      const auto read = disk_->read(from, longest_settings_file);
      if (!read) {
        return refuse(read.error().message);
      }
      text = *read;
    }
    const auto changed = canon::set_option(text, request.key, request.value);
    if (!changed) {
      return refuse(changed.error().message);
    }
    auto saved = disk_->make_folders(parent_path(files_.settings));
    if (saved) {
      saved = disk_->replace(files_.settings, *changed);
    }
    if (!saved) {
      return refuse(saved.error().message);
    }
    if (auto merged = canon::parse_options(options, *changed, canon::options_source::user_file)) {
      now_in_force = std::move(*merged);
    }
    read_options([this](const canon::options&) { tell_wishes(); });
  }
  return {bridge::encode(
      {{"ok", true}, {"settings", behaviour_of(now_in_force)}, {"file", files_.settings}})};
}

message::canon_answer canon_surfacing::status(const canon::options& options) {
  const auto tool = opened(options);
  if (!tool) {
    return {tool.error().message, true};
  }
  std::string text;
  for (const canon::place& each : (*tool)->where().all()) {
    text += fmt::format("{}{}: {} articles, {} journal entries\n",
                        each.name.empty() ? "" : each.name + " ", each.knowledge.root(),
                        each.knowledge.list().size(), each.knowledge.journal_names().size());
  }
  text += session_text() + "Options:";
  for (const std::string& key : canon::option_keys()) {
    text += fmt::format(" {} {},", key, canon::show_option(options, key).value_or(""));
  }
  text.back() = '.';
  if (!problem_.empty()) {
    text += "\n" + problem_;
  }
  return {text, false};
}

std::string canon_surfacing::settings_file() const {
  const bool only_old = !files_.settings.empty() && !disk_->exists(files_.settings)
                        && disk_->exists(files_.old_settings);
  return only_old ? files_.old_settings : files_.settings;
}

} // namespace resilient
