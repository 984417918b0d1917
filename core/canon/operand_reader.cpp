#include "core/canon/operand_reader.hpp"

#include "core/support/text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

// Commands whose operands are not told from their options by the first byte alone.

namespace resilient::canon {

void operand_reader::read_git() {
  static constexpr std::string_view top_options = "-C -c --git-dir --work-tree --namespace";
  for (std::size_t at = begin_ + 1; at + 1 < words_.size() && is_option(words_[at]); ++at) {
    if (words_[at] == "-C") {
      add(at + 1, operand_role::path);
      reading_.works_in = at + 1;
    }
  }
  const std::size_t at = skip_options(begin_ + 1, top_options);
  const bool was_piped = std::exchange(reading_.changes_piped, false);
  if (at >= words_.size()) {
    return;
  }
  const std::string_view verb = words_[at];
  const git_rule rule = find_git_rule(verb);
  reading_.prints_names = lists("ls-files diff grep show status", verb);
  const auto end_of_options =
      std::find(words_.begin() + static_cast<std::ptrdiff_t>(at), words_.end(), "--");
  const auto paths_begin = static_cast<std::size_t>(end_of_options - words_.begin());
  const bool is_dry = has_any_of(rule.dry_options);
  bool changes = rule.changes_named && !is_dry;
  if (verb == "restore" || verb == "reset") {
    // Only the index, unless asked otherwise.
    changes = verb == "restore" && (!has_any_of("--staged -S") || has_any_of("--worktree -W"));
    reading_.changes_unnamed = verb == "reset" && has_any_of("--hard --merge --keep");
  } else if (verb == "rm") {
    changes = changes && !has_any_of("--cached");
  } else if (verb == "stash") {
    const std::string_view what = at + 1 < words_.size() ? std::string_view(words_[at + 1]) : "";
    reading_.changes_unnamed = what == "pop" || what == "apply";
    changes = what.empty() || what == "push" || what == "save" || what == "--" || is_option(what);
  } else {
    reading_.changes_unnamed = rule.changes_unnamed && !is_dry && !has_any_of("--abort --quit");
  }
  reading_.reads_patch = lists("apply am", verb) && !is_dry;
  reading_.changes_piped = was_piped && changes;
  const bool names_paths_apart = paths_begin < words_.size();
  const bool may_be_paths = changes && rule.changes_references && !names_paths_apart
                            && !has_any_of("-b -B --orphan --detach");
  for (std::size_t index = at + 1; index < words_.size(); ++index) {
    if (index == paths_begin) {
      continue;
    }
    if (index < paths_begin && is_option(words_[index])) {
      if (lists(rule.options_with_value, words_[index])) {
        if (++index < words_.size()) {
          add(index, operand_role::mention);
        }
      } else {
        add_option(index, operand_role::mention);
      }
    } else if (index > paths_begin || rule.all_are_paths) {
      add(index, changes ? operand_role::change : operand_role::path);
    } else if (may_be_paths) {
      add(index, operand_role::change);
      reading_.operands.back().must_exist = true;
    } else {
      add(index, operand_role::reference);
    }
  }
}

void operand_reader::read_find() {
  static constexpr std::string_view with_value =
      "-name -iname -path -ipath -type -maxdepth -mindepth -size -mtime -mmin -newer -perm -user "
      "-group -regex -iregex -not -wholename -printf -prune";
  reading_.prints_names = true;
  bool changes = has_word("-delete");
  std::size_t end = begin_ + 1;
  while (end < words_.size()
         && (words_[end] == "-L" || words_[end] == "-H" || words_[end] == "-P")) {
    ++end;
  }
  std::vector<std::size_t> starts;
  for (; end < words_.size() && !is_option(words_[end]) && words_[end] != "!" && words_[end] != "(";
       ++end) {
    starts.push_back(end);
  }
  for (std::size_t at = end; at < words_.size(); ++at) {
    if (lists(with_value, words_[at])) {
      if (++at < words_.size()) {
        add(at, operand_role::mention);
      }
    } else if (lists("-exec -execdir -ok", words_[at])) {
      std::vector<std::string> inner;
      std::size_t last = at + 1;
      for (; last < words_.size() && words_[last] != ";" && words_[last] != "+"; ++last) {
        inner.push_back(words_[last]);
      }
      // Operands of the command itself: `{}` stands for what was found.
      for (const operand& each : read_command(inner).operands) {
        const bool is_found = inner[each.word].find("{}") != std::string::npos;
        changes = changes || (is_found && each.role == operand_role::change);
        if (!is_found) {
          add(at + 1 + each.word, each.role, each.offset);
        }
      }
      at = last;
    }
  }
  for (const std::size_t start : starts) {
    add(start, changes ? operand_role::change : operand_role::path);
  }
}

void operand_reader::read_dd() {
  for (std::size_t at = begin_ + 1; at < words_.size(); ++at) {
    if (starts_with(words_[at], "of=")) {
      add(at, operand_role::change, 3);
    } else if (starts_with(words_[at], "if=")) {
      add(at, operand_role::path, 3);
    }
  }
}

void operand_reader::read_tar() {
  if (begin_ + 1 >= words_.size()) {
    return;
  }
  const std::string& how = words_[begin_ + 1];
  const auto says = [&](char letter, std::string_view name) {
    return (!starts_with(how, "--") && how.find(letter) != std::string::npos) || has_word(name)
           || has_word(std::string("-") + letter);
  };
  const bool creates = says('c', "--create") || says('r', "--append") || says('u', "--update");
  const bool extracts = says('x', "--extract");
  bool archive_is_next = !is_option(how) && how.find('f') != std::string::npos;
  for (std::size_t at = begin_ + (is_option(how) ? 1 : 2); at < words_.size(); ++at) {
    const std::string& word = words_[at];
    if (word == "-C" || word == "--directory") {
      if (++at < words_.size()) {
        add(at, extracts ? operand_role::change : operand_role::path);
      }
    } else if (is_option(word)) {
      archive_is_next = archive_is_next || (word[1] != '-' && word.back() == 'f');
    } else if (archive_is_next) {
      archive_is_next = false;
      add(at, creates ? operand_role::change : operand_role::path);
    } else {
      add(at, extracts ? operand_role::change : operand_role::path);
    }
  }
}

void operand_reader::read_perl_like() {
  const std::string_view name = name_of(words_[begin_]);
  const bool is_sed = name == "sed" || name == "gsed";
  bool in_place = false;
  bool has_script = false;
  bool options = true;
  std::vector<std::size_t> operands;
  for (std::size_t at = begin_ + 1; at < words_.size(); ++at) {
    const std::string& word = words_[at];
    if (options && word == "--") {
      options = false;
    } else if (options && is_option(word)) {
      const bool is_long = word[1] == '-';
      if (!is_sed && (word[1] == 'M' || word[1] == 'I' || word[1] == 'm')) {
        continue; // the rest is a name
      }
      // `-i.bak`: what follows the letter is a suffix, and `-e` and the like take the next word.
      const std::size_t letter_i = is_long ? std::string::npos : word.find('i', 1);
      const std::string_view letters =
          std::string_view(word).substr(1, is_long ? 0 : std::min(letter_i, word.size()) - 1);
      in_place = in_place || starts_with(word, "--in-place") || letter_i != std::string::npos;
      const bool takes_script =
          starts_with(word, "--expression")
          || (!is_long && (word.back() == 'e' || (!is_sed && word.back() == 'E'))
              && (letter_i == std::string::npos || !is_sed))
          || lists(letters, "e");
      const bool takes_file = (is_sed && word == "-f") || starts_with(word, "--file");
      if (takes_script || takes_file) {
        has_script = true;
        if (word.find('=') == std::string::npos && ++at < words_.size()) {
          add(at, takes_file ? operand_role::path : operand_role::mention);
        }
      } else if (is_sed && (word == "-l" || word == "--line-length")) {
        ++at;
      } else if (is_sed && word == "-i" && at + 1 < words_.size() && words_[at + 1].empty()) {
        ++at; // the empty suffix of BSD's sed
      }
    } else {
      operands.push_back(at);
    }
  }
  for (std::size_t index = 0; index < operands.size(); ++index) {
    const bool is_script = is_sed && !has_script && index == 0;
    const bool is_program = !is_sed && !has_script && index == 0;
    add(operands[index], is_script                 ? operand_role::mention
                         : in_place && !is_program ? operand_role::change
                                                   : operand_role::path);
  }
  reading_.changes_piped = reading_.changes_piped && in_place;
}

void operand_reader::read_interpreter() {
  reading_.changes_piped = false;
  bool has_program = false;
  for (std::size_t at = begin_ + 1; at < words_.size(); ++at) {
    if (!has_program && lists("-c -e -p -pe --eval --print", words_[at])) {
      has_program = true;
      if (++at < words_.size()) {
        reading_.programs.push_back(at);
        add(at, operand_role::mention);
      }
    } else if (is_option(words_[at])) {
      add_option(at, operand_role::unsure);
    } else {
      has_program = has_program || words_[at] != "-";
      add(at, operand_role::unsure);
    }
  }
  reading_.reads_program = !has_program;
}

void operand_reader::read_test() {
  for (std::size_t at = begin_ + 1; at < words_.size(); ++at) {
    const bool follows_test = at > begin_ + 1 && words_[at - 1].size() == 2
                              && lists("-f -e -d -s -r -w -x -L -h -nt -ot", words_[at - 1]);
    add(at, follows_test ? operand_role::path : operand_role::mention);
  }
}

} // namespace resilient::canon
