#include "core/canon/shell_state.hpp"

#include "core/canon/address.hpp"
#include "core/support/text.hpp"

#include <utility>

namespace resilient::canon {

shell_state::shell_state(const std::string& folder, std::string home, std::string project)
    : home_(std::move(home)), project_(std::move(project)) {
  if (!home_.empty()) {
    variables_["HOME"] = {expanded_word::literal(home_)};
  }
  variables_["CLAUDE_PROJECT_DIR"] = {expanded_word::literal(project_)};
  set_folder(folder);
}

void shell_state::set_folder(const std::string& folder) {
  // No folder is deeper than a path can be long; only a script that is made up goes there.
  constexpr std::size_t longest_folder = 1024;
  folder_ = folder.size() < longest_folder ? folder : "";
  if (folder_.empty()) {
    variables_.erase("PWD");
  } else {
    variables_["PWD"] = {expanded_word::literal(folder_)};
  }
}

void shell_state::change_folder(const std::vector<expanded_word>& words, std::size_t at) {
  while (at < words.size() && words[at].text.size() > 1 && words[at].text.front() == '-') {
    ++at;
  }
  const std::string target = at < words.size() ? words[at].text : "~";
  if (at < words.size() && (words[at].is_unknown || target == "-")) {
    set_folder("");
  } else if (starts_with(target, "/")) {
    set_folder("/" + contained(target));
  } else if (target == "~" || starts_with(target, "~/")) {
    set_folder(home_.empty() ? "" : "/" + contained(home_ + target.substr(1)));
  } else if (!folder_.empty()) {
    set_folder("/" + contained(folder_ + "/" + target));
  }
}

void shell_state::assign(const expanded_word& word) {
  const std::string name = word.text.substr(0, word.assigned_name_size);
  if (word.is_unknown) {
    variables_.erase(name);
    return;
  }
  expanded_word value = expanded_word::literal(word.text.substr(name.size() + 1));
  value.pattern = word.pattern.empty() ? "" : word.pattern.substr(name.size() + 1);
  variables_[name] = {std::move(value)};
}

} // namespace resilient::canon
