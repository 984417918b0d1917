#include "core/canon/address.hpp"
#include "core/canon/passed_over.hpp"
#include "core/canon/surfacing_line.hpp"
#include "core/canon/touch.hpp"
#include "core/support/json_text.hpp"
#include "core/support/text.hpp"
#include "launcher/canon/commands.hpp"
#include "launcher/canon/pi_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace resilient::canon {

namespace {

struct explanation {
  std::string path;
  std::string place;   ///< name of the mount; empty for the project
  std::string address; ///< empty when the path names no asset
  std::string rule;    ///< how the address follows from the path
  std::optional<std::string> article;
  std::string via; ///< how the article was found
  bool surfaces = false;
  std::string reason;   ///< why it surfaces or not
  std::string line;     ///< what would surface
  std::string settings; ///< which options were used, and where they stand
};

[[nodiscard]] std::string rule_of(const places& where, const located& found,
                                  const std::string& path) {
  const place& in = where.at(found.place);
  const std::string whole = where.locate_contained(path).address;
  std::string rule = in.name.empty() ? "it is taken from the project folder " + in.directory
                     : path.rfind(in.name + ":", 0) == 0
                         ? "it names the mount " + in.name
                         : "it lies in the mount " + in.name + ", " + in.directory;
  if (whole != found.address) {
    rule += "; the extension is dropped";
  } else if (normalize(whole) != whole) {
    rule += in.knowledge.has(whole) ? "; an article has exactly this name, so nothing is dropped"
                                    : "; nothing is dropped from the name of a folder";
  }
  return rule + ".";
}

/// Whether a tool call with this path as an argument brings up this article.
[[nodiscard]] bool is_touched_by(const places& where, const std::string& path,
                                 const std::string& key) {
  const std::vector<touched> touches = touches_in({{"path", path}}, {&where, "", ""});
  return std::any_of(touches.begin(), touches.end(), [&](const touched& one) {
    const auto line = line_for(where, one.path);
    return line && line->key == key;
  });
}

/// What is judged by, and who says so.
struct judged_by {
  options values;
  std::string surface_from; ///< the file that decides it, or empty
  std::string settings;     ///< for people
};

void explain_article(const places& where, const judged_by& by, const located& found,
                     explanation& told) {
  const place& in = where.at(found.place);
  const auto governing = in.knowledge.resolve(found.address);
  if (!governing) {
    told.reason = governing.error().message;
    return;
  }
  const std::string obstacles =
      passed_over(in.knowledge, found.address, *governing ? (*governing)->address : "");
  if (!*governing) {
    told.reason = "Neither this address nor one above it has an article.";
    told.reason += obstacles.empty() ? "" : "\n" + obstacles;
    return;
  }
  const std::string& address = (*governing)->address;
  const surfacing_line line = line_of(in.qualified(address), **governing);
  told.article = line.key;
  told.via = address == found.address ? "it has exactly this address"
                                      : "it is the nearest one above; none is closer";
  told.via += obstacles.empty() ? "" : "\n" + obstacles;
  told.line = line.text;
  const bool touches = is_touched_by(where, told.path, line.key);
  told.surfaces = by.values.surface && touches;
  if (!by.values.surface) {
    told.reason = by.surface_from.empty()
                      ? std::string{"The option surface is off."}
                      : "The setting surface is off in " + by.surface_from + ".";
  } else if (touches) {
    told.reason =
        "A tool call that names this path brings the line, once in a context. Pi asks for "
        "the project's trust first, other hosts for their own.";
  } else {
    told.reason = "A tool call that names this is no touch: there is no such path, and none that "
                  "could be made in a folder that exists. The article is found by reading it.";
  }
}

[[nodiscard]] explanation explain(const places& where, const judged_by& by,
                                  const std::string& path) {
  explanation told;
  told.settings = by.settings;
  told.path = path;
  const located found = where.locate(path);
  told.place = where.at(found.place).name;
  told.address = found.address;
  if (found.address.empty()) {
    told.rule = "it names no asset in a project or mount.";
    told.reason = "There is no address to look for.";
    return told;
  }
  told.rule = rule_of(where, found, path);
  if (starts_with(path, "/") && !where.holding(path)) {
    told.reason = "The path lies outside the project and its mounts, so nothing governs it.";
    return told;
  }
  explain_article(where, by, found, told);
  return told;
}

[[nodiscard]] std::string as_text(const explanation& told) {
  std::string text = fmt::format("path      {}\naddress   {}: {}\n", told.path,
                                 told.address.empty() ? "none" : told.address, told.rule);
  text += told.article ? fmt::format("article   {}: {}\n", *told.article, told.via)
                       : std::string{"article   none\n"};
  text += fmt::format("surfaces  {}: {}\n", told.surfaces ? "yes" : "no", told.reason);
  if (!told.line.empty()) {
    text += "line      " + told.line + "\n";
  }
  text += "settings  " + told.settings + "\n";
  return text;
}

[[nodiscard]] std::string as_json(const explanation& told) {
  const nlohmann::json object{
      {"path", told.path},
      {"mount", told.place},
      {"address", told.address},
      {"rule", told.rule},
      {"article", told.article ? nlohmann::json(*told.article) : nlohmann::json(nullptr)},
      {"via", told.via},
      {"surfaces", told.surfaces},
      {"reason", told.reason},
      {"line", told.line},
      {"settings", told.settings}};
  return json_page(object);
}

/// The options that would be in force in a Pi started in the project, with what was typed laid over
/// them; what was wrong with files is printed.
[[nodiscard]] judged_by judge_as_in_pi(const common_flags& flags, const std::string& project) {
  const pi_options pi = options_in_pi(project);
  for (const std::string& problem : pi.problems) {
    print_error("canon: " + problem);
  }
  chosen_options chosen{pi.laid.values, std::nullopt};
  lay_flags(flags, chosen);
  if (chosen.problem) {
    print_error("canon: " + *chosen.problem);
  }
  judged_by by{chosen.values, "", "as in Pi"};
  std::string decided;
  for (const std::string& key : option_keys()) {
    const std::string value = show_option(chosen.values, key).value_or("");
    const auto file = pi.laid.decided_by.find(key);
    const bool is_typed = value != show_option(pi.laid.values, key).value_or("");
    if (!is_typed && file == pi.laid.decided_by.end()) {
      continue;
    }
    decided += fmt::format("{}{} {} ({})", decided.empty() ? "" : ", ", key, value,
                           is_typed ? "for this run" : file->second);
    if (key == "surface" && !is_typed) {
      by.surface_from =
          file->second + (file->second == settings_path() ? "" : ", which only Pi reads");
    }
  }
  by.settings += ": " + (decided.empty() ? "the defaults" : decided) + ".";
  by.settings += pi.unused.empty() ? "" : " " + pi.unused;
  return by;
}

} // namespace

int run_why(const common_flags& flags, const std::string& path, bool json) {
  const auto project = project_of(flags);
  if (!project) {
    return report(project.error());
  }
  const judged_by by = judge_as_in_pi(flags, *project);
  const auto where = open_places(*project, by.values);
  if (!where) {
    return report(where.error());
  }
  const explanation told = explain(*where, by, from_current_folder(path));
  print(json ? as_json(told) : as_text(told));
  return exit_done;
}

} // namespace resilient::canon
