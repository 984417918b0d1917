#include "core/canon/shell_operands.hpp"

#include "core/canon/command_table.hpp"
#include "core/support/text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace resilient::canon {

namespace {

bool is_option(std::string_view word) noexcept {
  return word.size() > 1 && word.front() == '-';
}

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

std::string_view name_of(std::string_view word) noexcept {
  const std::size_t slash = word.rfind('/');
  return slash == std::string_view::npos ? word : word.substr(slash + 1);
}

class reader {
public:
  explicit reader(const std::vector<std::string>& words) : words_(words) {}

  command_reading read() {
    begin_ = skip_prefixes(0);
    if (begin_ >= words_.size()) {
      return std::move(reading_);
    }
    dispatch(name_of(words_[begin_]));
    return std::move(reading_);
  }

private:
  void dispatch(std::string_view name);
  void read_by(const command_rule& rule);
  void read_git();
  void read_find();
  void read_dd();
  void read_tar();
  void read_perl_like(bool edits_in_place_by_letter);
  void read_test();
  void read_interpreter();

  std::size_t skip_prefixes(std::size_t at);
  std::size_t skip_options(std::size_t at, std::string_view with_value) const;

  [[nodiscard]] bool has_word(std::string_view wanted) const {
    return std::find(words_.begin() + static_cast<std::ptrdiff_t>(begin_), words_.end(), wanted)
           != words_.end();
  }
  [[nodiscard]] bool has_any_of(std::string_view list) const;
  void add(std::size_t word, operand_role role, std::size_t offset = 0) {
    reading_.operands.push_back({word, offset, role});
  }
  /// An option with a value in one word: `--file=src/a`, `-Isrc/core`.
  void add_option(std::size_t word, operand_role role);
  /// The rest of the words from `at` with one role, options aside.
  void add_rest(std::size_t at, operand_role role, std::string_view with_value = {});

  const std::vector<std::string>& words_;
  command_reading reading_;
  std::size_t begin_ = 0;
};

/// Whether a list of words, separated by blanks, holds the word.
bool lists(std::string_view list, std::string_view word) noexcept {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == word) {
      return true;
    }
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

bool reader::has_any_of(std::string_view list) const {
  return std::any_of(words_.begin()
                         + static_cast<std::ptrdiff_t>(std::min(begin_ + 1, words_.size())),
                     words_.end(), [list](const std::string& word) {
                       return lists(list, std::string_view(word).substr(0, word.find('=')));
                     });
}

std::size_t reader::skip_options(std::size_t at, std::string_view with_value) const {
  while (at < words_.size() && is_option(words_[at])) {
    const bool is_end = words_[at] == "--";
    at += lists(with_value, words_[at]) ? 2 : 1;
    if (is_end) {
      break;
    }
  }
  return std::min(at, words_.size());
}

std::size_t reader::skip_prefixes(std::size_t at) {
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

void reader::add_option(std::size_t word, operand_role role) {
  const std::string& text = words_[word];
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos) {
    add(word, role, equals + 1);
  } else if (text.find('/') != std::string::npos && text[1] != '-') {
    add(word, operand_role::reference, 2);
  }
}

void reader::add_rest(std::size_t at, operand_role role, std::string_view with_value) {
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

void reader::read_by(const command_rule& rule) {
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

void reader::read_git() {
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

void reader::read_find() {
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

void reader::read_dd() {
  for (std::size_t at = begin_ + 1; at < words_.size(); ++at) {
    if (starts_with(words_[at], "of=")) {
      add(at, operand_role::change, 3);
    } else if (starts_with(words_[at], "if=")) {
      add(at, operand_role::path, 3);
    }
  }
}

void reader::read_tar() {
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

void reader::read_perl_like(bool edits_in_place_by_letter) {
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
      in_place = in_place
                 || (edits_in_place_by_letter
                     && (starts_with(word, "--in-place") || letter_i != std::string::npos));
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

void reader::read_interpreter() {
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

void reader::read_test() {
  for (std::size_t at = begin_ + 1; at < words_.size(); ++at) {
    const bool follows_test = at > begin_ + 1 && words_[at - 1].size() == 2
                              && lists("-f -e -d -s -r -w -x -L -h -nt -ot", words_[at - 1]);
    add(at, follows_test ? operand_role::path : operand_role::mention);
  }
}

void reader::dispatch(std::string_view name) {
  if (name == "git") {
    read_git();
  } else if (name == "find" || name == "gfind") {
    read_find();
  } else if (name == "dd") {
    read_dd();
  } else if (name == "tar" || name == "bsdtar") {
    read_tar();
  } else if (name == "sed" || name == "gsed" || name == "perl" || name == "ruby") {
    read_perl_like(true);
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

} // namespace

command_reading read_command(const std::vector<std::string>& words) {
  return reader(words).read();
}

} // namespace resilient::canon
