#include "launcher/command/trust_question.hpp"

#include "core/settings/project_trust.hpp"

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

} // namespace

bool asks_for_trust(files& disk, const std::string& project, const std::string& agent_folder) {
  return has_protected_resources(disk, project)
         && !settings::project_trust(disk, project, agent_folder);
}

} // namespace resilient::launcher
