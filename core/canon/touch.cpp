#include "core/canon/touch.hpp"

#include "core/canon/command_paths.hpp"
#include "core/canon/edit_tools.hpp"
#include "core/canon/patch_paths.hpp"
#include "core/canon/text_paths.hpp"
#include "core/canon/tool_input.hpp"
#include "core/support/text.hpp"

#include <utility>

namespace resilient::canon {

namespace {

/// Finds first what a call declares; what else its texts mention is looked for afterwards, so that
/// a long text does not use up the questions.
class input_reader {
public:
  explicit input_reader(const touch_place& from) : finder_(from, most_probes), found_(finder_) {}

  std::vector<touched> read(const nlohmann::json& input);

private:
  struct mention {
    std::string text;
    std::vector<std::string> folders;
    bool is_whole = false; ///< the whole string may be a path
  };

  void read_string(const input_string& value);
  void read_shell(const shell_reading& reading);

  asset_finder finder_;
  touch_list found_;
  std::vector<mention> mentions_;
};

void input_reader::read_shell(const shell_reading& reading) {
  for (const shell_path& path : reading.paths) {
    if (!add_shell_path(found_, path)) {
      // A command knows where it works; only where that is unknown, the project is as good.
      mentions_.push_back(
          {path.text, {path.folder.empty() ? finder_.project() : path.folder}, false});
    }
  }
}

void input_reader::read_string(const input_string& value) {
  const std::string folder = finder_.folder_of_call(value.folder);
  std::vector<std::string> folders{folder};
  if (folder != finder_.project()) {
    folders.push_back(finder_.project());
  }
  const bool is_script = is_command_argument(value.name) && !begins_patch(value.text);
  if (!is_script && holds_patch(value.text)) {
    each_patch_path(value.text, [&](std::string_view name) { (void)found_.add_new(name, folder); });
    mentions_.push_back({value.text, folders, false});
  } else if (is_script) {
    read_shell(read_script(value.text, start_in(finder_, folder)));
  } else if (!(is_path_argument(value.name) || is_folder_argument(value.name))
             || !add_whole_string(found_, value.text, folders, true)) {
    mentions_.push_back({value.text, folders, true});
  }
}

std::vector<touched> input_reader::read(const nlohmann::json& input) {
  visit_input(input,
              {[this](const input_string& value) { read_string(value); },
               [this](const std::vector<std::string>& words, const std::string& folder) {
                 read_shell(read_words(words, start_in(finder_, finder_.folder_of_call(folder))));
               }});
  found_.set_declared(false);
  finder_.set_budget(most_probes);
  for (const mention& each : mentions_) {
    if (!each.is_whole || !add_whole_string(found_, each.text, each.folders, false)) {
      add_paths_in_text(found_, each.text, each.folders);
    }
  }
  return std::move(found_).take();
}

} // namespace

std::vector<touched> touches_in(const nlohmann::json& tool_input, const touch_place& from) {
  return input_reader(from).read(tool_input);
}

bool is_own_tool(std::string_view name) noexcept {
  if (name == "canon") {
    return true;
  }
  constexpr std::string_view prefix = "mcp__";
  constexpr std::string_view suffix = "__canon";
  if (!starts_with(name, prefix) || !ends_with(name, suffix)
      || name.size() <= prefix.size() + suffix.size()) {
    return false;
  }
  const std::string_view server =
      name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  return server == "canon" || ends_with(server, "_canon");
}

} // namespace resilient::canon
