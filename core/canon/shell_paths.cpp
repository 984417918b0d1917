#include "core/canon/shell_paths.hpp"

#include "core/canon/address.hpp"
#include "core/canon/patch_paths.hpp"
#include "core/canon/program_writes.hpp"
#include "core/canon/shell_expansion.hpp"
#include "core/canon/shell_script.hpp"
#include "core/support/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace resilient::canon {

namespace {

using redirection_kind = shell_redirection::kind_type;
using step_kind = shell_step::kind_type;

// Scripts in scripts (`bash -c "bash -c …"`), and words of all commands together: an ordinary
// script has dozens.
constexpr int deepest_script = 6;
constexpr std::size_t most_words = 5000;
constexpr std::size_t longest_folder = 1024;

class runner {
public:
  runner(const shell_start& start, shell_reading& reading, int depth)
      : start_(start), reading_(reading), folder_(start.folder), depth_(depth) {
    variables_["HOME"] = {expanded_word::literal(start.home)};
    variables_["CLAUDE_PROJECT_DIR"] = {expanded_word::literal(start.project)};
    if (start.home.empty()) {
      variables_.erase("HOME");
    }
    set_folder(folder_);
  }

  void run(const shell_script& script);
  void run_command(std::vector<expanded_word> words, const shell_step* step,
                   const shell_script* script);

private:
  void set_folder(const std::string& folder);
  void change_folder(const std::vector<expanded_word>& words, std::size_t at);
  [[nodiscard]] bool set_variables(const std::vector<shell_word>& words,
                                   const std::vector<expanded_word>& expanded);
  [[nodiscard]] bool start_loop(const std::vector<expanded_word>& words);
  void add(const expanded_word& word, std::size_t offset, operand_role role,
           const std::string& folder, bool must_exist = false);
  void add_copies(const command_reading& read, const std::vector<expanded_word>& words,
                  const std::string& folder);
  void run_redirections(const shell_step& step, const shell_script& script,
                        const command_reading& read, const std::string& folder);
  void run_nested(const std::string& script);
  void add_patch(std::string_view text, const std::string& folder);
  void add_program(std::string_view text, const std::string& folder);
  /// Marks the paths which the commands before in the same pipe print as changed.
  void change_piped(std::size_t pipeline);

  const shell_start& start_;
  shell_reading& reading_;
  std::string folder_;
  int depth_;
  variable_table variables_;
  std::vector<std::string> outer_folders_;
  std::size_t words_ = 0;

  struct printed {
    std::size_t pipeline = 0;
    std::size_t begin = 0; ///< in `reading_.paths`
    std::size_t end = 0;
    bool are_operands = false; ///< what `echo` prints, which else is a text
  };
  std::vector<printed> printed_;
};

void runner::set_folder(const std::string& folder) {
  // No folder is deeper than a path can be long; only a script that is made up goes there.
  folder_ = folder.size() < longest_folder ? folder : "";
  if (folder_.empty()) {
    variables_.erase("PWD");
  } else {
    variables_["PWD"] = {expanded_word::literal(folder_)};
  }
}

void runner::change_folder(const std::vector<expanded_word>& words, std::size_t at) {
  while (at < words.size() && words[at].text.size() > 1 && words[at].text.front() == '-') {
    ++at;
  }
  const std::string target = at < words.size() ? words[at].text : "~";
  if (at < words.size() && (words[at].is_unknown || target == "-")) {
    set_folder("");
  } else if (starts_with(target, "/")) {
    set_folder("/" + contained(target));
  } else if (target == "~" || starts_with(target, "~/")) {
    set_folder(start_.home.empty() ? "" : "/" + contained(start_.home + target.substr(1)));
  } else if (!folder_.empty()) {
    set_folder("/" + contained(folder_ + "/" + target));
  }
}

bool runner::set_variables(const std::vector<shell_word>& words,
                           const std::vector<expanded_word>& expanded) {
  // Only where every word is `name=value` do the values stay.
  bool all = !words.empty() && words.size() == expanded.size();
  for (const expanded_word& word : expanded) {
    all = all && word.assigned_name_size > 0;
  }
  if (!all) {
    return false;
  }
  for (const expanded_word& word : expanded) {
    const std::string name = word.text.substr(0, word.assigned_name_size);
    if (word.is_unknown) {
      variables_.erase(name);
    } else {
      expanded_word value = expanded_word::literal(word.text.substr(name.size() + 1));
      value.pattern = word.pattern.empty() ? "" : word.pattern.substr(name.size() + 1);
      variables_[name] = {std::move(value)};
    }
    add(word, name.size() + 1, operand_role::reference, folder_);
  }
  return true;
}

bool runner::start_loop(const std::vector<expanded_word>& words) {
  if (words.size() < 3 || words[0].text != "for" || words[2].text != "in") {
    return false;
  }
  std::vector<expanded_word>& values = variables_[words[1].text];
  values.assign(words.begin() + 3, words.end());
  for (std::size_t at = 3; at < words.size(); ++at) {
    add(words[at], 0, operand_role::unsure, folder_);
  }
  return true;
}

void runner::add(const expanded_word& word, std::size_t offset, operand_role role,
                 const std::string& folder, bool must_exist) {
  if (offset >= word.text.size() || word.text == "-") {
    return;
  }
  shell_path path;
  path.text = word.text.substr(offset);
  path.folder = folder;
  path.role = word.is_unknown ? operand_role::mention : role;
  path.must_exist = must_exist;
  if (offset == 0 && !word.is_unknown) {
    path.pattern = word.pattern;
  }
  reading_.paths.push_back(std::move(path));
}

void runner::add_copies(const command_reading& read, const std::vector<expanded_word>& words,
                        const std::string& folder) {
  if (!read.copies_into_last || read.operands.empty()
      || read.operands.back().role != operand_role::change) {
    return;
  }
  const expanded_word& last = words[read.operands.back().word];
  const std::string target = starts_with(last.text, "/") ? last.text : folder + "/" + last.text;
  if (last.is_unknown || last.text.empty() || last.text == "-"
      || (folder.empty() && target != last.text) || !start_.is_folder("/" + contained(target))) {
    return;
  }
  // What is changed is a file in the folder.
  const shell_path into = std::exchange(reading_.paths.back(), {});
  reading_.paths.pop_back();
  for (std::size_t index = 0; index + 1 < read.operands.size(); ++index) {
    const operand& each = read.operands[index];
    const expanded_word& source = words[each.word];
    if (each.role != operand_role::path && each.role != operand_role::change) {
      continue;
    }
    std::string name = source.text;
    while (name.size() > 1 && name.back() == '/') {
      name.pop_back();
    }
    const std::string_view base = std::string_view(name).substr(name.rfind('/') + 1);
    if (source.is_unknown || base.empty() || base == "." || base == ".."
        || !source.pattern.empty()) {
      reading_.paths.push_back(into);
      continue;
    }
    shell_path copy = into;
    copy.pattern.clear();
    copy.text += ends_with(copy.text, "/") ? "" : "/";
    copy.text += base;
    reading_.paths.push_back(std::move(copy));
  }
}

void runner::add_patch(std::string_view text, const std::string& folder) {
  each_patch_path(text, [&](std::string_view name) {
    if (!name.empty()) {
      add(expanded_word::literal(std::string(name)), 0, operand_role::change, folder);
    }
  });
}

void runner::add_program(std::string_view text, const std::string& folder) {
  each_written_path(text, [&](std::string_view name) {
    add(expanded_word::literal(std::string(name)), 0, operand_role::change, folder);
  });
}

void runner::run_nested(const std::string& script) {
  if (depth_ >= deepest_script) {
    return;
  }
  shell_start start = start_;
  start.folder = folder_;
  runner inner(start, reading_, depth_ + 1);
  inner.variables_ = variables_;
  inner.run(parse_shell(script));
}

void runner::change_piped(std::size_t pipeline) {
  for (; !printed_.empty() && printed_.back().pipeline == pipeline; printed_.pop_back()) {
    for (std::size_t at = printed_.back().begin; at < printed_.back().end; ++at) {
      shell_path& path = reading_.paths[at];
      if (path.role != operand_role::mention || printed_.back().are_operands) {
        path.role = operand_role::change;
        path.must_exist = true;
      }
    }
  }
}

void runner::run_redirections(const shell_step& step, const shell_script& script,
                              const command_reading& read, const std::string& folder) {
  for (const shell_redirection& each : step.redirections) {
    if (each.kind == redirection_kind::here_text) {
      const std::string& text = script.texts[each.text];
      if (read.reads_script) {
        run_nested(text);
      } else if (read.reads_patch) {
        add_patch(text, folder);
      } else if (read.reads_program) {
        add_program(text, folder);
      }
      if (!read.reads_script) {
        add(expanded_word::literal(text), 0, operand_role::mention, folder);
      }
      continue;
    }
    for (const expanded_word& word :
         expand_word(each.target, variables_, folder_, start_.project)) {
      if (each.kind == redirection_kind::here_word) {
        if (read.reads_script) {
          run_nested(word.text);
        } else if (read.reads_patch) {
          add_patch(word.text, folder);
        }
        add(word, 0, operand_role::mention, folder);
      } else {
        add(word, 0,
            each.kind == redirection_kind::write ? operand_role::change : operand_role::path,
            folder);
      }
    }
  }
}

void runner::run_command(std::vector<expanded_word> words, const shell_step* step,
                         const shell_script* script) {
  std::vector<std::string> texts;
  texts.reserve(words.size());
  for (const expanded_word& word : words) {
    texts.push_back(word.text);
  }
  const command_reading read = read_command(texts);
  std::string folder = folder_;
  if (read.works_in != 0) {
    const std::string& named = texts[read.works_in];
    folder = starts_with(named, "/") ? named : folder_.empty() ? "" : folder_ + "/" + named;
  }
  const std::size_t begin = reading_.paths.size();
  for (const operand& each : read.operands) {
    add(words[each.word], each.offset, each.role, each.word == read.works_in ? folder_ : folder,
        each.must_exist);
  }
  add_copies(read, words, folder);
  reading_.changes_unnamed = reading_.changes_unnamed || read.changes_unnamed;
  for (const std::size_t nested : read.scripts) {
    run_nested(texts[nested]);
  }
  for (const std::size_t program : read.programs) {
    add_program(texts[program], folder);
  }
  if (read.reads_patch) {
    for (const std::string& text : texts) {
      if (is_patch(text)) {
        add_patch(text, folder);
      }
    }
  }
  if (step != nullptr) {
    run_redirections(*step, *script, read, folder);
  }
  if (read.changes_unnamed) {
    for (std::size_t at = begin; at < reading_.paths.size(); ++at) {
      reading_.paths[at].is_input = reading_.paths[at].role != operand_role::change;
    }
  }
  if (step != nullptr) {
    if (read.changes_piped) {
      change_piped(step->pipeline);
    }
    if (read.prints_names) {
      printed_.push_back({step->pipeline, begin, reading_.paths.size(), read.prints_operands});
    }
  }
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (texts[at] == "cd" || texts[at] == "pushd") {
      change_folder(words, at + 1);
      break;
    }
    if (texts[at] != "then" && texts[at] != "do" && texts[at] != "{" && texts[at] != "else"
        && texts[at] != "if" && texts[at] != "!" && texts[at] != "builtin"
        && words[at].assigned_name_size == 0) {
      break;
    }
  }
}

void runner::run(const shell_script& script) {
  for (const shell_step& step : script.steps) {
    if (step.kind == step_kind::enter) {
      outer_folders_.push_back(folder_);
      continue;
    }
    if (step.kind == step_kind::leave) {
      if (!outer_folders_.empty()) {
        set_folder(outer_folders_.back());
        outer_folders_.pop_back();
      }
      continue;
    }
    std::vector<expanded_word> words;
    for (const shell_word& word : step.words) {
      for (expanded_word& each : expand_word(word, variables_, folder_, start_.project)) {
        words.push_back(std::move(each));
        if (++words_ > most_words) {
          return;
        }
      }
    }
    if (set_variables(step.words, words) && step.redirections.empty()) {
      continue;
    }
    if (start_loop(words)) {
      continue;
    }
    run_command(std::move(words), &step, &script);
  }
}

} // namespace

shell_reading read_script(std::string_view script, const shell_start& start) {
  shell_reading reading;
  runner(start, reading, 0).run(parse_shell(script));
  return reading;
}

shell_reading read_words(const std::vector<std::string>& words, const shell_start& start) {
  shell_reading reading;
  std::vector<expanded_word> literal;
  literal.reserve(words.size());
  for (const std::string& word : words) {
    literal.push_back(expanded_word::literal(word));
  }
  runner(start, reading, 0).run_command(std::move(literal), nullptr, nullptr);
  return reading;
}

} // namespace resilient::canon
