#include "actors/canon_surfacing.hpp"
#include "core/canon/layered_options.hpp"
#include "core/canon/settings_file.hpp"
#include "core/settings/options.hpp"
#include "core/support/json_text.hpp"
#include "core/support/text.hpp"
#include "messages/directives.hpp"

#include <fmt/format.h>

#include <utility>

/// Which options are in force, where they stand, and what is wrong with them.
namespace resilient {

namespace {

using nlohmann::json;

constexpr std::size_t most_warnings = 64;

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

void add_sentence(std::string& text, const std::string& sentence) {
  text += (text.empty() ? "" : " ") + sentence;
}

} // namespace

canon::options canon_surfacing::options_from(const message::settings_values& pi) {
  settings::settings_values user;
  user.user = parse_json_object(pi.user);
  settings::settings_values project;
  project.project = parse_json_object(pi.project);
  const settings::canon_values of_user = settings::canon_values_in(user);
  const settings::canon_values of_project = settings::canon_values_in(project);
  const std::string own = settings_file();
  const bool has_own = !own.empty() && disk_->exists(own);
  canon::layered_options laid = canon::lay_options(
      own, has_own ? disk_->read(own, canon::longest_settings_file) : result<std::string>{""},
      {{pi.user_file, of_user.value, canon::options_source::pi_user},
       {pi.project_file, of_project.value, canon::options_source::trusted_project}});

  std::string wrong;
  const auto name_problems = [&](const std::string& file, const settings::canon_values& said) {
    for (const std::string& problem : said.problems) {
      add_sentence(wrong, fmt::format("{} It stands in {}.", problem, file));
    }
    for (const auto& [unused, why] : laid.problems) {
      if (unused == file) {
        add_sentence(wrong, fmt::format("What {} says of canon was not used. {} Mend it; it is "
                                        "read again at the next prompt.",
                                        file, why));
      }
    }
  };
  name_problems(own, {});
  name_problems(pi.user_file, of_user);
  name_problems(pi.project_file, of_project);
  problem_ = std::move(wrong);
  pi_problem_ = pi.problem;
  decided_elsewhere_.clear();
  for (auto& [key, file] : laid.decided_by) {
    if (file != own) {
      decided_elsewhere_[key] = file;
    }
  }
  return std::move(laid.values);
}

void canon_surfacing::warn_of_settings(bool was_told) {
  if (warned_.size() > most_warnings) {
    warned_.clear();
  }
  if (!problem_.empty() && warned_.insert(place_.session_id + "\n" + problem_).second
      && !was_told) {
    cafx::tell(peers()->session, message::show_notice{goal::notice_level::warning, problem_});
  }
}

std::string canon_surfacing::save_setting(const message::canon_settings& request) {
  const auto saved = canon::save_option(*disk_, {files_.settings, files_.old_settings}, request.key,
                                        request.value);
  return saved ? "" : saved.error().message;
}

caf::result<message::canon_settings_answer>
canon_surfacing::settings(const message::canon_settings& request) {
  if (request.save) {
    if (const std::string refused = save_setting(request); !refused.empty()) {
      return message::canon_settings_answer{bridge::encode({{"ok", false}, {"message", refused}})};
    }
  }
  return with_options<message::canon_settings_answer>([this](const canon::options& options) {
    tell_wishes();
    const json behaviour = behaviour_of(options);
    json elsewhere = json::object();
    for (const auto& [key, file] : decided_elsewhere_) {
      if (behaviour.contains(key)) {
        elsewhere[key] = file;
      }
    }
    return message::canon_settings_answer{bridge::encode({{"ok", true},
                                                          {"settings", behaviour},
                                                          {"file", files_.settings},
                                                          {"elsewhere", std::move(elsewhere)}})};
  });
}

message::canon_answer canon_surfacing::status(const canon::options& options) {
  const auto tool = opened(options);
  if (!tool) {
    return {tool.error().message, true};
  }
  std::string text;
  for (const canon::place& each : (*tool)->where().all()) {
    text += fmt::format(
        "{}{}: {}, {}\n", each.name.empty() ? "" : each.name + " ", each.knowledge.root(),
        counted(each.knowledge.list().size(), "article", "articles"),
        counted(each.knowledge.journal_names().size(), "journal entry", "journal entries"));
  }
  text += session_text() + "Options:";
  for (const std::string& key : canon::option_keys()) {
    const std::string shown = canon::show_option(options, key).value_or("");
    const auto elsewhere = decided_elsewhere_.find(key);
    text += fmt::format(
        " {} {}{},", key, shown.empty() ? "none" : shown,
        elsewhere == decided_elsewhere_.end() ? "" : fmt::format(" (by {})", elsewhere->second));
  }
  text.back() = '.';
  for (const std::string& problem : {problem_, pi_problem_}) {
    text += (problem.empty() ? "" : "\n") + problem;
  }
  return {text, false};
}

std::string canon_surfacing::settings_file() const {
  return canon::settings_file_to_read(*disk_, {files_.settings, files_.old_settings});
}

} // namespace resilient
