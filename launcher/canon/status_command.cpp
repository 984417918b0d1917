#include "core/support/files.hpp"
#include "core/support/json_text.hpp"
#include "core/support/text.hpp"
#include "launcher/canon/commands.hpp"

#include <fmt/format.h>

namespace resilient::canon {

namespace {

[[nodiscard]] nlohmann::json counts_of(const place& where) {
  std::size_t articles = 0;
  std::string problem = where.knowledge.journal_problem().value_or("");
  where.knowledge.visit([&](const auto&, const auto&) { ++articles; },
                        [&](const error& each) { problem = each.message; });
  return {{"name", where.name},        {"exists", posix_files{}.exists(where.knowledge.root())},
          {"folder", where.directory}, {"store", where.knowledge.root()},
          {"articles", articles},      {"journal", where.knowledge.journal_names().size()},
          {"problem", problem}};
}

/// "3 articles, 1 journal entry", or that there is nothing yet.
[[nodiscard]] std::string contents_of(const nlohmann::json& counts) {
  if (!counts.at("exists").get<bool>()) {
    return "nothing there yet; the first write makes it";
  }
  const auto problem = counts.at("problem").get<std::string>();
  return counted(counts.at("articles").get<std::size_t>(), "article", "articles") + ", "
         + counted(counts.at("journal").get<std::size_t>(), "journal entry", "journal entries")
         + (problem.empty() ? "" : ", not all of it can be read: " + problem);
}

} // namespace

int run_status(const common_flags& flags, bool as_json) {
  const auto project = project_of(flags);
  if (!project) {
    return report(project.error());
  }
  const chosen_options chosen = choose_options(flags);
  const auto where = open_places(*project, chosen.values);
  if (!where) {
    return report(where.error());
  }
  nlohmann::json all = nlohmann::json::array();
  for (const place& one : where->all()) {
    all.push_back(counts_of(one));
  }
  if (as_json) {
    nlohmann::json settings = nlohmann::json::object();
    for (const std::string& key : option_keys()) {
      settings[key] = show_option(chosen.values, key).value_or("");
    }
    print(json_page(nlohmann::json{{"places", all},
                                   {"settings_file", settings_path()},
                                   {"settings", settings},
                                   {"problem", chosen.problem.value_or("")}}));
    return exit_done;
  }
  std::string lines = "project    " + *project + "\n";
  for (const auto& one : all) {
    const auto name = one.at("name").get<std::string>();
    lines += fmt::format("{:<10} {}: {}\n", name.empty() ? "store" : "mount " + name,
                         one.at("store").get<std::string>(), contents_of(one));
  }
  const std::string settings = settings_path();
  lines += fmt::format("settings   {}{}\n", settings.empty() ? "no home folder" : settings,
                       settings.empty() || posix_files{}.exists(settings) ? "" : " (not there)");
  lines += options_table(chosen.values, "  ");
  print(lines);
  if (chosen.problem) {
    print_error("canon: " + *chosen.problem);
  }
  return exit_done;
}

} // namespace resilient::canon
