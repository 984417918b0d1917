#include "core/canon/shell_operands.hpp"

#include "core/canon/operand_reader.hpp"
#include "core/support/text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace resilient::canon {

namespace {

/// `name=value` before a command, as `env` and the shell take it.
bool is_assignment(std::string_view word) noexcept {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0
         && std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                        [](char byte) {
                          return is_ascii_letter(byte) || is_ascii_digit(byte) || byte == '_';
                        });
}

/// `-i`, `-ni` and `-i.bak` hold the letter i as an option; `--in-place` does not.
bool has_letter(std::string_view word, char letter) noexcept {
  return is_option(word) && word[1] != '-' && word.find(letter) != std::string_view::npos;
}

} // namespace

bool operand_reader::has_any_of(std::string_view list) const {
  return std::any_of(words_.begin()
                         + static_cast<std::ptrdiff_t>(std::min(begin_ + 1, words_.size())),
                     words_.end(), [list](const std::string& word) {
                       return lists(list, std::string_view(word).substr(0, word.find('=')));
                     });
}

std::size_t operand_reader::skip_options(std::size_t at, std::string_view with_value) const {
  while (at < words_.size() && is_option(words_[at])) {
    const bool is_end = words_[at] == "--";
    at += lists(with_value, words_[at]) ? 2 : 1;
    if (is_end) {
      break;
    }
  }
  return std::min(at, words_.size());
}

std::size_t operand_reader::skip_prefixes(std::size_t at) {
  while (at < words_.size()) {
    const std::string_view name = name_of(words_[at]);
    if (is_assignment(words_[at])) {
      add(at, operand_role::unsure, words_[at].find('=') + 1);
      ++at;
      continue;
    }
    const prefix_rule* rule = find_prefix(name);
    if (rule == nullptr) {
      return at;
    }
    std::size_t next = at + 1;
    if (!rule->subcommands.empty()) {
      if (next >= words_.size()) {
        return at;
      }
      const command_rule* program =
          rule->may_omit_subcommand ? find_command(words_[next]) : nullptr;
      if (lists(rule->subcommands, words_[next])) {
        ++next;
      } else if (program == nullptr || !program->is_formatter) {
        return at;
      }
    }
    next = skip_options(next, rule->options_with_value);
    next = std::min(next + rule->operands_before_command, words_.size());
    if (name == "xargs" || name == "parallel") {
      reading_.changes_piped = true; // taken back below unless its command changes something
    }
    at = next;
  }
  return at;
}

void operand_reader::add_option(std::size_t word, operand_role role) {
  const std::string& text = words_[word];
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos) {
    add(word, role, equals + 1);
  } else if (text.find('/') != std::string::npos && text[1] != '-') {
    add(word, operand_role::reference, 2);
  }
}

void operand_reader::add_rest(std::size_t at, operand_role role, std::string_view with_value) {
  bool options = true;
  for (; at < words_.size(); ++at) {
    if (options && words_[at] == "--") {
      options = false;
    } else if (options && is_option(words_[at])) {
      if (lists(with_value, words_[at])) {
        if (++at < words_.size()) {
          add(at, operand_role::reference);
        }
      } else {
        add_option(at, operand_role::unsure);
      }
    } else {
      add(at, role);
    }
  }
}

void operand_reader::read_by(const command_rule& rule) {
  const bool changes =
      rule.changes == change_rule::always
      || (rule.changes == change_rule::with_option && has_any_of(rule.switches))
      || (rule.changes == change_rule::unless_option && !has_any_of(rule.switches));
  reading_.prints_names = rule.prints_names;
  reading_.prints_operands = rule.prints_names && rule.role == operand_role::mention;
  std::vector<std::size_t> operands;
  std::size_t dashes = words_.size();
  bool options = true;
  bool names_by_option = false;
  for (std::size_t at = begin_ + 1; at < words_.size(); ++at) {
    const std::string& word = words_[at];
    if (options && word == "--") {
      dashes = at;
      options = rule.has_paths_after_dashes;
    } else if (options && is_option(word)) {
      if (lists(rule.output_options, word)) {
        if (++at < words_.size()) {
          add(at, operand_role::change);
        }
      } else if (lists(rule.output_options, word.substr(0, word.find('=')))) {
        add(at, operand_role::change, word.find('=') + 1);
      } else if (lists(rule.path_options, word)) {
        if (++at < words_.size()) {
          add(at, operand_role::path);
        }
      } else if (lists(rule.pattern_options, word.substr(0, word.find('=')))) {
        names_by_option = true;
        if (word.find('=') == std::string::npos && ++at < words_.size()) {
          add(at, operand_role::mention);
        }
      } else if (lists(rule.options_with_value, word)) {
        if (++at < words_.size()) {
          add(at, operand_role::reference);
        }
      } else {
        add_option(at, operand_role::unsure);
      }
    } else {
      operands.push_back(at);
    }
  }
  const bool names_output =
      std::any_of(reading_.operands.begin(), reading_.operands.end(),
                  [](const operand& each) { return each.role == operand_role::change; });
  const std::size_t leading = names_by_option ? 0 : std::min(rule.leading, operands.size());
  for (std::size_t index = 0; index < operands.size(); ++index) {
    operand_role role = rule.role;
    if (index < leading) {
      role = operand_role::mention;
    } else if (rule.has_paths_after_dashes && operands[index] < dashes) {
      role = rule.role;
    } else if (changes
               && (rule.which == which_operands::all
                   || (rule.which == which_operands::last && index + 1 == operands.size()
                       && !(rule.copies_into_last && names_output))
                   || (rule.which == which_operands::first && index == leading))) {
      role = operand_role::change;
    }
    add(operands[index], role);
  }
  reading_.copies_into_last = changes && rule.copies_into_last && operands.size() >= 2;
  reading_.changes_piped = reading_.changes_piped && changes;
}

void operand_reader::dispatch(std::string_view name) {
  if (name == "git") {
    read_git();
  } else if (name == "find" || name == "gfind") {
    read_find();
  } else if (name == "dd") {
    read_dd();
  } else if (name == "tar" || name == "bsdtar") {
    read_tar();
  } else if (name == "sed" || name == "gsed" || name == "perl" || name == "ruby") {
    read_perl_like();
  } else if (name == "[" || name == "[[" || name == "test") {
    read_test();
  } else if (is_shell_program(name)) {
    bool found = false;
    for (std::size_t at = begin_ + 1; at < words_.size(); ++at) {
      if (!is_option(words_[at])) {
        add(at, operand_role::path);
        found = true;
        break;
      }
      if (has_letter(words_[at], 'c') && at + 1 < words_.size()) {
        reading_.scripts.push_back(at + 1);
        found = true;
        break;
      }
    }
    reading_.reads_script = !found;
  } else if (is_interpreter(name)) {
    read_interpreter();
  } else if (name == "eval") {
    for (std::size_t at = begin_ + 1; at < words_.size(); ++at) {
      reading_.scripts.push_back(at);
    }
  } else if (name == "apply_patch" || name == "applypatch") {
    reading_.reads_patch = true;
    for (std::size_t at = begin_ + 1; at < words_.size(); ++at) {
      add(at, operand_role::mention);
    }
  } else if (const command_rule* rule = find_command(name)) {
    read_by(*rule);
    if (name == "patch" && !has_any_of("--dry-run")) {
      const auto is_named = [](const operand& each) { return each.role == operand_role::change; };
      reading_.reads_patch = true;
      reading_.changes_unnamed =
          std::none_of(reading_.operands.begin(), reading_.operands.end(), is_named);
    }
  } else {
    reading_.changes_piped = false;
    // The program itself, when it is one of the project: `./scripts/build.sh`.
    add(begin_, operand_role::reference);
    add_rest(begin_ + 1, operand_role::unsure);
  }
}

command_reading read_command(const std::vector<std::string>& words) {
  return operand_reader(words).read();
}

} // namespace resilient::canon
