#include "core/canon/mutation.hpp"

#include "core/canon/command_paths.hpp"
#include "core/canon/edit_tools.hpp"
#include "core/canon/patch_paths.hpp"
#include "core/canon/text_paths.hpp"
#include "core/canon/tool_input.hpp"
#include "core/support/text.hpp"

#include <string>
#include <utility>

namespace resilient::canon {

namespace {

class change_reader {
public:
  change_reader(tool_kind kind, const touch_place& from)
      : kind_(kind), finder_(from, most_probes), found_(finder_) {}

  std::vector<touched> read(const nlohmann::json& input);

private:
  void read_string(const input_string& value);
  void read_shell(const shell_reading& reading);
  void add_path_argument(const input_string& value, const std::string& folder);
  void add_patch(std::string_view text, const std::string& folder);

  tool_kind kind_;
  asset_finder finder_;
  touch_list found_;
};

void change_reader::add_path_argument(const input_string& value, const std::string& folder) {
  std::string path = file_url_path(value.text);
  if (path.empty()) {
    path = trim(value.text);
    // People and models mark files so, and hosts take it off.
    if (starts_with(path, "@") && !found_.add_existing(path, folder)) {
      path.erase(0, 1);
    }
  }
  if (path.find("://") != std::string::npos) {
    return;
  }
  if (found_.add_existing(path, folder) || found_.add_existing(path, finder_.project())) {
    return;
  }
  // `to` and `source` need not be paths.
  const std::string name = ascii_lower(value.name);
  if (path.find('/') != std::string::npos || name.find("path") != std::string::npos
      || name.find("file") != std::string::npos) {
    (void)(found_.add_new(path, folder) || found_.add_new(path, finder_.project()));
  }
}

void change_reader::add_patch(std::string_view text, const std::string& folder) {
  each_patch_path(text, [&](std::string_view name) { (void)found_.add_new(name, folder); });
}

void change_reader::read_shell(const shell_reading& reading) {
  for (const shell_path& path : reading.paths) {
    if (path.role == operand_role::change || (reading.changes_unnamed && !path.is_input)) {
      (void)add_shell_path(found_, path);
    }
  }
}

void change_reader::read_string(const input_string& value) {
  const std::string folder = finder_.folder_of_call(value.folder);
  switch (kind_) {
  case tool_kind::edit:
    if (is_path_argument(value.name)) {
      add_path_argument(value, folder);
    }
    return;
  case tool_kind::copy:
    if (is_target_argument(value.name)) {
      add_path_argument(value, folder);
    }
    return;
  case tool_kind::patch:
    add_patch(value.text, folder);
    if (is_path_argument(value.name)) {
      add_path_argument(value, folder);
    }
    return;
  case tool_kind::shell:
    if (value.text.find("tools.apply_patch(") != std::string::npos) {
      add_patch(value.text, folder);
    } else if (value.name.empty() || is_command_argument(value.name)) {
      if (begins_patch(value.text)) {
        add_patch(value.text, folder);
      } else {
        read_shell(read_script(value.text, start_in(finder_, folder)));
      }
    }
    return;
  case tool_kind::other:
    return;
  }
}

std::vector<touched> change_reader::read(const nlohmann::json& input) {
  visit_input(input,
              {[this](const input_string& value) { read_string(value); },
               [this](const std::vector<std::string>& words, const std::string& folder) {
                 if (kind_ == tool_kind::shell) {
                   read_shell(read_words(words, start_in(finder_, finder_.folder_of_call(folder))));
                 }
               }});
  return std::move(found_).take();
}

/// The argument `command` of tools that view and edit by one name.
std::string_view command_of(const nlohmann::json& input) {
  const auto found = input.is_object() ? input.find("command") : input.end();
  if (!input.is_object() || found == input.end() || !found->is_string()) {
    return {};
  }
  return found->get_ref<const std::string&>();
}

} // namespace

std::vector<touched> changes_in(std::string_view tool_name, const nlohmann::json& input,
                                const touch_place& from) {
  const tool_kind kind = kind_of_tool(tool_name, command_of(input));
  if (kind == tool_kind::other) {
    return {};
  }
  return change_reader(kind, from).read(input);
}

} // namespace resilient::canon
