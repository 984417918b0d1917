#include "launcher/command/trust_question.hpp"

#include "core/settings/settings_file.hpp"

#include <nlohmann/json.hpp>

namespace resilient::launcher {

namespace {

bool has_protected_resources(const files& disk, const std::string& project) {
  for (const char* name : {"settings.json", "mcp.json", "extensions", "skills", "prompts", "themes",
                           "SYSTEM.md", "APPEND_SYSTEM.md"}) {
    if (disk.exists(project + "/.pi/" + name)) {
      return true;
    }
  }
  for (std::string folder = project;; folder = parent_path(folder)) {
    if (disk.exists(folder + "/.agents/skills")) {
      return true;
    }
    if (folder == "/" || folder == ".") {
      return false;
    }
  }
}

bool is_decided(const nlohmann::json& decisions, const std::string& project) {
  for (std::string folder = project;; folder = parent_path(folder)) {
    const auto found = decisions.find(folder);
    if (found != decisions.end() && found->is_boolean()) {
      return true;
    }
    if (folder == "/" || folder == ".") {
      return false;
    }
  }
}

} // namespace

bool asks_for_trust(files& disk, const std::string& project, const std::string& agent_folder) {
  if (!has_protected_resources(disk, project)) {
    return false;
  }
  const auto decisions = settings::read_file(disk, agent_folder + "/trust.json");
  if (decisions && is_decided(*decisions, project)) {
    return false;
  }
  const auto user = settings::read_file(disk, agent_folder + "/settings.json");
  if (!user) {
    return true;
  }
  const auto standard = user->find("defaultProjectTrust");
  return standard == user->end() || (*standard != "always" && *standard != "never");
}

} // namespace resilient::launcher
