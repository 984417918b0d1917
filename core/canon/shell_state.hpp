#pragma once

#include "core/canon/shell_expansion.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace resilient::canon {

/// What a shell knows while it runs a script: the folder that it works in, and its variables.
class shell_state {
public:
  /// `home` may be empty.
  shell_state(const std::string& folder, std::string home, std::string project);

  /// Empty when it is not known.
  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }
  void set_folder(const std::string& folder);
  /// What `cd` does with its words, which begin at `at`.
  void change_folder(const std::vector<expanded_word>& words, std::size_t at);

  /// What `name=value` does, whose `assigned_name_size` is not 0.
  void assign(const expanded_word& word);
  /// The variable of a loop has each of these values.
  void loop_over(const std::string& name, std::vector<expanded_word> values) {
    variables_[name] = std::move(values);
  }

  [[nodiscard]] std::vector<expanded_word> expand(const shell_word& word) const {
    return expand_word(word, variables_, folder_, project_);
  }

private:
  std::string folder_;
  std::string home_;
  std::string project_;
  variable_table variables_;
};

} // namespace resilient::canon
