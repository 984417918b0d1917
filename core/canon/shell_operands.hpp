#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace resilient::canon {

/// What a command does with one of its words.
enum class operand_role : std::uint8_t {
  mention,   ///< a text: a pattern, a message, a name of something else
  reference, ///< may be a path or something else, such as a branch; a path only when it exists
  unsure,    ///< the command is not known: a path with a slash, or an existing file
  path,      ///< a file or a folder that is read or listed
  change,    ///< a file or a folder that is made, changed or removed
};

struct operand {
  std::size_t word = 0;   ///< index in the words of the command
  std::size_t offset = 0; ///< where the operand begins in the word: 3 in `of=out.bin`
  operand_role role = operand_role::mention;
  /// It counts only when it exists: `git checkout NAME` may mean a branch.
  bool must_exist = false;
};

/// What is known of a command with its words.
struct command_reading {
  std::vector<operand> operands;
  /// Words that are scripts for a shell themselves: `bash -c '…'`.
  std::vector<std::size_t> scripts;
  /// The command changes files that it does not name.
  bool changes_unnamed = false;
  /// Its operands come from the pipe, and it changes them: `xargs rm`.
  bool changes_piped = false;
  /// What it prints names files: `ls`, `find`, `grep -l`.
  bool prints_names = false;
  /// What it prints are its operands: `echo`.
  bool prints_operands = false;
  /// Words that are programs in another language: `python -c '…'`.
  std::vector<std::size_t> programs;
  /// Its input is a program in another language, a script for a shell, or a patch.
  bool reads_program = false;
  bool reads_script = false;
  bool reads_patch = false;
  /// The last operand may be a folder into which the other ones go, by their last names.
  bool copies_into_last = false;
  /// The word that names the folder in which the command works; 0 for none.
  std::size_t works_in = 0;
};

/// Reads one simple command. `words` are its words after expansion; what could not be expanded is
/// in them as control bytes. Prefixes (`sudo`, `env A=b`, `timeout 5`, `npx`, `xargs`) are seen
/// through.
[[nodiscard]] command_reading read_command(const std::vector<std::string>& words);

} // namespace resilient::canon
