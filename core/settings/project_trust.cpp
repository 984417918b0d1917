#include "core/settings/project_trust.hpp"

#include "core/settings/settings_file.hpp"

#include <nlohmann/json.hpp>

namespace resilient::settings {

namespace {

std::optional<bool> decision_in(const nlohmann::json& decisions, const std::string& project) {
  for (std::string folder = project;; folder = parent_path(folder)) {
    const auto found = decisions.find(folder);
    if (found != decisions.end() && found->is_boolean()) {
      return found->get<bool>();
    }
    if (folder == "/" || folder == ".") {
      return std::nullopt;
    }
  }
}

} // namespace

std::optional<bool> project_trust(const files& disk, const std::string& project,
                                  const std::string& agent_folder) {
  if (const auto decisions = read_file(disk, agent_folder + "/trust.json")) {
    if (const auto decided = decision_in(*decisions, project)) {
      return decided;
    }
  }
  const auto user = read_file(disk, agent_folder + "/settings.json");
  const auto standard = user ? user->find("defaultProjectTrust") : nlohmann::json::const_iterator{};
  if (!user || standard == user->end()) {
    return std::nullopt;
  }
  return *standard == "always"  ? std::optional{true}
         : *standard == "never" ? std::optional{false}
                                : std::nullopt;
}

} // namespace resilient::settings
