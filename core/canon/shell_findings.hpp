#pragma once

#include "core/canon/shell_expansion.hpp"
#include "core/canon/shell_paths.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace resilient::canon {

/// Adds what the commands of one script touch to a reading.
class shell_findings {
public:
  explicit shell_findings(shell_reading& reading) : reading_(reading) {}

  /// The word from `offset` on, as a path taken from `folder`.
  void add(const expanded_word& word, std::size_t offset, operand_role role,
           const std::string& folder, bool must_exist = false);

  /// Once the operands of a command were added: when its last one is a folder into which the
  /// others go, what is changed are the files there.
  void copy_into_last(const command_reading& read, const std::vector<expanded_word>& words,
                      const std::string& folder,
                      const std::function<bool(const std::string&)>& is_folder);

  /// The files that a patch changes.
  void add_patch(std::string_view text, const std::string& folder);
  /// The files that a program in another language changes.
  void add_program(std::string_view text, const std::string& folder);

  /// How many there are: where those of the next command begin.
  [[nodiscard]] std::size_t count() const noexcept { return reading_.paths.size(); }
  /// The command whose findings begin at `begin` changes files that it does not name.
  void change_unnamed(std::size_t begin);

  /// What was found from `begin` on is printed into a pipe. `are_operands`: as `echo` does, whose
  /// operands are texts else.
  void print(std::size_t pipeline, std::size_t begin, bool are_operands) {
    printed_.push_back({pipeline, begin, count(), are_operands});
  }
  /// Marks what the commands before in the same pipe print as changed.
  void change_piped(std::size_t pipeline);

private:
  struct printed {
    std::size_t pipeline = 0;
    std::size_t begin = 0; ///< in `reading_.paths`
    std::size_t end = 0;
    bool are_operands = false;
  };

  shell_reading& reading_;
  std::vector<printed> printed_;
};

} // namespace resilient::canon
