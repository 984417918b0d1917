#include "launcher/canon/pi_options.hpp"

#include "core/settings/options.hpp"
#include "core/settings/project_trust.hpp"
#include "core/settings/settings_file.hpp"
#include "launcher/canon/environment.hpp"
#include "launcher/canon/session.hpp"

#include <fmt/format.h>

namespace resilient::canon {

namespace {

class pi_files {
public:
  explicit pi_files(const std::string& project)
      : agent_{settings::agent_folder(environment("PI_CODING_AGENT_DIR"), environment("HOME"))},
        place_{settings::place_in(agent_, project, false)}, trust_{settings::project_trust(
                                                                disk_, project, agent_)} {}

  void read(pi_options& into) {
    settings::settings_values user;
    user.user = object_of(place_.user_file);
    take(user, place_.user_file, options_source::pi_user);
    settings::settings_values project;
    project.project = object_of(place_.project_file);
    if (trust_.value_or(false)) {
      take(project, place_.project_file, options_source::trusted_project);
    } else if (project.project.contains("canon")) {
      into.unused = fmt::format("{} is not used: {}.", place_.project_file,
                                trust_ ? "Pi does not trust this project"
                                       : "Pi has not been told yet to trust this project");
    }
    into.laid = lay_options(settings_path(), settings_text(), layers_);
    for (const auto& [file, why] : into.laid.problems) {
      problems_.push_back(fmt::format("What {} says of canon was not used. {}", file, why));
    }
    into.problems = std::move(problems_);
  }

private:
  nlohmann::json object_of(const std::string& file) {
    auto read = settings::read_file(disk_, file);
    if (read) {
      return *std::move(read);
    }
    problems_.push_back(read.error().message);
    return nlohmann::json::object();
  }

  void take(const settings::settings_values& from, const std::string& file, options_source source) {
    settings::canon_values said = settings::canon_values_in(from);
    for (const std::string& problem : said.problems) {
      problems_.push_back(fmt::format("{} It stands in {}.", problem, file));
    }
    layers_.push_back({file, std::move(said.value), source});
  }

  posix_files disk_;
  std::string agent_;
  settings::settings_place place_;
  std::optional<bool> trust_;
  std::vector<options_layer> layers_;
  std::vector<std::string> problems_;
};

} // namespace

pi_options options_in_pi(const std::string& project) {
  pi_options found;
  pi_files{project}.read(found);
  return found;
}

} // namespace resilient::canon
