#include "core/canon/shell_paths.hpp"

#include "core/canon/patch_paths.hpp"
#include "core/canon/shell_findings.hpp"
#include "core/canon/shell_script.hpp"
#include "core/canon/shell_state.hpp"
#include "core/canon/word_list.hpp"
#include "core/support/text.hpp"

#include <algorithm>
#include <utility>

namespace resilient::canon {

namespace {

using redirection_kind = shell_redirection::kind_type;
using step_kind = shell_step::kind_type;

// Scripts in scripts (`bash -c "bash -c …"`), and words of all commands together: an ordinary
// script has dozens.
constexpr int deepest_script = 6;
constexpr std::size_t most_words = 5000;

class runner {
public:
  runner(const shell_start& start, shell_state state, shell_reading& reading, int depth)
      : start_(start), state_(std::move(state)), reading_(reading), found_(reading), depth_(depth) {
  }

  void run(const shell_script& script);

private:
  [[nodiscard]] bool set_variables(const std::vector<shell_word>& words,
                                   const std::vector<expanded_word>& expanded);
  [[nodiscard]] bool start_loop(const std::vector<expanded_word>& words);
  void run_command(const std::vector<expanded_word>& words, const shell_step& step,
                   const shell_script& script);
  void run_redirections(const shell_step& step, const shell_script& script,
                        const command_reading& read, const std::string& folder);
  void run_nested(const std::string& script);

  const shell_start& start_;
  shell_state state_;
  shell_reading& reading_;
  shell_findings found_;
  int depth_;
  std::vector<std::string> outer_folders_;
  std::size_t words_ = 0;
};

bool runner::set_variables(const std::vector<shell_word>& words,
                           const std::vector<expanded_word>& expanded) {
  // Only where every word is `name=value` do the values stay.
  const auto is_assignment = [](const expanded_word& word) { return word.assigned_name_size > 0; };
  if (words.empty() || words.size() != expanded.size()
      || !std::all_of(expanded.begin(), expanded.end(), is_assignment)) {
    return false;
  }
  for (const expanded_word& word : expanded) {
    state_.assign(word);
    found_.add(word, word.assigned_name_size + 1, operand_role::reference, state_.folder());
  }
  return true;
}

bool runner::start_loop(const std::vector<expanded_word>& words) {
  if (words.size() < 3 || words[0].text != "for" || words[2].text != "in") {
    return false;
  }
  state_.loop_over(words[1].text, {words.begin() + 3, words.end()});
  for (std::size_t at = 3; at < words.size(); ++at) {
    found_.add(words[at], 0, operand_role::unsure, state_.folder());
  }
  return true;
}

void runner::run_nested(const std::string& script) {
  if (depth_ < deepest_script) {
    runner(start_, state_, reading_, depth_ + 1).run(parse_shell(script));
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
        found_.add_patch(text, folder);
      } else if (read.reads_program) {
        found_.add_program(text, folder);
      }
      if (!read.reads_script) {
        found_.add(expanded_word::literal(text), 0, operand_role::mention, folder);
      }
      continue;
    }
    for (const expanded_word& word : state_.expand(each.target)) {
      if (each.kind == redirection_kind::here_word) {
        if (read.reads_script) {
          run_nested(word.text);
        } else if (read.reads_patch) {
          found_.add_patch(word.text, folder);
        }
        found_.add(word, 0, operand_role::mention, folder);
      } else {
        found_.add(word, 0,
                   each.kind == redirection_kind::write ? operand_role::change : operand_role::path,
                   folder);
      }
    }
  }
}

void runner::run_command(const std::vector<expanded_word>& words, const shell_step& step,
                         const shell_script& script) {
  std::vector<std::string> texts;
  texts.reserve(words.size());
  for (const expanded_word& word : words) {
    texts.push_back(word.text);
  }
  const command_reading read = read_command(texts);
  std::string folder = state_.folder();
  if (read.works_in != 0) {
    const std::string& named = texts[read.works_in];
    folder = starts_with(named, "/") ? named : folder.empty() ? "" : folder + "/" + named;
  }
  const std::size_t begin = found_.count();
  for (const operand& each : read.operands) {
    found_.add(words[each.word], each.offset, each.role,
               each.word == read.works_in ? state_.folder() : folder, each.must_exist);
  }
  found_.copy_into_last(read, words, folder, start_.is_folder);
  for (const std::size_t nested : read.scripts) {
    run_nested(texts[nested]);
  }
  for (const std::size_t program : read.programs) {
    found_.add_program(texts[program], folder);
  }
  if (read.reads_patch) {
    for (const std::string& text : texts) {
      if (holds_patch(text)) {
        found_.add_patch(text, folder);
      }
    }
  }
  run_redirections(step, script, read, folder);
  if (read.changes_unnamed) {
    found_.change_unnamed(begin);
  }
  if (read.changes_piped) {
    found_.change_piped(step.pipeline);
  }
  if (read.prints_names) {
    found_.print(step.pipeline, begin, read.prints_operands);
  }
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (texts[at] == "cd" || texts[at] == "pushd") {
      state_.change_folder(words, at + 1);
      break;
    }
    if (!lists("then do { else if ! builtin", texts[at]) && words[at].assigned_name_size == 0) {
      break;
    }
  }
}

void runner::run(const shell_script& script) {
  for (const shell_step& step : script.steps) {
    if (step.kind == step_kind::enter) {
      outer_folders_.push_back(state_.folder());
      continue;
    }
    if (step.kind == step_kind::leave) {
      if (!outer_folders_.empty()) {
        state_.set_folder(outer_folders_.back());
        outer_folders_.pop_back();
      }
      continue;
    }
    std::vector<expanded_word> words;
    for (const shell_word& word : step.words) {
      for (expanded_word& each : state_.expand(word)) {
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
    run_command(words, step, script);
  }
}

shell_reading read(const shell_script& script, const shell_start& start) {
  shell_reading reading;
  runner(start, {start.folder, start.home, start.project}, reading, 0).run(script);
  return reading;
}

} // namespace

shell_reading read_script(std::string_view script, const shell_start& start) {
  return read(parse_shell(script), start);
}

shell_reading read_words(const std::vector<std::string>& words, const shell_start& start) {
  shell_step command;
  for (const std::string& word : words) {
    command.words.push_back({{shell_piece::kind_type::quoted, word}});
  }
  return read({{std::move(command)}, {}}, start);
}

} // namespace resilient::canon
