#include "core/canon/tool_input.hpp"

#include "core/canon/edit_tools.hpp"

#include <algorithm>

namespace resilient::canon {

namespace {

// Real inputs are a few levels deep; what is nested deeper was made to be.
constexpr int deepest_nesting = 64;

bool is_list_of_words(const nlohmann::json& value, const std::string& name) {
  return value.is_array() && value.size() > 1 && name != "commands" && is_command_argument(name)
         && std::all_of(value.begin(), value.end(),
                        [](const nlohmann::json& each) { return each.is_string(); });
}

void visit(const nlohmann::json& value, const std::string& name, const std::string& folder,
           int depth, const input_visitor& visitor) {
  if (depth > deepest_nesting) {
    return;
  }
  if (value.is_string()) {
    visitor.string({name, value.get_ref<const std::string&>(), folder});
  } else if (is_list_of_words(value, name)) {
    std::vector<std::string> words;
    for (const nlohmann::json& each : value) {
      words.push_back(each.get<std::string>());
    }
    visitor.words(words, folder);
  } else if (value.is_array()) {
    for (const nlohmann::json& each : value) {
      visit(each, name, folder, depth + 1, visitor);
    }
  } else if (value.is_object()) {
    std::string works_in = folder;
    for (const auto& [key, each] : value.items()) {
      if (each.is_string() && is_folder_argument(key)) {
        works_in = each.get<std::string>();
      }
    }
    for (const auto& [key, each] : value.items()) {
      visit(each, key, is_folder_argument(key) ? folder : works_in, depth + 1, visitor);
    }
  }
}

} // namespace

void visit_input(const nlohmann::json& input, const input_visitor& visitor) {
  visit(input, "", "", 0, visitor);
}

} // namespace resilient::canon
