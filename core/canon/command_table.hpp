#pragma once

#include "core/canon/shell_operands.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace resilient::canon {

// What is known of commands by their names. Lists are words separated by blanks.

enum class change_rule : std::uint8_t { never, always, with_option, unless_option };
enum class which_operands : std::uint8_t { all, first, last };

/// A command whose operands are told from its options by their first byte.
struct command_rule {
  std::string_view names{};
  operand_role role = operand_role::path; ///< of operands that are not changed
  change_rule changes = change_rule::never;
  which_operands which = which_operands::all; ///< those that are changed
  std::string_view switches{};                ///< the options that `changes` speaks of
  std::size_t leading = 0;                    ///< operands before the paths: a pattern, a mode
  std::string_view options_with_value{};      ///< they take the next word, which is not changed
  std::string_view path_options{};            ///< they take a word which is a path
  std::string_view pattern_options{};         ///< they stand for the leading operands
  std::string_view output_options{};          ///< they take a word which is changed
  bool prints_names = false;
  bool copies_into_last = false;
  bool is_formatter = false;
  /// Only what follows `--` is a path: it goes to another program.
  bool has_paths_after_dashes = false;
};

/// Nothing for a command that is not known.
[[nodiscard]] const command_rule* find_command(std::string_view name) noexcept;

/// A command that runs the command in its other words.
struct prefix_rule {
  std::string_view names{};
  std::string_view options_with_value{};
  std::size_t operands_before_command = 0;
  std::string_view subcommands{};   ///< one of them must follow, unless empty
  bool may_omit_subcommand = false; ///< before a formatter, as `yarn prettier`
};
[[nodiscard]] const prefix_rule* find_prefix(std::string_view name) noexcept;

struct git_rule {
  std::string_view names{};        ///< of verbs
  bool all_are_paths = false;      ///< also before `--`
  bool changes_named = false;      ///< the paths that it names
  bool changes_references = false; ///< also those before `--`
  bool changes_unnamed = false;
  std::string_view dry_options{}; ///< with one of them, nothing is changed
  std::string_view options_with_value{};
};
/// A rule that changes nothing for a verb that is not known.
[[nodiscard]] git_rule find_git_rule(std::string_view verb) noexcept;

/// Whether it runs programs in Python or JavaScript.
[[nodiscard]] bool is_interpreter(std::string_view name) noexcept;

/// Whether the program reads a shell script from its argument or its input.
[[nodiscard]] bool is_shell_program(std::string_view name) noexcept;

} // namespace resilient::canon
