#pragma once

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace resilient::canon {

/// A string in the arguments of a tool call.
struct input_string {
  const std::string& name; ///< of the innermost member that holds it; empty at the top
  const std::string& text;
  /// Where the call says that it works, by an argument beside this one; empty when it does not say.
  const std::string& folder;
};

/// Who is shown the strings of an input.
struct input_visitor {
  std::function<void(const input_string&)> string;
  /// A command whose words are given apart: `["bash", "-lc", "ls"]`.
  std::function<void(const std::vector<std::string>& words, const std::string& folder)> words;
};

/// Shows every string value, in lists and nested objects too, in the order of the values.
void visit_input(const nlohmann::json& input, const input_visitor& visitor);

} // namespace resilient::canon
